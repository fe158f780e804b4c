"""Watches over one run from beside it: keeps its lease, and stops it within a second when it must end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import structlog
from django.db import DatabaseError, connection

from agents.errors import RunLostError
from agents.traces.recorder import LEASE, Lease

GLANCE = 0.4  # seconds between two looks for a stop request
RENEW = LEASE.total_seconds() / 4

log = structlog.get_logger(__name__)


class Watch:
    """A thread beside a run. `cancel` and `abandon` are called at most once, one of them, from that thread."""

    def __init__(self, lease: Lease, *, cancel: Callable[[], None], abandon: Callable[[], None]) -> None:
        self._lease, self._cancel, self._abandon = lease, cancel, abandon
        self._ended = threading.Event()
        self._renewed = time.monotonic()
        self._thread = threading.Thread(target=self._look_on, name=f"watch-{lease.run_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _look_on(self) -> None:
        try:
            while not self._ended.wait(GLANCE):
                if act := self._look():
                    act()
                    return
        finally:
            connection.close()

    def _look(self) -> Callable[[], None] | None:
        try:
            if self._lease.cancel_requested():
                return self._cancel
            if time.monotonic() - self._renewed > RENEW:
                self._lease.renew()
                self._renewed = time.monotonic()
        except RunLostError:
            return self._abandon
        except DatabaseError as error:
            # The lease cannot be renewed: once it has run out, somebody else may be at work.
            log.warning("cannot renew the lease", error=str(error))
            connection.close()
            if time.monotonic() - self._renewed > LEASE.total_seconds():
                return self._abandon
        return None
