"""A large result is handed on in pieces on every engine, and its statement ends with the reader."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from connections.contracts import Limits, LogEntry
from connections.door import Door
from connections.drivers import driver_for
from connections.errors import ExecutionError, QueryCancelledError, StatementNotAllowedError

NUMBERS = "CREATE TABLE numbers (n INTEGER, t VARCHAR(20)); " + "".join(
    f"INSERT INTO numbers VALUES {', '.join(f'({n}, {n * 7 % 13})' for n in range(start, start + 500))};"
    for start in range(0, 3500, 500)
)
SQL = "SELECT n, t FROM numbers ORDER BY n"


@pytest.fixture
def url(dialect: str, new_database: Callable[[str, str], str]) -> str:
    return new_database(dialect, NUMBERS)


def test_every_row_comes_once_and_in_order(url: str) -> None:
    pieces: list[Sequence[Any]] = []
    entries: list[LogEntry] = []
    driver = driver_for(url)
    with Door(driver, driver.catalogue(), Limits(rows=10_000), log=entries.append) as door:
        assert door.stream(SQL, pieces.append) is False
        assert [int(row[0]) for piece in pieces for row in piece] == list(range(3500))
        assert max(map(len, pieces)) <= 1_000
        assert [(entry.purpose, entry.rows, entry.error) for entry in entries] == [("export", 3500, "")]
        assert len(door.query("SELECT n FROM numbers WHERE n < 3").rows) == 3  # the session goes on


@pytest.mark.parametrize("rows", [1, 999, 1000, 1001, 3499])
def test_the_row_limit_cuts_and_says_so(url: str, rows: int) -> None:
    pieces: list[Sequence[Any]] = []
    driver = driver_for(url)
    with Door(driver, driver.catalogue(), Limits(rows=rows)) as door:
        assert door.stream(SQL, pieces.append) is True
    assert sum(map(len, pieces)) == rows


def test_what_the_sink_raises_ends_the_statement_and_leaves_the_session_whole(url: str) -> None:
    driver = driver_for(url)

    def refuse(rows: Sequence[Any]) -> None:
        raise KeyError("enough")

    with Door(driver, driver.catalogue()) as door:
        with pytest.raises(KeyError):
            door.stream(SQL, refuse)
        assert len(door.query("SELECT n FROM numbers WHERE n < 3").rows) == 3


def test_a_stream_that_its_reader_ends_is_in_the_log_with_the_rows_so_far(url: str) -> None:
    entries: list[LogEntry] = []
    driver = driver_for(url)

    def leave(rows: Sequence[Any]) -> None:
        if len(taken) == 1:
            raise KeyError("a value that nobody else should read")
        taken.append(len(rows))

    taken: list[int] = []
    with Door(driver, driver.catalogue(), log=entries.append) as door, pytest.raises(KeyError):
        door.stream(SQL, leave)
    assert [(entry.sql, entry.rows) for entry in entries] == [(SQL, 2_000)]
    assert entries[0].error == "Ended before its last row by KeyError."


def test_a_cancelled_stream_stops(url: str) -> None:
    driver = driver_for(url)
    with Door(driver, driver.catalogue()) as door:

        def stop(rows: Sequence[Any]) -> None:
            door._session.cancel()  # type: ignore[union-attr]  # as another thread would
            time.sleep(0.4)

        with pytest.raises((QueryCancelledError, ExecutionError)):
            door.stream(SQL, stop)


def test_the_guard_stands_before_a_stream_too(url: str) -> None:
    driver = driver_for(url)
    with Door(driver, driver.catalogue()) as door, pytest.raises(StatementNotAllowedError):
        door.stream("DELETE FROM numbers", lambda rows: None)
