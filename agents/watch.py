"""Watches over the runs of this process from beside them: keeps their leases, and stops within a second the one that
must end. One thread looks after all of them, with one query a look, however many there are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

import structlog
from django.db import DatabaseError, connection

from agents.traces.recorder import LEASE, Lease, news_of, renew_all

GLANCE = 0.4  # seconds between two looks for a stop request
RENEW = LEASE.total_seconds() / 4

log = structlog.get_logger(__name__)


class Watch:
    """Over one run, inside a `with` block. `cancel` and `abandon` are called at most once, one of them, from another
    thread, and never after the block."""

    def __init__(self, lease: Lease, *, cancel: Callable[[], None], abandon: Callable[[], None]) -> None:
        self.lease, self.cancel, self.abandon = lease, cancel, abandon
        self._acting: threading.Thread | None = None
        self._over = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        _guard.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._over = True
        _guard.remove(self)
        if self._acting is not None:
            self._acting.join()

    def act(self, what: Callable[[], None]) -> None:
        """In a thread of its own: ending a statement takes a moment, in which others may have to be stopped, too."""
        with self._lock:
            if not self._over and self._acting is None:
                self._acting = threading.Thread(target=what, name=f"stop-{self.lease.run_id}", daemon=True)
                self._acting.start()


class _Guard:
    """The watches of this process, and the thread that looks after them while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._round: _Round | None = None

    def add(self, watch: Watch) -> None:
        with self._lock:
            if self._round is None or not self._round.is_alive():
                self._round = _Round()
                self._round.start()
            self._round.watches.add(watch)

    def remove(self, watch: Watch) -> None:
        with self._lock:
            ending = self._round
            if ending is None:
                return
            ending.watches.discard(watch)
            if ending.watches:
                return
            ending.over.set()
            self._round = None
        ending.join()

    def watches_of(self, round_: _Round) -> list[Watch]:
        with self._lock:
            return list(round_.watches)


class _Round(threading.Thread):
    """From the first watch to the last: with the connection that it opened it ends, too."""

    def __init__(self) -> None:
        super().__init__(name="watch", daemon=True)
        self.watches: set[Watch] = set()
        self.over = threading.Event()
        self._renewed = time.monotonic()

    def run(self) -> None:
        try:
            while not self.over.wait(GLANCE):
                try:
                    self._look(_guard.watches_of(self))
                except Exception:  # noqa: BLE001  a thread's edge: one run's trouble must not leave the others alone
                    log.exception("a look after the runs failed")
        finally:
            connection.close()

    def _look(self, watches: Iterable[Watch]) -> None:
        leases = {watch.lease: watch for watch in watches}
        try:
            if time.monotonic() - self._renewed > RENEW:
                renew_all(leases)
                self._renewed = time.monotonic()
            for lease, news in news_of(leases).items():
                if news is not None:
                    leases[lease].act(leases[lease].cancel if news == "stop" else leases[lease].abandon)
        except DatabaseError as error:
            # The leases cannot be renewed: once they have run out, somebody else may be at work.
            log.warning("cannot renew the leases", error=str(error))
            connection.close()
            if time.monotonic() - self._renewed > LEASE.total_seconds():
                for watch in leases.values():
                    watch.act(watch.abandon)


_guard = _Guard()  # one for the whole process: that is its point
