"""Where a database takes a text for a number: what equals what, and what it says of a text that is none."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.engine.engine import Engine, EngineSettings
from agents.engine.lift import lift
from agents.engine.programs import open_door
from tests.engine.data import create_sql
from tests.engine.test_engine import CUSTOMERS, NewDatabase, call


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_a_number_meets_every_text_that_reads_as_it(new_database: NewDatabase, dialect: str) -> None:
    create = (
        "CREATE TABLE n (id INTEGER PRIMARY KEY NOT NULL); INSERT INTO n VALUES (1);"
        "CREATE TABLE t (code VARCHAR(5) PRIMARY KEY NOT NULL); INSERT INTO t VALUES ('1'), ('01');"
    )
    with open_door(new_database(dialect, create)) as door:
        engine = Engine(door)
        engine.run([call("table_ref", "n", table="n"), call("table_ref", "t", table="t")])
        joined = call("join_table", "j", left="n", right="t", how="inner", on=[["id", "code"]])
        count = call("aggregate", "c", rel="j", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}])
        outcome = engine.run([joined, count, call("execute", rel="c")])[0]
        assert engine.result(1).rows == ((2,),)
        assert "rows of n repeat" in " ".join(outcome.warnings)
        sql = "SELECT DISTINCT n.id FROM n JOIN t ON n.id = t.code"
        again = Engine(door)
        again.run(lift(sql, door.catalogue, door.dialect).program)
        assert again.result(1).rows == ((1,),)


@pytest.mark.parametrize("dialect", ["duckdb", "postgresql"])
def test_without_permission_a_database_that_quotes_values_is_not_quoted(new_database: Any, dialect: str) -> None:
    with open_door(new_database(dialect, create_sql())) as door:
        told = []
        for send in (True, False):
            engine = Engine(door, settings=EngineSettings(send_values=send))
            cast = call("derive_column", "d", rel="customers", expr="CAST(name AS INTEGER)", name="n")
            told.append(engine.run([CUSTOMERS, cast, call("execute", rel="d")])[-1])
    sent, held = told
    assert re.search(r"\bann\b", sent.text), "this is what it says"
    assert held.error is not None
    assert held.error.type == "ExecutionError"
    assert not re.search(r"\bann\b", held.text + held.error.message)
    assert "query log" in held.text
