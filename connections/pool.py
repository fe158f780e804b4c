"""A cap on the sessions that this process opens to one database, and idle ones kept warm for the next run."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from connections.catalogue import Catalogue, DialectName
from connections.contracts import Driver, Examination, Limits, Progress, Rows, Session, Sink, silent
from connections.errors import ConnectionFailedError
from connections.network import NetworkPolicy

IDLE_SECONDS = 60.0
WAIT_SECONDS = 30.0


@dataclass(slots=True)
class _Idle:
    session: Session
    limits: Limits
    since: float


class SessionPool:
    """A driver in front of a driver: at most `cap` sessions at a time; who comes later waits, then is refused.

    Sessions that can hold temp tables belong to one run, so they are never kept. Safe from any thread.
    """

    def __init__(
        self,
        driver: Driver,
        cap: int,
        *,
        wait_seconds: float = WAIT_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.dialect: DialectName = driver.dialect
        self.temp_tables = driver.temp_tables
        self.endpoint = driver.endpoint
        self.networks: NetworkPolicy | None = driver.networks
        self._driver = driver
        self._cap = max(1, cap)
        self._wait_seconds, self._idle_seconds, self._clock = wait_seconds, idle_seconds, clock
        self._free = threading.Condition()
        self._lent = self._waiting = 0
        self._idle: list[_Idle] = []

    def open(self, limits: Limits) -> Session:
        """An idle session or a new one. Raises ConnectionFailedError, also where all are in use for too long."""
        with self._free:
            self._waiting += 1
            came = self._free.wait_for(lambda: self._lent < self._cap, self._wait_seconds)
            self._waiting -= 1
            if not came:
                raise ConnectionFailedError(
                    f"All {self._cap} sessions that this connection may have are in use. Try again in a moment."
                )
            self._lent += 1
            kept = self._take_idle(limits)
        try:
            return _Lent(self, kept or self._driver.open(limits), limits)
        except BaseException:  # an interrupted process, too, has to give the place back
            self._give_back(None, limits)
            raise

    def crowded(self) -> bool:
        """Whether somebody waits for a session."""
        return self._waiting > 0

    def catalogue(self, schemas: tuple[str, ...] = (), progress: Progress = silent) -> Catalogue:
        return self._driver.catalogue(schemas, progress)

    def examine(self) -> Examination:
        return self._driver.examine()

    def close(self) -> None:
        """End the idle sessions; those that are lent end when they are given back after `idle_seconds`."""
        with self._free:
            idle, self._idle = self._idle, []
        for entry in idle:
            entry.session.close()

    def _take_idle(self, limits: Limits) -> Session | None:
        """The newest idle session with these limits; those that were idle for too long are ended."""
        now = self._clock()
        old = [entry for entry in self._idle if now - entry.since > self._idle_seconds]
        self._idle = [entry for entry in self._idle if entry not in old]
        for entry in old:
            entry.session.close()
        for entry in reversed(self._idle):
            if entry.limits == limits:
                self._idle.remove(entry)
                return entry.session
        return None

    def _give_back(self, session: Session | None, limits: Limits) -> None:
        with self._free:
            self._lent -= 1
            if session is not None and not self.temp_tables and len(self._idle) + self._lent < self._cap:
                self._idle.append(_Idle(session, limits, self._clock()))
                session = None
            self._free.notify()
        if session is not None:
            session.close()


class _Lent:
    """A session on loan: `close` gives it back, or ends it where it broke off."""

    def __init__(self, pool: SessionPool, session: Session, limits: Limits) -> None:
        self._pool = pool
        self._session: Session | None = session
        self._limits = limits
        self._broken = False

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        try:
            return self._lent().query(sql, max_rows=max_rows, max_bytes=max_bytes, seconds=seconds, sink=sink)
        except ConnectionFailedError:
            self._broken = True
            raise

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        self._lent().create_temp_table(name, sql, seconds=seconds)

    def cancel(self) -> None:
        if session := self._session:
            session.cancel()

    def close(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        if self._broken:
            session.close()
            self._pool._give_back(None, self._limits)
        else:
            self._pool._give_back(session, self._limits)

    def _lent(self) -> Session:
        if self._session is None:
            raise ConnectionFailedError("This session was given back.")
        return self._session


@dataclass(frozen=True, slots=True)
class _Shared:
    process: int
    settings: Hashable
    pool: SessionPool


_shared: dict[Hashable, _Shared] = {}
_shared_lock = threading.Lock()


def shared_pool(name: Hashable, settings: Hashable, make: Callable[[], Driver], cap: int) -> SessionPool:
    """This process's pool for the connection `name`; another one as soon as its `settings` are others."""
    wanted = (settings, cap)
    with _shared_lock:
        if not _shared:
            atexit.register(close_shared_pools)
        known = _shared.get(name)
        if known and (known.process, known.settings) == (os.getpid(), wanted):
            return known.pool
        if known and known.process == os.getpid():  # a fork must leave its parent's sessions alone
            known.pool.close()
        _shared[name] = _Shared(os.getpid(), wanted, SessionPool(make(), cap))
        return _shared[name].pool


def close_shared_pools() -> None:
    """End every idle session of this process."""
    with _shared_lock:
        for known in _shared.values():
            if known.process == os.getpid():
                known.pool.close()
        _shared.clear()
