"""Probes look into one column, within bounds, and say what they saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from tests.engine.data import create_sql

CITIES = """
CREATE TABLE places (city VARCHAR(40), size INTEGER);
INSERT INTO places VALUES ('Lisbon', 1), ('Lisbon', 2), ('Porto', 3), ('100%', 4), ('a_b', 5), ('it''s \\ "x"', 6),
 (NULL, 7), ('', 8);
"""


@pytest.fixture
def engine(new_database: Callable[[str, str], str], dialect: str) -> Iterator[Engine]:
    cities = CITIES.replace("\\", "\\\\") if dialect == "mysql" else CITIES
    with open_door(new_database(dialect, create_sql() + cities)) as door:
        engine = Engine(door)
        engine.call({"op": "table_ref", "args": {"table": "places"}, "out": "p"})
        yield engine


def observed(engine: Engine, op: str, **args: Any) -> str:
    outcome = engine.call({"op": op, "args": {"rel": "p", **args}})
    assert outcome.ok, outcome.text
    assert not outcome.handle
    return outcome.text


def test_values_come_with_their_counts_the_most_frequent_first(engine: Engine) -> None:
    head, first, *rest = observed(engine, "probe_values", column="city", limit=2).splitlines()
    assert head == "city: 6 distinct values, 8 rows, 1 NULL"
    assert first == "Lisbon: 2"
    assert rest[-1] == "… and 4 more values"


@pytest.mark.parametrize(
    ("text", "found"), [("%", "100%"), ("_", "a_b"), ("LISB", "Lisbon"), ("'s \\", 'it\'s \\ "x"')]
)
def test_contains_is_a_literal_text_in_any_letter_case(engine: Engine, text: str, found: str) -> None:
    head, only = observed(engine, "probe_values", column="city", contains=text).splitlines()
    assert head.startswith("city: 1 distinct value containing")
    assert only.startswith(found)


@pytest.mark.parametrize(
    ("column", "value", "answer"),
    [
        ("city", "Lisbon", "yes: city = Lisbon in 2 rows"),
        ("city", 'it\'s \\ "x"', "yes: city = it's"),
        ("city", None, "yes: city = NULL in 1 row"),
        ("city", "x'; DROP TABLE places; --", "no: city never equals"),
        ("size", "3", "yes: size = 3 in 1 row"),
        ("size", 3.0, "yes: size = 3.0 in 1 row"),
        ("size", "three", "no: size never equals three; stored values go from 1 to 8"),
        ("size", 99, "no: size never equals 99; stored values go from 1 to 8"),
    ],
)
def test_existence_is_exact(engine: Engine, column: str, value: Any, answer: str) -> None:
    assert observed(engine, "value_exists", column=column, value=value).startswith(answer)


@pytest.mark.parametrize(
    ("dialect", "declared", "stored", "value", "answer"),
    [
        ("sqlite", "INTEGER", "(1), ('N/A')", "N/A", "yes: v = N/A in 1 row"),
        ("sqlite", "INTEGER", "(1), ('N/A')", "n/a", "no: v never equals n/a; stored values go from 1 to N/A"),
        ("sqlite", "REAL", "(1e999), (1)", "Infinity", "yes: v = Infinity in 1 row"),
        ("sqlite", "BOOLEAN", "('Y'), ('N')", "Y", "yes: v = Y in 1 row"),
        ("sqlite", "BOOLEAN", "('true'), (1), (0)", True, "yes: v = true in 2 rows"),
        ("sqlite", "BOOLEAN", "('true'), (1), (0)", "false", "yes: v = false in 1 row"),
        ("sqlite", "BOOLEAN", "(1)", False, "no: v never equals false"),
        ("postgresql", "float8", "('NaN'), (1)", "NaN", "yes: v = NaN in 1 row"),
        ("postgresql", "float8", "('-Infinity'), (1)", "-Infinity", "yes: v = -Infinity in 1 row"),
        ("postgresql", "boolean", "(true), (false)", "yes", "no: v never equals yes"),
        ("duckdb", "DOUBLE", "('NaN'), (1)", "NaN", "yes: v = NaN in 1 row"),
        ("duckdb", "DOUBLE", "('-Infinity'), (1)", "-Infinity", "yes: v = -Infinity in 1 row"),
        ("mysql", "BOOLEAN", "(2), (1)", "2", "yes: v = 2 in 1 row"),
        ("mysql", "INTEGER", "(0), (1)", "none", "no: v never equals none; stored values go from 0 to 1"),
    ],
)
def test_a_value_that_is_none_of_its_columns_type_is_found_as_it_is_spelled(
    new_database: Callable[[str, str], str], dialect: str, declared: str, stored: str, value: Any, answer: str
) -> None:
    sql = f"CREATE TABLE odd (v {declared}); INSERT INTO odd VALUES {stored};"
    with open_door(new_database(dialect, sql)) as door:
        engine = Engine(door)
        engine.call({"op": "table_ref", "args": {"table": "odd"}, "out": "p"})
        assert observed(engine, "value_exists", column="v", value=value).startswith(answer)


def test_a_value_that_is_missing_brings_the_nearest_stored_ones(engine: Engine) -> None:
    assert "nearest stored values: Porto" in observed(engine, "value_exists", column="city", value="Portoo")


def test_similar_values_come_with_scores_the_nearest_first(engine: Engine) -> None:
    lines = observed(engine, "sim_value_in", column="city", value="LISBOA", k=1).splitlines()
    assert lines[1:] == ["Lisbon: 83"]


def test_similar_values_are_narrowed_in_the_database_when_there_are_many(
    new_database: Callable[[str, str], str], dialect: str
) -> None:
    values = ", ".join(f"('name {i:04}')" for i in range(600))
    sql = f"CREATE TABLE t (name VARCHAR(20)); INSERT INTO t VALUES {values}, ('Zanzibar');"
    with open_door(new_database(dialect, sql)) as door:
        engine = Engine(door, settings=EngineSettings(distinct_values=100))
        engine.call({"op": "table_ref", "args": {"table": "t"}, "out": "t"})
        text = engine.call({"op": "sim_value_in", "args": {"rel": "t", "column": "name", "value": "zanzibra"}}).text
    assert "of more than 100" in text
    assert "Zanzibar: 88" in text


@pytest.mark.parametrize("limit", [100, 20_000], ids=["the engine's limit", "the limit of the connection"])
def test_the_same_value_is_found_among_very_many_that_share_letters_with_it(
    new_database: Callable[[str, str], str], dialect: str, limit: int
) -> None:
    values = ", ".join(f"('acute failure of kind {i:04}')" for i in range(900))
    sql = f"CREATE TABLE t (name VARCHAR(60)); INSERT INTO t VALUES {values}, ('failure, unspecified');"
    driver = driver_for(new_database(dialect, sql))
    with Door(driver, driver.catalogue(), Limits(rows=150)) as door:
        engine = Engine(door, settings=EngineSettings(distinct_values=limit))
        engine.call({"op": "table_ref", "args": {"table": "t"}, "out": "t"})
        args = {"rel": "t", "column": "name", "value": "Failure, unspecified", "k": 1}
        head, nearest = engine.call({"op": "sim_value_in", "args": args}).text.splitlines()
    assert "that share most letters with it (of more than 1" in head
    assert nearest == "failure, unspecified: 100"


def test_a_probe_that_would_take_too_long_looks_at_a_sample_and_says_so(
    new_database: Callable[[str, str], str],
) -> None:
    with open_door(new_database("sqlite", create_sql())) as door:
        assert _sampled(door, EngineSettings(probe_seconds=0.4, sample_rows=500)).startswith(
            "id in the first 500 rows (a sample): "
        )


def _sampled(door: Door, settings: EngineSettings) -> str:
    engine = Engine(door, settings=settings)
    engine.call({"op": "table_ref", "args": {"table": "orders"}, "out": "j0"})
    for i in range(1, 9):  # 8 to the power of 9 rows
        join = {"left": f"j{i - 1}", "right": "j0", "how": "cross"}
        engine.call({"op": "join_table", "args": join, "out": f"j{i}"})
    return engine.call({"op": "probe_values", "args": {"rel": "j8", "column": "id"}}).text


@pytest.mark.parametrize(
    ("dialect", "declared", "value", "shown"),
    [
        ("postgresql", "xml", "'<a>Lisbon</a>'", "<a>Lisbon</a>"),
        ("postgresql", "point", "'(1.5,2)'", "(1.5,2)"),
        ("postgresql", "json", """'{"a": 1}'""", '{"a": 1}'),
        ("duckdb", "BIT", "'0101'", "0101"),
    ],
)
def test_a_type_that_knows_no_equality_or_no_letters_is_looked_at_as_text(
    new_database: Callable[[str, str], str], dialect: str, declared: str, value: str, shown: str
) -> None:
    sql = f"CREATE TABLE odd (v {declared}); INSERT INTO odd VALUES ({value}), ({value}), (NULL);"
    with open_door(new_database(dialect, sql)) as door:
        engine = Engine(door)
        engine.call({"op": "table_ref", "args": {"table": "odd"}, "out": "p"})
        assert observed(engine, "probe_values", column="v").endswith(f"1 distinct value, 3 rows, 1 NULL\n{shown}: 2")
        assert observed(engine, "probe_values", column="v", contains=shown[1:3]).endswith(f"{shown}: 2")
        assert observed(engine, "value_exists", column="v", value="a").startswith("no")
        assert shown in observed(engine, "sim_value_in", column="v", value=shown)


def test_any_value_of_everything_is_there_for_types_without_an_order(new_database: Callable[[str, str], str]) -> None:
    sql = "CREATE TABLE odd (v boolean, j jsonb); INSERT INTO odd VALUES (true, '{\"a\": 1}');"
    with open_door(new_database("postgresql", sql)) as door:
        engine = Engine(door)
        engine.call({"op": "table_ref", "args": {"table": "odd"}, "out": "p"})
        aggs = [{"fn": "any_value", "column": name, "as": name} for name in ("v", "j")]
        engine.call({"op": "aggregate", "args": {"rel": "p", "aggs": aggs}, "out": "a"})
        assert engine.call({"op": "execute", "args": {"rel": "a"}}).ok
