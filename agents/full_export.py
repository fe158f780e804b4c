"""Every row of an answer, read afresh from the database and handed on as it comes.

The statement runs in a thread of its own, which waits while the reader is slow and ends the statement when the reader
has gone. A few thousand rows are in memory at any time.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from django.conf import settings

from agents.models import Run
from agents.programs import connection_of
from connections import services as connections
from connections.contracts import Limits, LogEntry
from connections.door import Door
from connections.models import User
from connections.values import to_cell

# Pieces of rows that wait for the reader.
WAITING = 4
# How often a full queue looks whether the reader is still there, in seconds.
PATIENCE = 0.5

# Of one person, in one web process: until its first row comes, an export takes one of the turns of all requests.
AT_ONCE = 2

Row = Sequence[Any]

_at_work: Counter[int] = Counter()
_counting = threading.Lock()


class TooManyExportsError(Exception):
    """The person has as many full exports at work as anybody may."""


class _ReaderGoneError(Exception):
    """Nobody takes the rows any more."""


def all_rows(user: User, run: Run, at_cut: Callable[[], None] = lambda: None) -> Generator[Row, None, None]:
    """JSON cells of all rows of the run's SQL, at most EXPORT_ROWS; `at_cut` is called behind the last one where there
    are more. Raises DatabaseError, most often at the first, and TooManyExportsError only there."""
    with _one_more_of(user):
        yield from _rows_of(user, run, at_cut)


@contextmanager
def _one_more_of(user: User) -> Iterator[None]:
    with _counting:
        if _at_work[user.pk] >= AT_ONCE:
            raise TooManyExportsError(
                f"{AT_ONCE} full exports of yours are being read already; more are not made at once."
            )
        _at_work[user.pk] += 1
    try:
        yield
    finally:
        with _counting:
            _at_work.subtract([user.pk])


def _rows_of(user: User, run: Run, at_cut: Callable[[], None]) -> Generator[Row, None, None]:
    connection = connection_of(run)
    limits = Limits(seconds=float(settings.EXPORT_SECONDS), rows=settings.EXPORT_ROWS)
    entries: list[LogEntry] = []
    door = connections.open_door(connection, user, run_id=run.pk, limits=limits, log=entries.append)
    reading = _Reading(door, run.sql)
    try:
        yield from reading.rows()
        if reading.cut:
            at_cut()
    finally:
        reading.end()
        keep = connections.query_log(connection, user, run.pk)
        for entry in entries:
            keep(entry)


class _Reading:
    def __init__(self, door: Door, sql: str) -> None:
        self._door, self._sql = door, sql
        self.cut = False
        self._pieces: queue.Queue[Sequence[Row] | Exception | None] = queue.Queue(WAITING)
        self._gone = threading.Event()
        self._thread = threading.Thread(target=self._read, name="full-export", daemon=True)

    def rows(self) -> Iterator[Row]:
        self._thread.start()
        while (piece := self._pieces.get()) is not None:
            if isinstance(piece, Exception):
                raise piece
            for row in piece:
                yield [to_cell(value) for value in row]

    def end(self) -> None:
        """The reader has all rows, or has gone."""
        self._gone.set()
        if self._thread.is_alive():
            self._door.cancel()
            self._thread.join(10)
        self._door.close()

    def _read(self) -> None:
        with suppress(_ReaderGoneError):
            self._hand_over(self._end_of_rows())

    def _end_of_rows(self) -> Exception | None:
        """What ended the rows behind those that were handed over; None where they are all there. A reader who was not
        told of it would wait for ever."""
        try:
            self.cut = self._door.stream(self._sql, self._hand_over)
        except _ReaderGoneError:
            raise
        except Exception as error:  # noqa: BLE001  a thread's edge: raised again where the rows are read
            return error
        return None

    def _hand_over(self, piece: Sequence[Row] | Exception | None) -> None:
        """Waits while the reader is slow. Raises _ReaderGoneError."""
        while not self._gone.is_set():
            with suppress(queue.Full):
                return self._pieces.put(piece, timeout=PATIENCE)
        raise _ReaderGoneError
