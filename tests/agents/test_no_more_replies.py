"""A model that cannot be asked any further, or time that is up, spoils nothing that was found until then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from agents.contracts import RunSettings
from agents.llm.budget import BudgetLimits
from agents.llm.scripted import Turn
from agents.traces.events import ModelReply, Retry, RunCancelled, RunFailed, RunFinished, ThoughtDelta, Warned
from agents.traces.journal import MemoryJournal
from tests.agents.runs import SHOP, call, calls, final, running

DECLINED = Turn(status=400, message="no such parameter")
PAID = "SELECT id FROM orders WHERE status = 'Paid'"  # runs, and is doubted: no row is left
RIGHT = "SELECT id FROM orders WHERE status = 'paid'"
COUNT = calls(
    call("table_ref", "o", table="orders"),
    call("aggregate", "n", rel="o", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    call("execute", rel="n"),
    call("execute", rel="o"),
)


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def sql(statement: str) -> str:
    return f"```sql\n{statement}\n```"


def test_a_shaper_that_declines_leaves_what_was_cited(shop: str) -> None:
    script = [COUNT, final("<execute_result_2> and <execute_result_1>"), DECLINED]
    with running(shop, script, "react") as run:
        assert run.rows() == [(4,)]
        assert any("declined the request" in warning.text for warning in run.of(Warned))


def test_a_repair_that_cannot_be_had_leaves_the_draft_that_ran(shop: str) -> None:
    with running(shop, [sql(PAID), DECLINED], "lift") as run:
        assert run.rows() == []
        assert any("The best draft until then is shown" in warning.text for warning in run.of(Warned))


@pytest.mark.parametrize("strategy", ["lift", "reforce"])
def test_a_draft_that_came_before_the_model_failed_is_run(shop: str, strategy: str) -> None:
    linked = '{"tables": {"orders": []}, "answer": {"columns": ["id"]}}'
    first = [linked] if strategy == "reforce" else []
    script, settings = [*first, sql(RIGHT), DECLINED], RunSettings(samples=3)
    with running(shop, script, strategy, settings=settings, after=DECLINED) as run:
        assert run.rows() == [(1,), (3,), (4,)]


def test_a_first_call_that_fails_still_ends_the_run(shop: str) -> None:
    with running(shop, [DECLINED], "lift") as run:
        (event,) = run.of(RunFailed)
        assert event.error["type"] == "ModelRefusedError"


# --- Time -----------------------------------------------------------------------------------------------------------

SLOW: dict[str, tuple[str, Any]] = {
    "a wait that the provider asks for": ("react", Turn(status=429, headers={"Retry-After": "30"})),
    "a server that says nothing": ("react", Turn("late", delay=30)),
    "several replies at once": ("lift", Turn(sql(RIGHT), delay=30)),
}


@pytest.mark.parametrize("name", SLOW)
def test_the_time_of_a_run_ends_it_while_it_waits(shop: str, name: str) -> None:
    strategy, slow = SLOW[name]
    began = time.monotonic()
    settings = RunSettings(samples=5)
    script = [sql("SELECT id FROM nowhere"), slow] if strategy == "lift" else [slow]
    with running(shop, script, strategy, limits=BudgetLimits(seconds=1.5), settings=settings, after=slow) as run:
        (failed,) = run.of(RunFailed)
    assert "RUN_MAX_SECONDS" in failed.error["message"]
    assert time.monotonic() - began < 10


# --- What brought no reply is paid for ------------------------------------------------------------------------------

PRICES = {"price_input": 1000.0, "price_output": 1000.0, "price_cached": 1000.0}


def test_a_reply_that_is_stopped_is_paid_for(shop: str) -> None:
    heard: list[str] = []

    def stop(event: Any) -> None:
        if isinstance(event, ThoughtDelta):
            heard.append(event.text)
            stopping[0].model.cancel()

    stopping: list[Any] = []
    journal = MemoryJournal(live=stop)
    script = [Turn("word " * 200, pace=0.05)]
    with running(shop, script, "react", journal=journal, begun=stopping.append, **PRICES) as run:
        (end,) = run.of(RunCancelled)
        prompt = run.server.prompt()
    assert run.of(ModelReply) == []
    assert end.usage["input"] > len(prompt) / 8
    assert 0 < end.usage["output"] <= 200
    assert end.usage["cost"] == pytest.approx((end.usage["input"] + end.usage["output"]) / 1000)


def test_a_reply_that_runs_over_the_time_is_paid_for(shop: str) -> None:
    with running(shop, [Turn("word " * 2_000, pace=0.05)], "react", limits=BudgetLimits(seconds=1.5)) as run:
        (end,) = run.of(RunFailed)
    assert end.usage["input"] > 100
    assert end.usage["output"] > 0


def test_a_reply_that_breaks_off_is_paid_for_and_told_with_the_retry(shop: str) -> None:
    broken = Turn("wrong " * 50, cut_after=4, pace=0.06)
    with running(shop, [broken, COUNT, final("<execute_result_1>")], "react") as run:
        (retry,) = run.of(Retry)
        (end,) = run.of(RunFinished)
        replies = run.of(ModelReply)
    assert retry.input > 100
    assert retry.output > 0
    assert end.usage["input"] == retry.input + sum(reply.input for reply in replies)
    assert end.usage["output"] == retry.output + sum(reply.output for reply in replies)


def test_a_request_that_was_refused_cost_nothing(shop: str) -> None:
    refused = Turn(status=429, headers={"Retry-After": "0"})
    with running(shop, [refused, COUNT, final("<execute_result_1>")], "react") as run:
        (retry,) = run.of(Retry)
    assert (retry.input, retry.output, retry.cost) == (0, 0, None)
