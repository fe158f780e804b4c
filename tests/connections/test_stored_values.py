"""What a database stores is what a cell says, on every database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from connections.contracts import Limits, Rows
from connections.drivers import driver_for
from connections.values import to_cell
from tests.connections.servers import ask as run

NewDatabase = Callable[..., str]

POSTGRES = [
    ("'infinity'::date", "infinity", "date"),
    ("'0044-03-15 BC'::date", "0044-03-15 BC", "date"),
    ("'10000-01-01'::date", "10000-01-01", "date"),
    ("'0001-01-01'::date", "0001-01-01", "date"),
    ("'2026-03-29 02:30:00'::timestamp", "2026-03-29T02:30:00", "timestamp"),
    ("'-infinity'::timestamp", "-infinity", "timestamp"),
    ("'2026-07-01 12:00:00.123456+05:30'::timestamptz AT TIME ZONE 'UTC'", "2026-07-01T06:30:00.123456", "timestamp"),
    ("'24:00'::time", "24:00:00", "time"),
    ("'10:00:00+02'::timetz", "10:00:00+02:00", "time"),
    ("'1 mon 2 days'::interval", "P1M2D", "interval"),
    ("'-1 year 3 days 04:05:06.7'::interval", "P-1Y3DT4H5M6.7S", "interval"),
    ("'1 day'::interval * 40", "P40D", "interval"),
    ("9007199254740993::bigint", "9007199254740993", "integer"),
    ("0.10::numeric(10, 2)", "0.10", "decimal"),
    ("'NaN'::numeric", "NaN", "decimal"),
    ("'Infinity'::numeric", "Infinity", "decimal"),
    ("1e400::numeric", "1" + "0" * 400, "decimal"),
    ("0.1::real", 0.1, "float"),
    ("'-Infinity'::float8", "-Infinity", "float"),
    ("'$1,000.50'::money", "$1,000.50", "unknown"),
    ("'10.0.0.1/8'::inet", "10.0.0.1/8", "network"),
    ("'10.0.0.0/8'::cidr", "10.0.0.0/8", "network"),
    ("int4range(1, 5)", "[1,5)", "range"),
    ("tstzrange(NULL, NULL)", "(,)", "range"),
    ("ARRAY[1.50, NULL]::numeric[]", ["1.50", None], "array"),
    ("ARRAY[['a', 'b'], ['c', 'd,\"e']]", [["a", "b"], ["c", 'd,"e']], "array"),
    ("ARRAY['1 mon'::interval]", ["P1M"], "array"),
    ("ARRAY['sad']::mood[]", ["sad"], "array"),
    ("'ok'::mood", "ok", "enum"),
    ("""'{"a": 12345678901234567890.12345, "b": [1.5, null]}'::jsonb""",
     {"a": "12345678901234567890.12345", "b": [1.5, None]}, "json"),
    ("'\"just text\"'::json", "just text", "json"),
    ("'\\x00ff'::bytea", {"hex": "00ff"}, "bytes"),
    ("ROW(1, 'x')", ["1", "x"], "struct"),
    ("'(1,2)'::point", "(1,2)", "unknown"),
    ("B'101'", "101", "unknown"),
    ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "uuid"),
    ("'<a/>'::xml", "<a/>", "unknown"),
    ("NULL", None, "text"),
    ("'   '::char(5)", "     ", "text"),
    ("E'tab\\there'", "tab\there", "text"),
    ("true", True, "boolean"),
    ("'a=>1'::text || chr(128512)", "a=>1😀", "text"),
]  # fmt: skip

DUCKDB = [
    ("'infinity'::DATE", "infinity", "date"),
    ("DATE '2026-07-24'", "2026-07-24", "date"),
    ("TIMESTAMP '2026-03-29 02:30:00'", "2026-03-29T02:30:00", "timestamp"),
    ("'2026-01-01 00:00:00.123456789'::TIMESTAMP_NS", "2026-01-01 00:00:00.123456789", "timestamp"),
    ("INTERVAL '1 month 2 days'", "P1M2D", "interval"),
    ("INTERVAL '-1 month' + INTERVAL '90 minutes'", "P-1MT1H30M", "interval"),
    ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727", "integer"),
    ("18446744073709551615::UBIGINT", "18446744073709551615", "integer"),
    ("1.10::DECIMAL(10, 2)", "1.10", "decimal"),
    ("0.1::FLOAT", 0.1, "float"),
    ("16777217::FLOAT", 16777216.0, "float"),
    ("1 / 0", "Infinity", "float"),
    ("MAP {'a': 1}", {"a": 1}, "struct"),
    ("{'a': 1.50, 'b': [1, 2]}", {"a": "1.50", "b": [1, 2]}, "struct"),
    ("[INTERVAL '1 month']", ["1 month"], "array"),
    ("'{\"a\": 12345678901234567890.123}'::JSON", {"a": "12345678901234567890.123"}, "json"),
    ("'x'::ENUM ('x', 'y')", "x", "enum"),
    ("'\\x00\\xFF'::BLOB", {"hex": "00ff"}, "bytes"),
    ("TIME '23:59:59.5'", "23:59:59.500000", "time"),
    ("'101'::BIT", "101", "unknown"),
    ("uuid '00000000-0000-0000-0000-000000000001'", "00000000-0000-0000-0000-000000000001", "uuid"),
]  # fmt: skip

MYSQL = [
    ("CAST('0001-01-01' AS DATE)", "0001-01-01", "date"),
    ("(SELECT zero FROM odd)", "0000-00-00", "date"),
    ("(SELECT half FROM odd)", "2026-00-15", "date"),
    ("CAST('2026-03-29 02:30:00.500' AS DATETIME(3))", "2026-03-29T02:30:00.500000", "timestamp"),
    ("CAST('09:05:00' AS TIME)", "09:05:00", "time"),
    ("CAST('-838:59:59' AS TIME)", "-838:59:59", "time"),
    ("(SELECT big FROM odd)", "18446744073709551615", "integer"),
    ("(SELECT flags FROM odd)", 5, "integer"),
    ("(SELECT MAX(flags) + 0 FROM odd)", 5, "integer"),
    ("(SELECT feeling FROM odd)", "ok", "text"),
    ("(SELECT several FROM odd)", "a,b", "text"),
    ("CAST(0.10 AS DECIMAL(10, 2))", "0.10", "decimal"),
    ("0.1e0", 0.1, "float"),
    ("X'00FF'", {"hex": "00ff"}, "bytes"),
    ("(SELECT raw FROM odd)", {"hex": "c3a9"}, "bytes"),
    ("'é😀'", "é😀", "text"),
    ("2 > 1", 1, "integer"),
    ("(SELECT made FROM odd)", 2026, "integer"),
]  # fmt: skip
MYSQL_TABLE = """
SET SESSION sql_mode = '';
CREATE TABLE odd (zero DATE, half DATE, big BIGINT UNSIGNED, flags BIT(3), feeling ENUM('sad', 'ok'),
  several SET('a', 'b'), raw VARBINARY(5), made YEAR);
INSERT INTO odd VALUES ('0000-00-00', '2026-00-15', 18446744073709551615, b'101', 'ok', 'a,b', X'C3A9', 2026)
"""


def ask(url: str, sql: str, **limits: Any) -> Rows:
    session = driver_for(url).open(Limits(**limits))
    try:
        return session.query(sql, max_rows=100, max_bytes=1 << 26, seconds=20)
    finally:
        session.close()


@pytest.mark.parametrize(
    ("dialect", "setup", "values"),
    [
        ("postgresql", "CREATE TYPE mood AS ENUM ('sad', 'ok')", POSTGRES),
        ("duckdb", "", DUCKDB),
        ("mysql", MYSQL_TABLE, MYSQL),
    ],
)
def test_every_value_arrives_exactly(
    new_database: NewDatabase, dialect: str, setup: str, values: list[tuple[str, Any, str]]
) -> None:
    url = new_database(dialect, setup)
    rows = ask(url, "SELECT " + ", ".join(f"{expression} AS c{n}" for n, (expression, _, _) in enumerate(values)))
    found = [
        (expression, to_cell(value), column.semantic)
        for (expression, _, _), value, column in zip(values, rows.rows[0], rows.columns, strict=True)
    ]
    assert found == values
    json.dumps([cell for _, cell, _ in found], allow_nan=False)


def test_bits_are_numbers_whether_stored_or_made(new_database: NewDatabase) -> None:
    url = new_database("mysql", MYSQL_TABLE)
    assert ask(url, "SELECT flags, COALESCE(flags, 0) FROM odd").rows == ((5, 5),)


def test_an_instant_carries_its_offset(new_database: NewDatabase) -> None:
    for dialect, zone in (("postgresql", "Asia/Kolkata"), ("postgresql", "UTC")):
        url = new_database(dialect)
        name = make_url(url).database
        run(url, f"ALTER DATABASE {name} SET TimeZone = '{zone}'")
        (value,) = ask(url, "SELECT '2026-07-01 00:00:00+00'::timestamptz").rows[0]
        assert to_cell(value) == {"Asia/Kolkata": "2026-07-01T05:30:00+05:30", "UTC": "2026-07-01T00:00:00+00:00"}[zone]
    (value,) = ask(new_database("duckdb"), "SELECT TIMESTAMPTZ '2026-07-01 00:00:00+00'").rows[0]
    assert value.timestamp() == 1782864000


def test_sqlite_values_keep_their_own_kinds(new_database: NewDatabase) -> None:
    values = "(1), (1.5), ('x'), (x'00ff'), (NULL), (9e999)"
    url = new_database("sqlite", f"CREATE TABLE t (v); INSERT INTO t VALUES {values}")
    assert [to_cell(row[0]) for row in ask(url, "SELECT v FROM t").rows] == [
        1, 1.5, "x", {"hex": "00ff"}, None, "Infinity",
    ]  # fmt: skip


def test_a_text_that_is_not_utf8_is_shown_as_well_as_possible(new_database: NewDatabase) -> None:
    url = new_database("sqlite", "CREATE TABLE t (v TEXT)")
    with sqlite3.connect(str(make_url(url).database)) as connection:
        connection.execute("INSERT INTO t VALUES (CAST(x'6166ff' AS TEXT))")
    connection.close()
    assert ask(url, "SELECT v FROM t").rows == (("af\ufffd",),)


def test_a_server_with_other_formats_is_still_read_exactly(new_database: NewDatabase) -> None:
    url = new_database("postgresql")
    name = make_url(url).database
    for setting in ("DateStyle = 'German'", "IntervalStyle = 'sql_standard'", "bytea_output = 'escape'",
                    "extra_float_digits = -10", "standard_conforming_strings = off"):  # fmt: skip
        run(url, f"ALTER DATABASE {name} SET {setting}")
    sql = r"SELECT DATE '2026-07-24', INTERVAL '1 mon 2 days', '\x00ff'::bytea, 0.1::float8 / 3, 'a\b'"
    (row,) = ask(url, sql).rows
    assert [to_cell(value) for value in row] == ["2026-07-24", "P1M2D", {"hex": "00ff"}, 0.1 / 3, "a\\b"]


def test_a_long_document_is_cut_not_parsed(new_database: NewDatabase) -> None:
    url = new_database("postgresql")
    rows = ask(url, "SELECT json_agg(i) AS j, array_agg(i) AS a FROM generate_series(1, 100000) i", cell_bytes=1000)
    assert rows.cut_cells == 2
    assert all("cut" in value for value in rows.rows[0])


LONG_BYTES = {
    "sqlite": "CAST('abcdefgh' AS BLOB)",
    "duckdb": "'abcdefgh'::BLOB",
    "postgresql": "convert_to('abcdefgh', 'utf8')",
    "mysql": "CAST('abcdefgh' AS BINARY)",
}


def test_the_cell_of_bytes_that_were_cut_says_so(new_database: NewDatabase, dialect: str) -> None:
    rows = ask(new_database(dialect), f"SELECT {LONG_BYTES[dialect]} AS raw, 1 AS one", cell_bytes=5)
    assert (rows.cut_cells, to_cell(rows.rows[0][0])) == (1, {"hex": "6162636465", "cut": True})


@pytest.mark.parametrize("rows", [1, 99_999])
def test_order_is_kept_when_duckdb_casts(new_database: NewDatabase, rows: int) -> None:
    url = new_database("duckdb")
    sql = f"SELECT i, DATE '2026-01-01' + i::INTEGER AS d FROM range({rows}) t(i) ORDER BY i % 7, i DESC"
    session = driver_for(url).open(Limits())
    found = session.query(sql, max_rows=100_000, max_bytes=1 << 28, seconds=20).rows
    session.close()
    assert [row[0] for row in found] == sorted(range(rows), key=lambda i: (i % 7, -i))
