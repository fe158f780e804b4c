"""The run's durable memory: what was done once is played back, never done again.

Durable execution in small: every effect of a run goes through `once`. On a fresh run the effect happens and its event
is saved before anything else does. On a resumed run the saved events are handed out first, branch by branch, in the
order in which the run asks for them; where they end, the run goes on for real. Nothing else in a strategy has to know
that it is being resumed.

One class serves every storage: `sink` keeps an event (a list in memory, a database row), `check` says whether the run
may go on (a lease, a cancel request), `live` shows what is not kept.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from agents.errors import RunCancelledError, RunDivergedError
from agents.traces.events import Event, Retry

E = TypeVar("E", bound=Event)

# Told from inside another effect (a model call that is tried again), so a resumed run never asks for them.
ASIDES: tuple[type[Event], ...] = (Retry,)


class Replay:
    """The saved events of a run, each handed out once, in order within its branch. Not thread-safe by itself."""

    def __init__(self, saved: Iterable[Event] = ()) -> None:
        self._queues: dict[str, deque[Event]] = {}
        for event in saved:
            if not isinstance(event, ASIDES):
                self._queues.setdefault(event.branch, deque()).append(event)

    def take(self, kind: type[E], branch: str) -> E | None:
        """The next saved event of `branch`, None where they have ended.

        Raises RunDivergedError when the run did something else at this place; what was left is then forgotten, so
        that the end of the run can still be written.
        """
        queue = self._queues.get(branch)
        if not queue or issubclass(kind, ASIDES):
            return None
        event = queue.popleft()
        if isinstance(event, kind):
            return event
        self._queues.clear()
        raise RunDivergedError(
            f"This run cannot be continued: at position {event.position} it saved {event.kind!r}, but now it comes to "
            f"{kind.kind!r} there. The program, its settings or the schema changed since. Ask the question again."
        )


class MemoryJournal:
    """Keeps the events of one run in memory, and hands each new one to `sink` in the order of positions.

    `sink` may refuse an event by raising (RunLostError); it is then not part of the run. Safe over threads.
    """

    def __init__(
        self,
        saved: Iterable[Event] = (),
        *,
        sink: Callable[[Event], None] | None = None,
        live: Callable[[Event], None] | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        self._events = sorted(saved, key=lambda event: event.position)
        self._replay = Replay(self._events)
        self._sink, self._live, self._check = sink, live, check
        self._lock = threading.RLock()  # a sink may look at `events`
        self._cancelled = threading.Event()

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything saved so far, the replayed past included, by position."""
        with self._lock:
            return tuple(self._events)

    def once(self, kind: type[E], act: Callable[[], E], *, branch: str = "") -> E:
        saved = self._take(kind, branch)
        if saved is not None:
            return saved
        self.check()
        return self._record(replace(act(), branch=branch))

    def emit(self, event: E) -> E:
        """Unlike `once`, works after a cancel too: the end of the run must be written."""
        saved = self._take(type(event), event.branch)
        return self._record(event) if saved is None else saved

    def end(self, event: E) -> E:
        """Past what is left to be played back, which is forgotten: a resumed run may end before it comes so far."""
        with self._lock:
            self._replay = Replay()
            return self._record(event)

    def live(self, event: Event) -> None:
        if self._live is not None:
            self._live(event)

    def check(self) -> None:
        if self._cancelled.is_set():
            raise RunCancelledError("The run was stopped.")
        if self._check is not None:
            self._check()

    def cancel(self) -> None:
        """From any thread: the next effect raises RunCancelledError instead of happening."""
        self._cancelled.set()

    def _take(self, kind: type[E], branch: str) -> E | None:
        with self._lock:
            return self._replay.take(kind, branch)

    def _record(self, event: E) -> E:
        with self._lock:
            position = self._events[-1].position + 1 if self._events else 1
            saved = replace(event, position=position, at=datetime.now(UTC).isoformat(timespec="milliseconds"))
            if self._sink is not None:
                self._sink(saved)
            self._events.append(saved)
            return saved
