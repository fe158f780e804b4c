"""What is materialised compares texts as before: CREATE TABLE … AS would lose the collations of SQLite's columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.engine.engine import Engine
from agents.engine.programs import open_door
from connections.door import Door
from connections.drivers import driver_for

SQL = """
CREATE TABLE customers (id INTEGER, name TEXT COLLATE NOCASE, code TEXT COLLATE RTRIM, city TEXT);
INSERT INTO customers VALUES (1, 'Lisbon', 'a  ', 'Faro'), (2, 'LISBON', 'b', 'FARO');
CREATE VIEW people AS SELECT id, name FROM customers;
"""


def call(op: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args} | ({"out": out} if out else {})


def kept(table: str, *between: dict[str, Any]) -> list[dict[str, Any]]:
    """Calls that materialise `t`, made of `table`, as `m`."""
    return [call("table_ref", "t", table=table), *between, call("materialize", "m", rel="t")]


NOCASE = call("derive_column", "t", rel="t", name="town", expr="city COLLATE NOCASE")
CAST = call("derive_column", "t", rel="t", name="town", expr="CAST(name AS TEXT)")
ALONE = call("select_columns", "t", rel="t", columns=["town"])
TWICE = call("materialize", "t", rel="t")


@pytest.mark.parametrize(
    ("calls", "predicate", "rows"),
    [
        pytest.param(kept("customers"), "name = 'lisbon'", 2, id="NOCASE"),
        pytest.param(kept("customers"), "code = 'a'", 1, id="RTRIM"),
        pytest.param(kept("customers"), "city = 'faro'", 0, id="none"),
        pytest.param(kept("customers", CAST, ALONE), "town = 'lisbon'", 2, id="through a cast"),
        pytest.param(kept("customers", NOCASE, ALONE), "town = 'faro'", 2, id="in an expression"),
        pytest.param(kept("people"), "name = 'lisbon'", 2, id="of a view"),
        pytest.param(kept("customers", TWICE), "name = 'lisbon'", 2, id="materialised twice"),
    ],
)
def test_a_materialized_column_keeps_its_collation(
    new_database: Callable[[str, str], str], calls: list[dict[str, Any]], predicate: str, rows: int
) -> None:
    with open_door(new_database("sqlite", SQL)) as door:
        engine = Engine(door)
        outcomes = engine.run(
            [*calls, call("filter_expr", "f", rel="m", predicate=predicate), call("execute", rel="f")]
        )
        assert all(outcome.ok for outcome in outcomes)
        result = engine.result(1)
        assert result.row_count == rows
        assert len(door.query(result.sql).rows) == rows, "what is shown gives the same rows"


def test_columns_without_a_collation_are_stored_once(new_database: Callable[[str, str], str]) -> None:
    ran: list[str] = []
    calls = kept("customers", call("select_columns", "t", rel="t", columns=["id", "city"]))
    driver = driver_for(new_database("sqlite", SQL))
    with Door(driver, driver.catalogue(), log=lambda entry: ran.append(entry.sql)) as door:
        Engine(door).run([*calls, call("execute", rel="m")])
    assert "WITH" not in ran[-1]
