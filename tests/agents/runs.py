"""Runs against a scripted model over HTTP and a real database: what the tests of the agent share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agents.composition import door_to, workbench
from agents.contracts import Answer, RunSettings, Task, Workbench
from agents.llm.budget import BudgetLimits
from agents.llm.client import LiteLLMClient
from agents.llm.messages import ModelProfile
from agents.llm.scripted import ScriptedServer, Turn
from agents.strategies import start
from agents.traces.events import Event
from agents.traces.journal import MemoryJournal

SHOP = """
CREATE TABLE regions (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, region_id INTEGER REFERENCES regions (id));
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), status VARCHAR(20), total DECIMAL(10, 2)
);
INSERT INTO regions VALUES (1, 'North'), (2, 'South');
INSERT INTO customers VALUES (1, 'Ada', 1), (2, 'Bo', 1), (3, 'Cleo', 2);
INSERT INTO orders VALUES (1, 1, 'paid', 10.50), (2, 1, 'open', 5.00), (3, 2, 'paid', 7.25), (4, 3, 'paid', 20.00);
"""

Script = Sequence[str | dict[str, Any] | Turn]


@dataclass(frozen=True)
class Ran:
    """What came of a run: its answer, its events, what was asked of the model, and the workbench at the end."""

    answer: Answer | None
    events: tuple[Event, ...]
    bench: Workbench
    server: ScriptedServer

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def rows(self) -> list[tuple[Any, ...]]:
        assert self.answer is not None
        assert self.answer.result is not None
        return list(self.bench.engine.result(self.answer.result).rows)


@contextmanager
def running(
    url: str,
    script: Script,
    strategy: str,
    *,
    task: Task | None = None,
    settings: RunSettings | None = None,
    limits: BudgetLimits | None = None,
    journal: MemoryJournal | None = None,
    after: str | Turn = "(the script ends here)",
    begun: Callable[[Workbench], object] = lambda bench: None,
    **profile: Any,
) -> Iterator[Ran]:
    """Run to the end, with the database and the server still there to be looked at. `begun` gets the workbench before
    it is used."""
    kept = journal or MemoryJournal()
    with ScriptedServer(list(script), after=after) as server, door_to(url) as door:
        model = LiteLLMClient(ModelProfile("scripted", "openai/scripted", api_base=server.api_base, key="x", **profile))
        bench = workbench(door, model, kept, settings=settings, limits=limits)
        begun(bench)
        answer = start(task or Task("How much was paid?", today="2026-01-01"), bench, strategy)
        yield Ran(answer, kept.events, bench, server)


def calls(*batch: dict[str, Any], thought: str = "") -> str:
    return (f"<think>{thought}</think>" if thought else "") + json.dumps(batch)


def call(op: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args, **({"out": out} if out else {})}


def final(text: str, **more: Any) -> str:
    return json.dumps({"final": text, **more})
