"""A result's program, run again by itself, makes the same result, whatever its handles were bound to on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.engine.engine import Engine
from agents.engine.programs import open_door
from connections.door import Door
from tests.engine.data import create_sql
from tests.engine.test_engine import ORDERS, call

PAID = call("filter_expr", "paid", rel="orders", predicate="status = 'paid'")
COUNT = {"aggs": [{"fn": "count", "column": "*", "as": "n"}]}
PROGRAMS = {
    "a name that execute gave": [
        ORDERS,
        PAID,
        call("execute", "r1", rel="paid"),
        call("filter_expr", "f", rel="r1", predicate="total > 12"),
    ],
    "a name that execute took from a table": [
        ORDERS,
        PAID,
        call("execute", "orders", rel="paid"),
        call("aggregate", "f", rel="orders", **COUNT),
    ],
    "a name that execute kept while its own was bound again": [
        ORDERS,
        call("execute", "before", rel="orders"),
        call("filter_expr", "orders", rel="orders", predicate="id > 11"),
        call("set_operation", "f", left="before", right="orders", kind="except"),
    ],
    "a name that execute gave to what it gave a name": [
        ORDERS,
        call("execute", "r1", rel="orders"),
        call("execute", "r2", rel="r1"),
        call("limit", "f", rel="r2", n=3),
    ],
    "the name that it has already": [
        ORDERS,
        call("execute", "orders", rel="orders"),
        call("limit", "f", rel="orders", n=3),
    ],
}


@pytest.fixture
def door(new_database: Callable[[str, str], str]) -> Iterator[Door]:
    with open_door(new_database("sqlite", create_sql())) as door:
        yield door


@pytest.mark.parametrize("calls", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_the_program_of_a_result_makes_it_again(door: Door, calls: list[dict[str, Any]]) -> None:
    engine, again = Engine(door), Engine(door)
    last = engine.run([*calls, call("execute", rel="f")])[-1]
    assert last.ok, last.text
    outcomes = again.run(engine.result_program(engine.results[-1].number))
    assert [outcome.text for outcome in outcomes if not outcome.ok] == []
    assert again.result(1).rows == engine.results[-1].rows


@pytest.mark.parametrize("calls", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_replayed_run_has_the_program_of_the_one_before(door: Door, calls: list[dict[str, Any]]) -> None:
    engine, replayed = Engine(door), Engine(door)
    engine.run(calls)
    for made in calls:
        replayed.restore(made)
    assert list(replayed.handles) == list(engine.handles)
    assert replayed.program("f") == engine.program("f")
    assert replayed.sql("f") == engine.sql("f")


def test_a_name_that_nothing_reads_adds_no_step_to_the_program(door: Door) -> None:
    engine = Engine(door)
    engine.run([ORDERS, call("execute", "r1", rel="orders")])
    assert [step["op"] for step in engine.result_program(1)] == ["table_ref", "execute"]


def test_an_execute_under_a_name_that_cannot_be_is_refused_before_it_runs(door: Door) -> None:
    engine = Engine(door)
    *_, outcome = engine.run([ORDERS, call("execute", "x" * 300, rel="orders")])
    assert outcome.error is not None
    assert outcome.error.type == "InvalidArgumentError"
    assert not engine.results
