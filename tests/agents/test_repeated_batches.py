"""A batch that would give the same again is pointed out, not run; the third in a row ends the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.traces.events import CallResult, Observation, RunFailed
from tests.agents.runs import SHOP, call, calls, final, running

ORDERS = calls(call("table_ref", "o", table="orders"))
DONE = final("<execute_result_1>")


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def paid(handle: str, **more: Any) -> str:
    return calls(call("filter_expr", handle, rel="o", predicate="status = 'paid'", **more), call("execute", rel=handle))


@pytest.mark.parametrize("names", [("p", "p", "p"), ("p", "q", "r")])
def test_a_batch_is_the_same_whatever_it_calls_what_it_gives(shop: str, names: tuple[str, ...]) -> None:
    with running(shop, [ORDERS, *map(paid, names)], "react") as run:
        assert [event.call["op"] for event in run.of(CallResult)] == ["table_ref", "filter_expr", "execute"]
        assert "was not run again" in run.of(Observation)[-1].text
        (failed,) = run.of(RunFailed)
        assert failed.error["type"] == "RepeatedBatchError"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            calls(call("table_ref", "a", table="customers")),
            calls(call("table_ref", "b", table="customers")),
            id="a table opened twice",
        ),
        pytest.param(
            calls(call("limit", "o", rel="o", n=3)),
            calls(call("limit", "p", rel="o", n=3)),
            id="of what it gave before",
        ),
        pytest.param(
            calls(call("limit", "a", rel="o", n=3)), calls(call("limit", "b", rel="a", n=3)), id="of another relation"
        ),
        pytest.param(
            calls(call("limit", "a", rel="o", n=3)), calls(call("limit", "b", rel="o", n=2)), id="another argument"
        ),
    ],
)
def test_what_may_give_something_else_is_run(shop: str, first: str, second: str) -> None:
    with running(shop, [ORDERS, first, second, calls(call("execute", rel="o")), DONE], "react") as run:
        assert [event.state for event in run.of(CallResult)] == ["ok"] * 4


def test_a_handle_that_was_declined_can_be_mended(shop: str) -> None:
    batches = [calls(call("limit", handle, rel="o", n=3), call("execute", rel=handle)) for handle in ("p" * 5_000, "p")]
    with running(shop, [ORDERS, *batches, DONE], "react") as run:
        assert [event.state for event in run.of(CallResult)] == ["ok", "failed", "skipped", "ok", "ok"]
        assert run.answer.result == 1


@pytest.mark.parametrize("odd", [{"out": ["p"]}, {"args": "o"}, {"args": None}, {"out": 3}])
def test_what_cannot_be_read_as_a_call_ends_no_run(shop: str, odd: dict[str, Any]) -> None:
    batch = calls({**call("limit", "p", rel="o", n=1), **odd})
    with running(shop, [ORDERS, batch, batch, calls(call("execute", rel="o")), DONE], "react") as run:
        assert run.answer.result == 1
        assert len([event for event in run.of(CallResult) if event.call["op"] == "limit"]) <= 1
