"""The door: every statement is guarded, limited and logged, on every database."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from connections.contracts import Limits, LogEntry
from connections.door import Door
from connections.drivers import driver_for
from connections.errors import (
    ExecutionError,
    QueryCancelledError,
    QueryTimeoutError,
    StatementNotAllowedError,
)
from tests.connections.corpus import ENDLESS, NUMBERS

NewDatabase = Callable[..., str]


@contextmanager
def door_to(url: str, **settings: Any) -> Iterator[Door]:
    driver = driver_for(url)
    with Door(driver, driver.catalogue(), **settings) as door:
        yield door


@pytest.fixture
def numbers(new_database: NewDatabase, dialect: str) -> str:
    """A database with the table `numbers` of a thousand rows."""
    return new_database(dialect, NUMBERS)


def test_rows_come_with_names_and_say_whether_more_exist(numbers: str) -> None:
    with door_to(numbers) as door:
        some = door.query("SELECT n, label FROM numbers ORDER BY n", max_rows=2)
        assert ([column.name for column in some.columns], some.rows) == (["n", "label"], ((1, "one 1"), (2, "one 2")))
        assert (some.truncated, some.cut_by) == (True, "rows")
        assert not door.query("SELECT n FROM numbers", max_rows=1000).truncated
        assert door.query("SELECT n FROM numbers WHERE n < 0").rows == ()


def test_a_percent_sign_is_only_a_percent_sign(numbers: str) -> None:
    with door_to(numbers) as door:
        (row,) = door.query("SELECT '50%s %(n)s ? :x $1' AS a, 7 % 4 AS b FROM numbers WHERE label LIKE 'one 7' ").rows
        assert row == ("50%s %(n)s ? :x $1", 3)


def test_columns_may_share_a_name(numbers: str) -> None:
    with door_to(numbers) as door:
        rows = door.query("SELECT n AS x, label AS x FROM numbers WHERE n = 1")
        assert [column.name for column in rows.columns] == ["x", "x"]
        assert rows.rows == ((1, "one 1"),)


def test_the_byte_cap_cuts_and_says_so(numbers: str) -> None:
    with door_to(numbers, limits=Limits(bytes=20_000)) as door:
        rows = door.query("SELECT n, label FROM numbers")
        assert rows.truncated
        assert rows.cut_by == "bytes"
        assert 10 < len(rows.rows) < 500


def test_a_long_value_is_cut_and_counted(numbers: str) -> None:
    with door_to(numbers, limits=Limits(cell_bytes=1000)) as door:
        rows = door.query("SELECT replace('" + "x" * 5000 + "', 'y', label) AS text_of_it, n FROM numbers WHERE n = 1")
        assert rows.cut_cells == 1
        assert rows.rows[0][0].startswith("x" * 1000 + "… [cut")


def test_an_error_carries_the_databases_own_words_and_the_session_lives_on(numbers: str) -> None:
    with door_to(numbers) as door:
        with pytest.raises(ExecutionError, match="(?i)nothere"):
            door.query("SELECT nothere FROM numbers")
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_a_statement_ends_at_its_time_limit(numbers: str, dialect: str) -> None:
    with door_to(numbers) as door:
        started = time.perf_counter()
        with pytest.raises(QueryTimeoutError, match=r"0\.5 seconds"):
            door.query(ENDLESS, seconds=0.5)
        assert time.perf_counter() - started < 2.5
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_cancel_ends_the_statement_and_closes_the_door_to_later_ones(numbers: str) -> None:
    with door_to(numbers) as door:
        started = time.perf_counter()
        threading.Timer(0.5, door.cancel).start()
        with pytest.raises(QueryCancelledError):
            door.query(ENDLESS)
        assert time.perf_counter() - started < 2.5
        with pytest.raises(QueryCancelledError):
            door.query("SELECT n FROM numbers")


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM numbers", "SELECT n FROM elsewhere", "SELECT n FROM numbers; SELECT n FROM numbers", "", "/* */"],
)
def test_the_guard_stands_before_every_statement(numbers: str, statement: str) -> None:
    with door_to(numbers) as door, pytest.raises(StatementNotAllowedError):
        door.query(statement)


def test_a_statement_may_not_be_endlessly_long(numbers: str) -> None:
    sql = "SELECT '" + "x" * 1000 + "' AS a FROM numbers"
    limits = Limits(sql_bytes=1000)
    with door_to(numbers, limits=limits) as door, pytest.raises(StatementNotAllowedError, match="1,000"):
        door.query(sql)


def test_every_statement_is_logged_with_its_outcome(numbers: str) -> None:
    log: list[LogEntry] = []
    with door_to(numbers, log=log.append) as door:
        door.query("SELECT n FROM numbers", max_rows=3, purpose="preview")
        with pytest.raises(StatementNotAllowedError):
            door.query("DROP TABLE numbers")
    assert [(entry.purpose, entry.rows, entry.error[:24]) for entry in log] == [
        ("preview", 3, ""),
        ("query", 0, "StatementNotAllowedError"),
    ]
    assert all(entry.ms > 0 for entry in log)


def test_temp_tables_live_as_long_as_the_door_where_there_are_any(numbers: str) -> None:
    with door_to(numbers) as door:
        if not door.temp_tables:
            with pytest.raises(ExecutionError, match="temp"):
                door.materialize("few", "SELECT n FROM numbers WHERE n < 4")
            return
        door.materialize("few", "SELECT n FROM numbers WHERE n < 4")
        assert door.query("SELECT SUM(n) FROM few").rows == ((6,),)
        with pytest.raises(ExecutionError, match="hide"):
            door.materialize("numbers", "SELECT n FROM numbers WHERE n < 4")
    with door_to(numbers) as door, pytest.raises(StatementNotAllowedError):
        door.query("SELECT n FROM few")


def test_the_door_can_only_be_narrowed(numbers: str) -> None:
    with door_to(numbers, limits=Limits(rows=5)) as door:
        assert len(door.query("SELECT n FROM numbers", max_rows=100).rows) == 5


def test_a_closed_door_stays_closed(numbers: str) -> None:
    with door_to(numbers) as door:
        door.query("SELECT n FROM numbers")
    door.close()
    with pytest.raises(ExecutionError, match="closed"):
        door.query("SELECT n FROM numbers")


def test_a_door_at_rest_keeps_a_temp_table_that_was_made_meanwhile(new_database: NewDatabase) -> None:
    def crowded() -> bool:
        door.materialize("kept", "SELECT n FROM numbers WHERE n < 4")  # as another thread would
        return True

    with door_to(new_database("sqlite", NUMBERS), crowded=crowded) as door:
        door.query("SELECT n FROM numbers WHERE n = 1")
        door.rest()
        assert len(door.query("SELECT n FROM kept").rows) == 3


def test_one_door_serves_several_threads(numbers: str) -> None:
    found: list[int] = []
    with door_to(numbers) as door:

        def ask(n: int) -> None:
            found.append(door.query(f"SELECT n FROM numbers WHERE n = {n}").rows[0][0])

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(1, 9))
