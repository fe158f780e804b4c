"""`react`: the loop over the relational operations. The default, from the ReAct-SQL paper."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from agents.batch import Call
from agents.contracts import Answer, Task, Workbench
from agents.conversation import Conversation
from agents.dsl.operations import offered
from agents.engine.engine import Engine
from agents.engine.outcomes import Outcome, Result
from agents.loop import Prepared, ReActLoop
from agents.strategies.answering import conclude
from agents.strategies.opening import react_opening


class Operations:
    """All operations of the engine, as the model wrote them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def names(self) -> Collection[str]:
        return tuple(offered(paper_mode=self._engine.settings.paper_mode))

    def prepare(self, calls: Sequence[Call]) -> Prepared:
        return Prepared(calls)

    def call(self, call: Call) -> Outcome:
        return self._engine.call(call)

    def restore(self, call: Call, result: Result | None = None) -> None:
        self._engine.restore(call, result)


class React:
    name: ClassVar[str] = "react"

    def run(self, task: Task, bench: Workbench) -> Answer:
        conversation = Conversation(bench, react_opening(task, bench), purpose="agent", name="agent")
        final = ReActLoop(bench, conversation, Operations(bench.engine)).run()
        return conclude(task, bench, final, conversation.transcript())


STRATEGY = React()
