"""A dot in a table's own name never makes it stand for a table of a schema, or the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.engine.engine import Engine
from agents.engine.lift import lift
from agents.engine.lift.batch import compiled
from agents.engine.programs import open_door
from agents.errors import UnknownTableError
from connections.door import Door

SQL = """
CREATE SCHEMA a; CREATE SCHEMA "a.b";
CREATE TABLE a.b (x INTEGER); INSERT INTO a.b VALUES (1);
CREATE TABLE public."a.b" (x INTEGER); INSERT INTO public."a.b" VALUES (2);
CREATE TABLE a.c (x INTEGER); INSERT INTO a.c VALUES (3);
CREATE TABLE public.c (x INTEGER); INSERT INTO public.c VALUES (4);
CREATE TABLE a.d (x INTEGER); CREATE TABLE public.d (x INTEGER); CREATE TABLE public."a.d" (x INTEGER);
CREATE TABLE a."b.e" (x INTEGER); CREATE TABLE "a.b".e (x INTEGER);
"""


@pytest.fixture
def door(new_database: Callable[[str, str], str]) -> Iterator[Door]:
    with open_door(new_database("postgresql", SQL)) as door:
        yield door


def call(op: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args} | ({"out": out} if out else {})


@pytest.mark.parametrize(
    ("name", "value"),
    [("b", 1), ("a.b", 2), ("public.a.b", 2), ("c", 4), ("a.c", 3)],
)
def test_the_table_that_was_named_is_read(door: Door, name: str, value: int) -> None:
    engine = Engine(door)
    outcomes = engine.run([call("table_ref", "t", table=name), call("execute", rel="t")])
    assert all(outcome.ok for outcome in outcomes), outcomes[-1].text
    assert engine.result(1).rows == ((value,),)


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT x FROM a.b", 1), ('SELECT x FROM "a.b"', 2), ("SELECT x FROM c", 4),
        ("SELECT x FROM a.c", 3), ("SELECT c.x FROM c JOIN a.c AS d ON c.x > d.x", 4),
    ],
)  # fmt: skip
def test_a_lifted_statement_reads_its_own_tables(door: Door, sql: str, value: int) -> None:
    statement, failure = compiled(lift(sql, door.catalogue, door.dialect), door)
    assert failure is None
    assert door.query(statement).rows == ((value,),)


def test_two_tables_that_look_alike_are_refused(door: Door) -> None:
    (told,) = Engine(door).run([call("table_ref", "t", table="e")])
    assert told.error is not None
    assert told.error.type == "UnknownTableError"


def test_a_table_that_cannot_be_named_is_not_lifted_as_another(door: Door) -> None:
    with pytest.raises(UnknownTableError, match="is also the name of another table"):
        lift("SELECT x FROM a.d", door.catalogue, door.dialect)
