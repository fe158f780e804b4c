"""One running statement, ended in the database at its deadline or when somebody cancels."""

from __future__ import annotations

import threading
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
        self._wake = threading.Event()
        self._done = threading.Event()
        self._calling = threading.Lock()
        self._timed_out = self._cancelled = False
        self._watcher = threading.Thread(target=self._watch, name="statement-deadline", daemon=True)

    def __enter__(self) -> Self:
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._calling:
            self._done.set()
        self._wake.set()
        self._watcher.join()

    def cancel(self) -> None:
        self._cancelled = True
        self._wake.set()

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

    def _watch(self) -> None:
        self._wake.wait(self._seconds)
        if self._done.is_set():
            return
        self._timed_out = not self._cancelled
        while True:
            with self._calling:
                if self._done.is_set():
                    return
                self._interrupt()
            self._done.wait(REPEAT_SECONDS)


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
