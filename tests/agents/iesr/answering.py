"""A model over HTTP that answers by what it is asked: calls side by side get the same replies in any order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from agents.composition import door_to, workbench
from agents.contracts import RunSettings, Task
from agents.llm.budget import BudgetLimits
from agents.llm.client import LiteLLMClient
from agents.llm.messages import ModelProfile
from agents.llm.scripted import ScriptedServer, Turn
from agents.strategies import start
from agents.traces.journal import MemoryJournal
from tests.agents.runs import Ran

TASK = Task("How many orders were paid?", today="2026-01-01")
DRAFTS = 3


@dataclass(frozen=True)
class Replies:
    """SQL for each kind of request. `drafts` and `revisions` are by their place among the three of a state; `filled`
    gets the masked statement. `seen` are the last messages in the order of arrival."""

    drafts: Sequence[str]
    revisions: Sequence[str] = ()
    filled: Callable[[str], str] | None = None
    understanding: str = json.dumps(
        {"intent": "a count", "entities": ["orders", "planets"], "conditions": ["were paid"], "quantities": []}
    )
    linking: str = json.dumps({"tables": {"orders": ["status"], "planets": ["mass"]}})
    usage: dict[str, int] = field(default_factory=dict)

    def turn(self, last: str, wanted: int) -> Turn:
        return Turn(self._text(last, DRAFTS - wanted), usage=self.usage)

    def _text(self, last: str, place: int) -> str:
        if "Read the question and write down" in last:
            return self.understanding
        if "Choose the tables and columns" in last or "Reply again with the JSON object" in last:
            return self.linking
        if "SQL revision" in last:
            return fenced((self.revisions or self.drafts)[place])
        if "SQL generation" in last:
            return fenced(self.drafts[place])
        if "[MASK]" in last:
            return fenced(self.filled(last) if self.filled else self.drafts[0])
        return f"I thought about it: {last[:40]}"


class AnsweringServer(ScriptedServer):
    """Takes the last message instead of the next turn of a script."""

    def __init__(self, replies: Replies) -> None:
        super().__init__([])
        self._replies = replies

    def take(self, body: dict[str, Any]) -> Turn:
        super().take(body)
        return self._replies.turn(str(body["messages"][-1]["content"]), int(body.get("n") or 1))


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


@contextmanager
def searching(
    url: str,
    replies: Replies,
    *,
    rollouts: int = 2,
    task: Task = TASK,
    limits: BudgetLimits | None = None,
    journal: MemoryJournal | None = None,
    send_values: bool = True,
) -> Iterator[Ran]:
    """Run `iesr` to the end."""
    kept = journal or MemoryJournal()
    settings = RunSettings(rollouts=rollouts, send_values=send_values)
    with AnsweringServer(replies) as server, door_to(url) as door:
        model = LiteLLMClient(ModelProfile("scripted", "openai/scripted", api_base=server.api_base, key="x"))
        bench = workbench(door, model, kept, settings=settings, limits=limits)
        answer = start(task, bench, "iesr")
        yield Ran(answer, kept.events, bench, server)
