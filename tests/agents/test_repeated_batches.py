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


@pytest.mark.parametrize("odd", [{"out": ["p"]}, {"args": "o"}, {"args": None}, {"out": 3}])
def test_what_cannot_be_read_as_a_call_is_compared_as_it_is(shop: str, odd: dict[str, Any]) -> None:
    batch = calls({**call("limit", "p", rel="o", n=1), **odd})
    with running(shop, [ORDERS, batch, batch, calls(call("execute", rel="o")), DONE], "react") as run:
        assert run.answer.result == 1
        assert sum("was not run again" in event.text for event in run.of(Observation)) <= 1
