"""The only way to customer data: guard, read-only session, limits, log.

A door belongs to one run. It opens one session when it is first needed and keeps it, so that temp tables live as long
as the run; `close` ends it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from connections import guard
from connections.catalogue import Catalogue, DialectName
from connections.contracts import Driver, Limits, LogEntry, LogSink, Rows, Session, Sink
from connections.errors import (
    ConnectionLostError,
    DatabaseError,
    ExecutionError,
    QueryCancelledError,
    StatementNotAllowedError,
)

T = TypeVar("T")

CANCEL_SECONDS = 2.0
CANCEL_TRIES = 20


class Check(Protocol):
    """What `guard.check` is: raises StatementNotAllowedError."""

    def __call__(
        self, sql: str, dialect: DialectName, catalogue: Catalogue, *, temp_tables: frozenset[str] = ...
    ) -> None: ...


class Door:
    """Statements of one run. Any thread may call; they run one after another, `cancel` alone overtakes.

    `check` is the guard; only a test that asks what the other layers stop hands in another. `before` is called before
    each statement, and may refuse it by raising. `crowded` says whether another run waits for a session.
    """

    def __init__(
        self,
        driver: Driver,
        catalogue: Catalogue,
        limits: Limits | None = None,
        *,
        log: LogSink | None = None,
        check: Check = guard.check,
        before: Callable[[], None] = lambda: None,
        crowded: Callable[[], bool] = lambda: False,
    ) -> None:
        self.dialect: DialectName = driver.dialect
        self.catalogue = catalogue
        self.temp_tables = driver.temp_tables
        self.limits = limits or Limits()
        self._driver = driver
        self._log = log or (lambda entry: None)
        self._check = check
        self._before = before
        self._crowded = crowded
        self._made: frozenset[str] = frozenset()
        self._session: Session | None = None
        self._cancelled = False
        self._closed = False
        self._lock = threading.RLock()

    def query(
        self, sql: str, *, max_rows: int | None = None, seconds: float | None = None, purpose: str = "query"
    ) -> Rows:
        """Run one SELECT. `max_rows` and `seconds` can only lower the door's own limits.

        Raises StatementNotAllowedError, ExecutionError, QueryTimeoutError, QueryCancelledError, ConnectionFailedError.
        """
        rows = min(self.limits.rows if max_rows is None else max_rows, self.limits.rows)
        limit = self._seconds(seconds)

        def work(session: Session) -> Rows:
            return session.query(sql, max_rows=rows, max_bytes=self.limits.bytes, seconds=limit)

        with self._lock:
            return self._pass_through(sql, purpose, work, lambda result: len(result.rows))

    def stream(self, sql: str, sink: Sink, *, purpose: str = "export") -> bool:
        """Hand the rows of one SELECT to `sink` as they come, within the door's limits; true where the row limit cut
        them. Raises as `query` does, and what `sink` raises."""
        count = 0

        def counting(rows: Sequence[tuple[Any, ...]]) -> None:
            nonlocal count
            count += len(rows)
            sink(rows)

        def work(session: Session) -> Rows:
            limits = self.limits
            return session.query(
                sql, max_rows=limits.rows, max_bytes=limits.bytes, seconds=limits.seconds, sink=counting
            )

        with self._lock:
            return self._pass_through(sql, purpose, work, lambda _: count, so_far=lambda: count).truncated

    def materialize(self, name: str, sql: str, *, seconds: float | None = None) -> None:
        """Store the rows of `sql` in the temp table `name` until the door closes; only where `temp_tables`."""
        if not self.temp_tables:
            raise ExecutionError(f"A read-only session of {self.dialect} makes no temp tables.")
        if self.catalogue.find(name):
            raise ExecutionError(f"A temp table named {name} would hide the table of that name.")
        limit = self._seconds(seconds)

        def work(session: Session) -> None:
            session.create_temp_table(name, sql, seconds=limit)

        with self._lock:
            self._pass_through(sql, "materialize", work, lambda _: 0)
            self._made |= {name}

    @property
    def temp_names(self) -> frozenset[str]:
        """The temp tables that were made through this door."""
        return self._made

    def cancel(self) -> None:
        """End the running statement in the database and refuse every later one. From any thread.

        Returns when nothing runs any more, or after two seconds.
        """
        self._cancelled = True
        for _ in range(CANCEL_TRIES):
            if session := self._session:
                session.cancel()
            # A statement may have been about to start: only a free lock says that nothing runs.
            if self._lock.acquire(timeout=CANCEL_SECONDS / CANCEL_TRIES):
                self._lock.release()
                return

    def rest(self) -> None:
        """Nothing will be asked for a while: lend the session to a run that waits for one, unless it holds temp
        tables."""
        if self._session is not None and self._crowded():
            with self._lock:
                if not self._made:  # asked only now: another thread may just have made one
                    self._drop_session()

    def close(self) -> None:
        """End the session and its temp tables. Closing twice is harmless."""
        with self._lock:
            self._closed = True
            self._drop_session()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _seconds(self, seconds: float | None) -> float:
        return self.limits.seconds if seconds is None else min(seconds, self.limits.seconds)

    def _pass_through(
        self,
        sql: str,
        purpose: str,
        work: Callable[[Session], T],
        count: Callable[[T], int],
        so_far: Callable[[], int] = lambda: 0,
    ) -> T:
        self._before()
        started = time.perf_counter()

        def note(rows: int, error: str) -> None:
            self._log(LogEntry(sql, purpose, rows, (time.perf_counter() - started) * 1000, error))

        try:
            self._admit(sql)
            result = self._with_retry(work)
        except DatabaseError as error:
            note(so_far(), f"{type(error).__name__}: {error}")
            raise
        except BaseException as error:  # of a sink, whose words may hold what it was given
            note(so_far(), f"Ended before its last row by {type(error).__name__}.")
            raise
        note(count(result), "")
        return result

    def _admit(self, sql: str) -> None:
        if self._closed:
            raise ExecutionError("This run's connection is closed.")
        size = len(sql.encode("utf-8", "surrogatepass"))
        if size > self.limits.sql_bytes:
            raise StatementNotAllowedError(
                f"The statement has {size:,} bytes; at most {self.limits.sql_bytes:,} are allowed."
            )
        self._check(sql, self.dialect, self.catalogue, temp_tables=self._made)

    def _with_retry(self, work: Callable[[Session], T]) -> T:
        """A session that broke off before any row was read is replaced once, unless temp tables went with it."""
        try:
            return self._once(work)
        except ConnectionLostError:
            self._drop_session()
            if self._made:
                raise
        return self._once(work)

    def _once(self, work: Callable[[Session], T]) -> T:
        if self._session is None:
            self._session = self._driver.open(self.limits)
        if self._cancelled:
            raise QueryCancelledError("The run was cancelled.")
        return work(self._session)

    def _drop_session(self) -> None:
        if session := self._session:
            self._session = None
            session.close()
