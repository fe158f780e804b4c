"""One running statement, ended in the database at its deadline or when somebody cancels."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from connections.errors import DatabaseError, ExecutionError, QueryCancelledError, QueryTimeoutError

# A database may miss an interrupt that arrives between two of its steps, so it is repeated until the end.
REPEAT_SECONDS = 0.25


class Running:
    """Used as `with Running(seconds, interrupt) as running:` around everything that a statement does.

    `interrupt` must end the statement from another thread; after the block it is never called again.
    """

    def __init__(self, seconds: float, interrupt: Callable[[], None]) -> None:
        self._seconds = seconds
        self._interrupt = interrupt
        self._done = threading.Event()
        self._calling = threading.Lock()
        self._ending = threading.Lock()  # taken for good by the first who ends the statement
        self._timed_out = self._cancelled = False
        self.deadline = 0.0

    def __enter__(self) -> Self:
        self.deadline = time.monotonic() + self._seconds
        _deadlines.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _deadlines.discard(self)
        with self._calling:
            self._done.set()

    def cancel(self) -> None:
        self._cancelled = True
        self._end()

    def expire(self) -> None:
        self._timed_out = not self._cancelled
        self._end()

    def check(self) -> None:
        """Raise when the statement was stopped, whether the database has noticed yet or not."""
        if self._cancelled:
            raise QueryCancelledError("The statement was cancelled.")
        if self._timed_out:
            raise QueryTimeoutError(
                f"The statement was ended after {self._seconds:g} seconds, its time limit. "
                "Ask for less: filter earlier, join fewer rows, or aggregate first."
            )

    def failure(self, message: str) -> DatabaseError:
        """The error for a statement that the database ended with `message`: stopped by us, or at fault itself."""
        try:
            self.check()
        except DatabaseError as stopped:
            return stopped
        return ExecutionError(message)

    def _end(self) -> None:
        """In a thread of its own: an interrupt may take a moment, in which others may have to be ended, too."""
        if self._ending.acquire(blocking=False):
            threading.Thread(target=self._interrupt_until_done, name="statement-end", daemon=True).start()

    def _interrupt_until_done(self) -> None:
        while True:
            with self._calling:
                if self._done.is_set():
                    return
                self._interrupt()
            self._done.wait(REPEAT_SECONDS)


class _Deadlines:
    """The running statements of this process, and one thread that ends those whose time is up: a thread a statement
    costs more than most statements do."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Nothing runs. Also after a fork: the statements are the parent's, and the thread stayed there."""
        self._changed = threading.Condition()
        self._running: set[Running] = set()
        self._thread: threading.Thread | None = None
        self._looks_at = 0.0  # when the thread looks next

    def add(self, running: Running) -> None:
        with self._changed:
            self._running.add(running)
            if self._thread is None:
                self._thread = threading.Thread(target=self._look_on, name="statement-deadlines", daemon=True)
                self._thread.start()
            elif running.deadline < self._looks_at:
                self._changed.notify()

    def discard(self, running: Running) -> None:
        with self._changed:
            self._running.discard(running)

    def _look_on(self) -> None:
        with self._changed:
            while True:
                for running in [one for one in self._running if one.deadline <= time.monotonic()]:
                    self._running.discard(running)
                    running.expire()
                self._looks_at = min((one.deadline for one in self._running), default=float("inf"))
                left = self._looks_at - time.monotonic()
                self._changed.wait(None if left == float("inf") else max(0.0, left))


_deadlines = _Deadlines()  # one for the whole process: that is its point
os.register_at_fork(after_in_child=_deadlines.begin)


class Stoppable:
    """What the sessions of every kind share: one statement at a time, which another thread can stop."""

    _running: Running | None = None

    def cancel(self) -> None:
        if running := self._running:
            running.cancel()

    def _run(self, seconds: float) -> Running:
        self._running = Running(seconds, self._interrupt)
        return self._running

    def _interrupt(self) -> None:
        """End the statement that runs, from any thread."""
        raise NotImplementedError
