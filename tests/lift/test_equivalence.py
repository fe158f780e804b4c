"""The proof: a lifted program returns what the database itself returns for the SQL, on all four dialects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.engine.lift import lift
from agents.engine.lift.batch import compiled, is_equal
from agents.engine.programs import open_door
from agents.errors import CannotLiftError, ExecutionError
from connections.catalogue import DialectName
from connections.door import Door
from tests.databases import DIALECTS, scratch
from tests.lift.random_sql import RandomSql
from tests.lift.shop import TABLES

SEEDS = 3_000 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 60


# DuckDB's own answer is not that of the other three: it takes a nested EXISTS for false under a NOT EXISTS.
WRONG_THEMSELVES = {("duckdb", 1217)}


def statements() -> Iterator[tuple[str, str]]:
    """(dialect, SQL) for every line of statements.sql, corners.sql and analyst.sql."""
    dialects: tuple[str, ...] = DIALECTS
    for line in [line for name in ("statements.sql", "corners.sql", "analyst.sql") for line in ("", *_lines(name))]:
        if line.startswith("-- only: "):
            dialects = tuple(line.removeprefix("-- only: ").split())
        elif line.startswith("-- but: "):
            dialects = tuple(d for d in DIALECTS if d not in line.removeprefix("-- but: ").split())
        elif not line.strip():
            dialects = DIALECTS
        elif not line.startswith("--"):
            yield from ((dialect, line) for dialect in dialects)


def _lines(name: str) -> list[str]:
    return (Path(__file__).parent / name).read_text().splitlines()


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Door]]:
    opened: dict[str, Door] = {}
    tables = TABLES + "\n".join(_lines("analyst_tables.sql"))
    scratches = [scratch(dialect, tables, tmp_path_factory.mktemp(dialect)) for dialect in DIALECTS]
    for dialect, database in zip(DIALECTS, scratches, strict=True):
        opened[dialect] = open_door(database.__enter__())
    yield opened
    for door, database in zip(opened.values(), scratches, strict=True):
        door.close()
        database.__exit__(None, None, None)


@pytest.mark.parametrize(("dialect", "sql"), list(statements()))
def test_the_program_returns_what_the_sql_returns(doors: dict[str, Door], dialect: DialectName, sql: str) -> None:
    door = doors[dialect]
    lifted = lift(sql, door.catalogue, dialect)
    statement, failure = compiled(lifted, door)
    assert failure is None
    wanted, got = door.query(sql), door.query(statement)
    assert is_equal(wanted, got, lifted), f"{statement}\nwanted {wanted.rows}\ngot {got.rows}"


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("postgresql", 'SELECT kind AS Kind, SUM(amount) AS NumSold, MAX(id) AS "Last" FROM sales GROUP BY kind'),
        ("postgresql", "WITH t (K, V) AS (SELECT Name, ID FROM Staff) SELECT T.*, V AS Again FROM t"),
        ("postgresql", "SELECT * FROM (SELECT Wage, Name AS N FROM staff) AS d (W)"),
        ("postgresql", "SELECT Region_ID FROM staff UNION SELECT id FROM regions"),
        ("duckdb", "SELECT NAME, s.Wage AS Pay FROM staff s"),
        ("duckdb", "SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v"),
        ("sqlite", "SELECT NAME, s.Wage AS Pay FROM staff s"),
        ("sqlite", "SELECT * FROM (VALUES (1, 'x'), (2, 'y'))"),
        ("mysql", "SELECT NAME, s.Wage AS Pay FROM staff s"),
        ("mysql", "SELECT * FROM (VALUES (1, 'x', -2), (2, 'y', 3)) AS v"),
        ("mysql", "SELECT * FROM staff JOIN regions USING (name, id)"),
    ],
)
def test_the_columns_are_called_what_the_database_calls_them(
    doors: dict[str, Door], dialect: DialectName, sql: str
) -> None:
    door = doors[dialect]
    statement, failure = compiled(lift(sql, door.catalogue, dialect), door)
    assert failure is None
    assert [column.name for column in door.query(statement).columns] == [c.name for c in door.query(sql).columns]


@pytest.mark.fuzz
@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_sql_returns_the_same_rows(doors: dict[str, Door], dialect: DialectName) -> None:
    door, different, compared = doors[dialect], [], 0
    for seed in range(SEEDS):
        if (dialect, seed) in WRONG_THEMSELVES:
            continue
        sql = RandomSql(seed, full_joins=dialect != "mysql", any_all=dialect != "sqlite").query()
        try:
            wanted = door.query(sql, seconds=10)
            lifted = lift(sql, door.catalogue, dialect)
        except (ExecutionError, CannotLiftError):
            continue  # this dialect has no such statement, or lifting says what it cannot do
        statement, failure = compiled(lifted, door)
        compared += 1
        if failure is not None or not is_equal(wanted, door.query(statement), lifted):
            different.append((seed, sql, failure))
    assert different == []
    assert compared > SEEDS * 0.9


def test_a_join_that_only_filters_is_written_as_in(doors: dict[str, Door]) -> None:
    door = doors["sqlite"]
    sql = "SELECT name FROM staff WHERE id IN (SELECT staff_id FROM sales WHERE amount > 50)"
    statement, _ = compiled(lift(sql, door.catalogue, "sqlite"), door)
    assert "IN ( SELECT" in " ".join(statement.split())
    assert "JOIN" not in statement


@pytest.mark.parametrize("sql", ["SELECT DISTINCT code FROM codes", "SELECT DISTINCT a, b FROM pairs"])
def test_distinct_merges_rows_with_a_null_in_a_primary_key_of_sqlite(tmp_path: Path, sql: str) -> None:
    tables = """
        CREATE TABLE codes (code TEXT PRIMARY KEY); INSERT INTO codes VALUES ('x'), (NULL), (NULL);
        CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
        INSERT INTO pairs VALUES (1, 1), (NULL, 1), (NULL, 1);
    """
    with scratch("sqlite", tables, tmp_path) as url, open_door(url) as door:
        statement, _ = compiled(lift(sql, door.catalogue, "sqlite"), door)
        assert sorted(map(str, door.query(statement).rows)) == sorted(map(str, door.query(sql).rows))
