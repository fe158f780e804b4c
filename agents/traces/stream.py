"""The events of one run as they happen, for any number of readers, from any position on.

The database is the truth: what a reader gets was read from there, in order, so a reload or a lost network continues
from the last position seen without a gap or a repeat. One thread a process looks for all its readers together.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from django.db import DatabaseError, connection
from django.db.models import Q
from django.http import StreamingHttpResponse

from agents.models import LIVE, LiveThought, Run, RunEvent
from agents.traces import doorbell
from agents.traces.events import Event, ModelReply
from agents.traces.recorder import event_of

log = structlog.get_logger(__name__)

BATCH = 500  # events read at once
KEEP_ALIVE_SECONDS = 15.0
KEEP_ALIVE = b": keep-alive\n\n"


@dataclass(frozen=True, slots=True)
class Thought:
    """The reply that the model is writing in `turn`, as far as it has come: all of it, not only the newest piece."""

    turn: int
    text: str


async def follow(
    run_id: UUID, after: int = 0, *, keep_alive: float = KEEP_ALIVE_SECONDS
) -> AsyncIterator[Event | Thought | None]:
    """Saved events behind position `after`, then new ones and thoughts as they come; ends when the run has.

    Yields None after `keep_alive` seconds of silence: send KEEP_ALIVE then, so that no proxy hangs up.
    """
    with _feed.reader(run_id, after) as reader:
        while True:
            try:
                item = await asyncio.wait_for(reader.queue.get(), keep_alive)
            except TimeoutError:
                yield None
                continue
            if isinstance(item, _End):
                return
            yield item


def position_in(text: str) -> int:
    """The position that a reader names as the last it saw, as Last-Event-ID; 0 for what cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def sse_message(event: str, data: str, *, position: int | None = None) -> bytes:
    """One server-sent event, of the browser's default kind where `event` is "". `position` becomes its id, which the
    browser sends back as Last-Event-ID."""
    lines = [f"id: {position}"] if position else []
    lines += [f"event: {event}"] if event else []
    lines += [f"data: {line}" for line in data.split("\n")]
    return "\n".join(lines).encode() + b"\n\n"


def sse_response(messages: AsyncIterator[bytes]) -> StreamingHttpResponse:
    """A response that proxies neither buffer nor change."""
    return StreamingHttpResponse(
        messages,
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"},
    )


class _End:
    """Marks the end of a reader's queue."""


@dataclass(eq=False)
class _Reader:
    """One open page. `position` and `thought` are what it was given last."""

    run_id: UUID
    position: int
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[Event | Thought | _End] = field(default_factory=asyncio.Queue)
    thought: Thought | None = None

    def give(self, item: Event | Thought | _End) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.queue.put_nowait, item)


class _Feed:
    """The one thread that looks; it lives only while somebody reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers: set[_Reader] = set()
        self._looking = False

    @contextmanager
    def reader(self, run_id: UUID, after: int) -> Iterator[_Reader]:
        reader = _Reader(run_id, after, asyncio.get_running_loop())
        with self._lock:
            self._readers.add(reader)
            if not self._looking:
                self._looking = True
                threading.Thread(target=self._look_on, name="run-feed", daemon=True).start()
        try:
            yield reader
        finally:
            with self._lock:
                self._readers.discard(reader)

    def _look_on(self) -> None:
        bell = doorbell.listen()
        try:
            while readers := self._present():
                try:
                    self._look(readers)
                except DatabaseError as error:
                    log.warning("cannot read events", error=str(error))
                    connection.close()
                bell.wait()
        except BaseException:  # whatever ends this thread must not leave pages waiting for ever
            self._hang_up()
            raise
        finally:
            bell.close()
            connection.close()

    def _present(self) -> list[_Reader]:
        with self._lock:
            if not self._readers:
                self._looking = False
            return list(self._readers)

    def _hang_up(self) -> None:
        """A fault of ours ended the thread: let the pages reconnect, which starts a new one."""
        with self._lock:
            self._looking = False
            for reader in self._readers:
                reader.give(_End())
            self._readers.clear()

    def _look(self, readers: list[_Reader]) -> None:
        """Give every reader what is new. The order of reading matters: a run that had ended before its events were
        read has no further ones, and a thought is over when the events that were read after it hold a reply."""
        runs = {reader.run_id for reader in readers}
        live = set(Run.objects.filter(pk__in=runs, status__in=LIVE).values_list("pk", flat=True))
        thoughts = {
            row.run_id: Thought(row.turn, row.text) for row in LiveThought.objects.filter(run_id__in=runs & live)
        }
        events = self._new_events(readers)
        for reader in readers:
            self._give_news(reader, thoughts.get(reader.run_id), events.get(reader.run_id, []), reader.run_id in live)

    def _give_news(self, reader: _Reader, thought: Thought | None, events: list[Event], live: bool) -> None:
        new = [event for event in events if event.position > reader.position]
        for event in new:
            reader.position = event.position
            reader.give(event)
        if thought not in (None, reader.thought) and not any(isinstance(event, ModelReply) for event in new):
            reader.thought = thought
            reader.give(thought)
        if not live and len(events) < BATCH:
            reader.give(_End())
            with self._lock:
                self._readers.discard(reader)

    @staticmethod
    def _new_events(readers: list[_Reader]) -> dict[UUID, list[Event]]:
        """By run, in order; at most BATCH a run, the rest with the next look."""
        behind: dict[UUID, int] = {}
        for reader in readers:
            behind[reader.run_id] = min(reader.position, behind.get(reader.run_id, reader.position))
        wanted = Q()
        for run_id, position in behind.items():
            wanted |= Q(run_id=run_id, position__gt=position, position__lte=position + BATCH)
        found: dict[UUID, list[Event]] = {}
        for row in RunEvent.objects.filter(wanted).order_by("run_id", "position"):
            found.setdefault(row.run_id, []).append(event_of(row))
        return found


_feed = _Feed()  # one for the whole process: that is its point
