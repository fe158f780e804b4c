"""`react`: the loop over the relational operations. The default, from the ReAct-SQL paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from agents.batch import Call
from agents.contracts import Answer, Task, Workbench
from agents.conversation import Conversation
from agents.dsl.operations import offered
from agents.engine.outcomes import Outcome, Result
from agents.loop import Prepared, ReActLoop
from agents.prompts.constraints import Names, reply_schema
from agents.prompts.layouts import brief
from agents.strategies.answering import conclude
from agents.strategies.opening import react_opening, shown_schema

MOST_COLUMNS = 2_000
"""In a schema that holds more, a constrained model can write the columns of the tables that it was shown, and those of
live relations."""


class Operations:
    """All operations of the engine, as the model wrote them. `shown` are the tables that it was told in full."""

    def __init__(self, bench: Workbench, shown: Collection[str]) -> None:
        self._bench, self._engine, self._shown = bench, bench.engine, shown

    @property
    def names(self) -> Collection[str]:
        return tuple(offered(paper_mode=self._engine.settings.paper_mode))

    def reply_schema(self) -> Mapping[str, Any] | None:
        if not self._bench.model.profile.constrained:
            return None
        catalogue, calls = self._bench.catalogue, self._bench.budget.limits.calls_per_turn
        columns = sum(len(table.columns) for table in catalogue.tables)
        told = self._shown if columns > MOST_COLUMNS else [table.qualified for table in catalogue.tables]
        small = self._bench.model.profile.size == "small"
        names = Names.of(catalogue, told, self._engine.handles, calls, step_by_step=small)
        paper = self._engine.settings.paper_mode
        return reply_schema(names, len(self._engine.results), calls=1 if small else calls, paper_mode=paper)

    def prepare(self, calls: Sequence[Call]) -> Prepared:
        return Prepared(calls)

    def call(self, call: Call) -> Outcome:
        return self._engine.call(call)

    def restore(self, call: Call, result: Result | None = None) -> None:
        self._engine.restore(call, result)


class React:
    name: ClassVar[str] = "react"

    def run(self, task: Task, bench: Workbench) -> Answer:
        schema = shown_schema(task, bench, brief, None)
        conversation = Conversation(bench, react_opening(task, bench, schema.text), purpose="agent", name="agent")
        final = ReActLoop(bench, conversation, Operations(bench, schema.shown)).run()
        return conclude(task, bench, final, conversation.transcript())


STRATEGY = React()
