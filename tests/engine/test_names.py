"""Names and texts come through exactly, whatever they hold, also where the database would confuse two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.engine.engine import Engine
from agents.engine.programs import open_door
from connections.door import Door
from tests.engine.data import create_sql

Call = dict[str, Any]


@pytest.fixture
def door(new_database: Callable[[str, str], str], dialect: str) -> Iterator[Door]:
    with open_door(new_database(dialect, create_sql())) as door:
        yield door


def call(op: str, out: str, **args: Any) -> Call:
    return {"op": op, "args": args, "out": out}


def rows_of(engine: Engine, calls: list[Call]) -> list[tuple[Any, ...]]:
    outcomes = engine.run([*calls, {"op": "execute", "args": {"rel": calls[-1]["out"]}}])
    failed = next((outcome.text for outcome in outcomes if not outcome.ok), None)
    assert failed is None, failed
    return [tuple(row) for row in engine.results[-1].rows]


CUSTOMERS = call("table_ref", "c", table="customers")

ODD = [
    'quo"te', "back`tick", "it's", "a.b", "two  blanks", "trailing ", " leading", "50%", "new\nline", "tab\t", "select",
    "[x]", "a;b--", "/* c */", "{x}", "客户", "😀", "é", "é", "__SQLGLOT__LB__", "\\", "\\'", ":x", "?", "%s", "#", "1",
    "true", "n" * 63,
]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_goes_through_every_kind_of_step(door: Door, name: str) -> None:
    engine = Engine(door)
    rows = rows_of(engine, [
        CUSTOMERS,
        call("select_columns", name, rel="c", columns=["id", {"column": "country", "as": name}]),
        call("window_column", "w", rel=name, name=f"{name[:50]}2", fn="count", partition_by=[name]),
        call("order_by", "o", rel="w", keys=[[name, "asc", "nulls_last"], ["id", "asc"]]),
        call("limit", "l", rel="o", n=4),
        call("materialize", "m", rel="l"),
        call("join_table", "j", left="m", right="m", how="inner", on=[[name, name]]),
        call("aggregate", "a", rel="j", group_by=[name], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
        call("order_by", "z", rel="a", keys=[[name, "asc"]]),
    ])  # fmt: skip
    assert rows == [("de", 1), ("pt", 4), ("us", 1)]
    assert [column.name for column in engine.result(1).columns] == [name, "n"]


@pytest.mark.parametrize("text", [*ODD, "", "two\nlines\n  indented", "a\r\nb"])
def test_an_odd_text_is_compared_and_returned_as_it_is(door: Door, text: str) -> None:
    literal = "'" + text.replace("'", "''") + "'"
    if door.dialect == "mysql":
        literal = literal.replace("\\", "\\\\")
    rows = rows_of(Engine(door), [
        CUSTOMERS,
        call("limit", "l", rel="c", n=1),
        call("derive_column", "d", rel="l", name="text", expr=literal),
        call("window_column", "w", rel="d", name="n", fn="row_number"),
        call("filter_expr", "f", rel="w", predicate=f"text = {literal} AND n = 1"),
        call("select_columns", "s", rel="f", columns=["text"]),
    ])  # fmt: skip
    assert rows == [(text,)]


@pytest.mark.parametrize(("one", "other"), [("a", "A"), ("straße", "STRASSE"), ("e", "é"), ("x", "x "), ("ω", "Ω")])
def test_names_that_a_database_would_confuse_stay_apart(door: Door, one: str, other: str) -> None:
    engine = Engine(door)
    rows = rows_of(engine, [
        CUSTOMERS,
        call("select_columns", "s", rel="c", columns=[{"column": "id", "as": one}, {"column": "name", "as": other}]),
        call("distinct", "d", rel="s"),
        call("window_column", "w", rel="d", name="n", fn="row_number", order_by=[[one, "desc"]]),
        call("filter_expr", "f", rel="w", predicate="n < 3"),
        call("materialize", "m", rel="f"),
        call("set_operation", "u", left="m", right="m", kind="union"),
        call("order_by", "o", rel="u", keys=[[other, "asc"]]),
        call("select_columns", "z", rel="o", columns=[other, one]),
    ])  # fmt: skip
    assert rows == [("dan", 4), ("eve", 5)]
    assert [column.name for column in engine.result(1).columns] == [other, one]


@pytest.mark.parametrize("handle", ["orders", "Orders", "ORDERS", "customers"])
def test_a_step_never_captures_a_table(door: Door, handle: str) -> None:
    rows = rows_of(Engine(door), [
        call("table_ref", "t", table="orders"),
        call("aggregate", handle, rel="t", aggs=[{"fn": "max", "column": "id", "as": "top"}]),
        call("materialize", handle, rel=handle),
        call("table_ref", "again", table="orders"),
        call("aggregate", "n", rel="again", aggs=[{"fn": "count", "column": "*", "as": "n"}]),
        call("join_table", "j", left=handle, right="n", how="cross"),
    ])  # fmt: skip
    assert rows == [(17, 8)]


@pytest.mark.parametrize("spoilt", ["a\0b", "\ud800"])
def test_what_no_database_can_store_is_refused(door: Door, spoilt: str) -> None:
    outcome = Engine(door).run([CUSTOMERS, call("filter_expr", "f", rel="c", predicate=f"name = '{spoilt}'")])[-1]
    assert outcome.error is not None
    assert outcome.error.type == "InvalidArgumentError"


def test_a_volatile_value_is_drawn_once_for_each_row(door: Door) -> None:
    draw = "RAND()" if door.dialect == "mysql" else "RANDOM()"
    rows = rows_of(Engine(door), [
        CUSTOMERS,
        call("derive_column", "d", rel="c", name="r", expr=draw),
        call("derive_column", "e", rel="d", name="again", expr="r + 0"),
        call("select_columns", "s", rel="e", columns=["r", "again", {"column": "r", "as": "third"}]),
        call("filter_expr", "f", rel="s", predicate="r = again AND again = third"),
        call("order_by", "o", rel="f", keys=["r"]),
    ])  # fmt: skip
    assert len(rows) == 5
    assert len({row[0] for row in rows}) > 1
    assert rows == sorted(rows)
    assert all(len(set(row)) == 1 for row in rows)
