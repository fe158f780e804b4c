"""A resumed run may end before it has done again what it did before: with the reason, and with all that it spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.composition import door_to, workbench
from agents.contracts import Task, Workbench
from agents.llm.budget import Budget, BudgetLimits, Spent
from agents.llm.client import LiteLLMClient
from agents.llm.messages import ModelProfile, Usage
from agents.llm.scripted import ScriptedServer
from agents.strategies import start
from agents.traces.events import CallResult, Event, ModelReply, RunCancelled, RunFailed
from agents.traces.journal import MemoryJournal
from tests.agents.runs import SHOP, call, calls, final, running

SUM = "```sql\nSELECT SUM(total) AS s FROM orders\n```"
TASK = Task("How much was paid?", today="2026-01-01")


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def resumed(url: str, saved: tuple[Event, ...], strategy: str, before: Callable[[Workbench], object]) -> list[Event]:
    """What the run adds to `saved` when `before` happens first."""
    journal = MemoryJournal(saved)
    with ScriptedServer([]) as server, door_to(url) as door:
        bench = workbench(door, LiteLLMClient(ModelProfile("m", "openai/m", api_base=server.api_base)), journal)
        before(bench)
        assert start(TASK, bench, strategy) is None
        assert server.requests == []
    assert journal.events[: len(saved)] == saved
    return list(journal.events[len(saved) :])


def test_a_stop_before_the_first_event_is_played_back_ends_it_as_cancelled(shop: str) -> None:
    with running(shop, [SUM], "lift", task=TASK) as run:
        saved = run.events[:-2]
    (end,) = resumed(shop, saved, "lift", lambda bench: bench.engine.access.door.cancel())
    assert isinstance(end, RunCancelled)
    assert end.position == len(saved) + 1


def test_a_table_that_is_gone_is_said_in_words(shop: str, new_database: Callable[[str, str], str]) -> None:
    script = [calls(call("table_ref", "r", table="regions"), call("table_ref", "o", table="orders")), final("?")]
    with running(shop, script, "react", task=TASK) as run:
        saved = run.events[: run.kinds.index("observation")]
    without = new_database("sqlite", SHOP.replace("regions", "districts"))
    (end,) = resumed(without, saved, "react", lambda bench: None)
    assert isinstance(end, RunFailed)
    assert end.error["type"] == "RunDivergedError"
    assert "call 1 of turn 1" in end.error["message"]
    assert "regions" in end.error["message"]


BATCHES = [calls(call("table_ref", f"h{n}", table="orders")) for n in range(4)]


def test_turns_that_were_begun_before_are_done_again_under_a_lower_limit(shop: str) -> None:
    with running(shop, BATCHES, "react", task=TASK, limits=BudgetLimits(turns=9)) as run:
        saved = run.events[: next(i for i, event in enumerate(run.events) if event.turn == 4)]
        used = sum((Usage(r.input, r.cached, r.output) for r in run.of(ModelReply)[:3]), Usage())
    before = Spent(turns=3, calls=3, usage=used, seconds=500)
    (end,) = resumed(
        shop, saved, "react", lambda bench: _put(bench, Budget(BudgetLimits(turns=2, seconds=100), before=before))
    )
    assert isinstance(end, RunFailed)
    assert end.error["type"] == "BudgetExhaustedError"
    assert (end.turns, end.calls, end.usage["input"]) == (3, 3, used.input)


def test_an_early_end_tells_what_the_earlier_attempts_spent(shop: str) -> None:
    before = Spent(turns=3, calls=5, usage=Usage(900, 100, 40, 0.2), seconds=60)
    with running(shop, [SUM], "lift", task=TASK) as run:
        saved = run.events[:-2]

    def stopped(bench: Workbench) -> None:
        _put(bench, Budget(before=before))
        bench.engine.access.door.cancel()

    (end,) = resumed(shop, saved, "lift", stopped)
    assert isinstance(end, RunCancelled)
    assert (end.turns, end.calls) == (3, 5)
    assert end.usage == {"input": 900, "cached": 100, "output": 40, "cost": 0.2}
    assert end.seconds >= 60


def _put(bench: Workbench, budget: Any) -> None:
    object.__setattr__(bench, "budget", budget)


def test_calls_are_not_counted_twice(shop: str) -> None:
    budget = Budget(before=Spent(turns=1, calls=2, usage=Usage(100, 0, 5), lost=Usage(10, 0, 1)))
    assert budget.usage == Usage(10, 0, 1)
    budget.start_turn()
    budget.spend(Usage(90, 0, 4))
    budget.count_call()
    assert budget.spent().usage == Usage(100, 0, 5)
    budget.spend(Usage(50, 0, 5))
    assert (budget.spent().usage, budget.spent().calls) == (Usage(150, 0, 10), 2)


def test_a_call_that_failed_before_is_not_made_again(shop: str) -> None:
    script = [calls(call("table_ref", "o", table="orders"), call("table_ref", "x", table="nowhere")), final("?")]
    with running(shop, script, "react", task=TASK) as run:
        states = [event.state for event in run.of(CallResult)]
        saved = run.events[: run.kinds.index("observation")]
    assert states == ["ok", "failed"]
    with running(shop, [final("?")] * 3, "react", task=TASK, journal=MemoryJournal(saved)) as again:
        assert "o" in again.bench.engine.handles
