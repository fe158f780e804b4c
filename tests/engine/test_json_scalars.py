"""SQLite's `->>` gives what is stored, a text or a number; it is taken for neither."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.engine.engine import Engine
from agents.engine.programs import open_door

SQL = """
CREATE TABLE events (id INTEGER PRIMARY KEY, data TEXT);
INSERT INTO events VALUES
 (1, '{"amount": 5.0, "active": true, "key": 1}'), (2, '{"amount": 2.5, "active": false, "key": "01"}');
"""


def call(op: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args} | ({"out": out} if out else {})


def read(name: str) -> dict[str, Any]:
    return call("derive_column", "e", rel="e", name=name, expr=f"data ->> '$.{name}'")


@pytest.fixture
def engine(new_database: Callable[[str, str], str]) -> Iterator[Engine]:
    with open_door(new_database("sqlite", SQL)) as door:
        engine = Engine(door)
        engine.call(call("table_ref", "e", table="events"))
        yield engine


def test_numbers_are_added_up(engine: Engine) -> None:
    aggs = [{"fn": "sum", "column": "amount", "as": "total"}]
    outcomes = engine.run([read("amount"), call("aggregate", "a", rel="e", aggs=aggs), call("execute", rel="a")])
    assert all(outcome.ok for outcome in outcomes)
    assert engine.result(1).rows == ((7.5,),)


def test_a_truth_value_is_a_predicate(engine: Engine) -> None:
    active = call("filter_expr", "f", rel="e", predicate="data ->> '$.active'")
    outcomes = engine.run([active, call("execute", rel="f")])
    assert all(outcome.ok for outcome in outcomes)
    assert [row[0] for row in engine.result(1).rows] == [1]


@pytest.mark.parametrize(("value", "answer"), [("5", "yes"), (5, "yes"), (2.5, "yes"), ("25", "no")])
def test_a_number_is_found(engine: Engine, value: Any, answer: str) -> None:
    _, outcome = engine.run([read("amount"), call("value_exists", rel="e", column="amount", value=value)])
    assert outcome.text.startswith(answer)


def test_a_join_knows_that_an_integer_meets_several_spellings(engine: Engine) -> None:
    *_, joined = engine.run(
        [
            read("key"),
            call("aggregate", "k", rel="e", group_by=["key"]),
            call("table_ref", "t", table="events"),
            call("join_table", "j", left="t", right="k", how="inner", on=[["id", "key"]]),
        ]
    )
    assert "rows of t repeat: 1 row with a match became 2 rows" in " ".join(joined.warnings)
