"""Date buckets come out alike on all databases, at the edges of years, weeks, months and of what dates can be."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from agents.dsl.date_buckets import DATE_BUCKETS
from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from connections.catalogue import DialectName
from connections.values import to_cell

MOMENTS = [datetime.fromisoformat(text) for text in (
    "2024-12-31T23:59:59", "2025-01-01T00:00:00", "2020-12-31T12:30:45", "2021-01-03T23:59:59", "2021-01-04T00:00:00",
    "2016-01-01T06:07:08", "2024-02-29T10:00:00", "1900-02-28T23:00:00", "2000-02-29T00:00:01", "1969-12-31T23:59:59",
    "1970-01-01T00:00:00", "1582-10-15T01:00:00", "0987-05-06T07:08:09", "2024-03-31T02:30:00", "2024-06-30T23:59:59",
    "2024-07-01T00:00:00", "9999-12-31T23:59:59", "2009-12-28T00:00:00", "2010-01-03T15:16:17",
)]  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
CREATE = "CREATE TABLE happened (id INTEGER, moment {type}, on_day DATE);"
TYPES = {"sqlite": "TIMESTAMP", "duckdb": "TIMESTAMP", "postgresql": "TIMESTAMP", "mysql": "DATETIME"}
OF_TIME = ("second", "minute", "hour", "hour of the day")


def day(moment: datetime) -> str:
    return moment.date().isoformat()


EXPECTED: dict[str, Callable[[datetime], Any]] = {
    "second": lambda m: m.isoformat(" "),
    "minute": lambda m: m.replace(second=0).isoformat(" "),
    "hour": lambda m: m.replace(minute=0, second=0).isoformat(" "),
    "day": day,
    "week": lambda m: day(m - timedelta(days=m.isoweekday() - 1)),
    "week from Sunday": lambda m: day(m - timedelta(days=m.isoweekday() % 7)),
    "month": lambda m: day(m.replace(day=1)),
    "quarter": lambda m: day(m.replace(month=(m.month - 1) // 3 * 3 + 1, day=1)),
    "year": lambda m: day(m.replace(month=1, day=1)),
    "hour of the day": lambda m: m.hour,
    "day of the week": lambda m: m.isoweekday(),
    "day of the month": lambda m: m.day,
    "day of the year": lambda m: m.timetuple().tm_yday,
    "number of the week": lambda m: m.isocalendar().week,
    "year of the week": lambda m: m.isocalendar().year,
    "number of the month": lambda m: m.month,
    "number of the quarter": lambda m: (m.month + 2) // 3,
    "number of the year": lambda m: m.year,
    "name of the day": lambda m: DAYS[m.isoweekday() - 1],
    "name of the month": lambda m: MONTHS[m.month - 1],
    "year and month": lambda m: f"{m.year:04}-{m.month:02}",
    "year and quarter": lambda m: f"{m.year:04}-Q{(m.month + 2) // 3}",
}


def bucket(name: str, column: str, dialect: DialectName) -> str:
    """The expression that puts `column`, already quoted, into the bucket `name`."""
    return DATE_BUCKETS[dialect][name].replace("{x}", column)


def test_every_dialect_has_every_bucket() -> None:
    assert {dialect: set(buckets) for dialect, buckets in DATE_BUCKETS.items()} == dict.fromkeys(TYPES, set(EXPECTED))


@pytest.mark.parametrize("column", ["moment", "on_day"])
def test_a_bucket_is_the_same_on_every_database(
    new_database: Callable[[str, str], str], dialect: str, column: str
) -> None:
    rows = ", ".join(f"({n}, '{moment.isoformat(' ')}', '{day(moment)}')" for n, moment in enumerate(MOMENTS))
    url = new_database(dialect, CREATE.format(type=TYPES[dialect]) + f"INSERT INTO happened VALUES {rows};")
    names = [name for name in EXPECTED if column == "moment" or name not in OF_TIME]
    with open_door(url) as door:
        engine = Engine(door, settings=EngineSettings(warnings=False))
        calls: list[dict[str, Any]] = [{"op": "table_ref", "args": {"table": "happened"}, "out": "t"}]
        quote = "`" if dialect == "mysql" else '"'
        for name in names:
            expr = bucket(name, quote + column + quote, door.dialect)
            calls.append({"op": "derive_column", "args": {"rel": "t", "name": name, "expr": expr}, "out": "t"})
        calls += [
            {"op": "order_by", "args": {"rel": "t", "keys": [["id", "asc"]]}, "out": "t"},
            {"op": "select_columns", "args": {"rel": "t", "columns": names}, "out": "t"},
            {"op": "execute", "args": {"rel": "t"}},
        ]
        outcomes = engine.run(calls)
        assert outcomes[-1].ok, [outcome.text for outcome in outcomes if not outcome.ok]
        found = engine.result(1).rows
    for moment, row in zip(MOMENTS, found, strict=True):
        told = {name: _told(value) for name, value in zip(names, row, strict=True)}
        assert told == {name: EXPECTED[name](moment) for name in names}, moment


def _told(value: Any) -> Any:
    """Moments as one spelling of text."""
    cell = to_cell(value)
    return cell.replace("T", " ") if isinstance(cell, str) and cell[4:5] == "-" else cell


@pytest.mark.parametrize(("dialect", "function", "hint"), [
    ("sqlite", "date_trunc('month', moment)", "date(x, 'start of month')"),
    ("mysql", "DATE_TRUNC('week', moment)", "WEEKDAY(x)"),
    ("postgresql", "monthname(moment)", "to_char(x, 'FMMonth')"),
    ("duckdb", "date_format(moment, '%Y-%m')", "strftime(x, '%Y-%m')"),
])  # fmt: skip
def test_a_date_function_of_another_database_is_answered_with_this_ones(
    new_database: Callable[[str, str], str], dialect: str, function: str, hint: str
) -> None:
    with open_door(new_database(dialect, CREATE.format(type=TYPES[dialect]))) as door:
        engine = Engine(door)
        outcome = engine.run([
            {"op": "table_ref", "args": {"table": "happened"}, "out": "t"},
            {"op": "derive_column", "args": {"rel": "t", "name": "x", "expr": function}},
        ])[-1]  # fmt: skip
    assert outcome.error is not None
    assert outcome.error.type == "ExpressionNotAllowedError"
    assert hint in outcome.text


def test_a_moment_with_a_time_zone_is_cut_in_the_zone_that_is_named(
    new_database: Callable[[str, str], str],
) -> None:
    create = "CREATE TABLE t (moment TIMESTAMPTZ); INSERT INTO t VALUES ('2024-03-31 22:30:00+00');"
    expression = bucket("day", "(moment AT TIME ZONE 'Europe/Lisbon')", "postgresql")
    with open_door(new_database("postgresql", create)) as door:
        engine = Engine(door)
        outcomes = engine.run([
            {"op": "table_ref", "args": {"table": "t"}, "out": "t"},
            {"op": "derive_column", "args": {"rel": "t", "name": "day", "expr": expression}, "out": "d"},
            {"op": "execute", "args": {"rel": "d"}},
        ])  # fmt: skip
        assert outcomes[-1].ok, outcomes[-1].text
        assert str(engine.result(1).rows[0][1]) == "2024-03-31"
        later = bucket("day", "(moment AT TIME ZONE 'Asia/Tokyo')", "postgresql")
        engine.run([{"op": "derive_column", "args": {"rel": "t", "name": "day", "expr": later}, "out": "d"},
                    {"op": "execute", "args": {"rel": "d"}}])  # fmt: skip
        assert str(engine.result(2).rows[0][1]) == "2024-04-01"
