"""A page that follows a run sees every event once, in order, from wherever it left off; on both engines."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from agents.models import Run, Status
from agents.traces import recorder, stream
from agents.traces.events import Event, Observation, RunFinished, ThoughtDelta
from tests.databases import REDIS_URL, reach_redis
from tests.server.conftest import make_cast, make_run

AT = "2026-11-30T01:02:03.456+00:00"
LAST = 40


@pytest.fixture
def run(own_url: str) -> Iterator[Run]:
    yield make_run(make_cast())
    wait_until_nobody_looks()  # the thread's connection belongs to this test's database


def wait_until_nobody_looks() -> None:
    deadline = time.monotonic() + 10
    while any(thread.name == "run-feed" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "the thread still looks though nobody reads"
        time.sleep(0.02)


@pytest.fixture(params=["", REDIS_URL], ids=["glancing", "redis"])
def bell(request: pytest.FixtureRequest, settings: Any) -> str:
    if request.param:
        reach_redis(request.param)
    settings.REDIS_URL = request.param
    return str(request.param)


def work(run: Run, pause: float = 0.01) -> None:
    """What a worker does: LAST events with a thought between, then the end."""
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    thoughts = recorder.ThoughtWriter(run.pk)
    for position in range(1, LAST):
        if position % 10 == 0:
            thoughts(ThoughtDelta(turn=position, text=f"thought {position} "))
            time.sleep(0.3)
        lease.save(Observation(position=position, at=AT, turn=position, text=f"event {position}"))
        time.sleep(pause)

    def ended(run: Run) -> None:
        run.status = Status.ANSWERED

    end = RunFinished(position=LAST, at=AT, status="answered", turns=1, calls=1, usage={}, seconds=1.0)
    lease.finish(end, fill=ended)
    connection.close()


async def read(run: Run, after: int = 0, stop: Callable[[list[Any]], bool] = lambda seen: False) -> list[Any]:
    seen: list[Any] = []
    async for item in stream.follow(run.pk, after):
        seen.append(item)
        if stop(seen):
            break
    return seen


def and_close(act: Callable[..., Any], *arguments: Any) -> Any:
    """`act` in a thread of a pool, whose connection nobody else would close."""
    try:
        return act(*arguments)
    finally:
        connection.close()


def positions(items: list[Any]) -> list[int]:
    return [item.position for item in items if isinstance(item, Event)]


def with_worker(run: Run, reading: Callable[[], Any]) -> Any:
    worker = threading.Thread(target=work, args=(run,))
    worker.start()
    try:
        return asyncio.run(asyncio.wait_for(reading(), 30))
    finally:
        worker.join()


def test_every_event_comes_once_and_in_order(run: Run, bell: str) -> None:
    seen = with_worker(run, lambda: read(run))
    assert positions(seen) == list(range(1, LAST + 1))
    assert any(isinstance(item, stream.Thought) for item in seen)


def test_a_reload_continues_without_gap_or_repeat(run: Run, bell: str) -> None:
    async def reload_after_ten() -> tuple[list[Any], list[Any]]:
        first = await read(run, stop=lambda seen: len(positions(seen)) == 10)
        return first, await read(run, after=positions(first)[-1])

    first, second = with_worker(run, reload_after_ten)
    assert positions(first) + positions(second) == list(range(1, LAST + 1))


def test_three_tabs_see_the_same(run: Run, bell: str) -> None:
    async def three() -> list[list[Any]]:
        return list(await asyncio.gather(read(run), read(run, after=5), read(run, after=39)))

    tabs = with_worker(run, three)
    assert [positions(tab) for tab in tabs] == [list(range(first, LAST + 1)) for first in (1, 6, 40)]


def test_an_ended_run_is_read_to_its_end_and_the_stream_closes(run: Run) -> None:
    work(run, pause=0)
    assert positions(asyncio.run(asyncio.wait_for(read(run), 5))) == list(range(1, LAST + 1))
    assert asyncio.run(asyncio.wait_for(read(run, after=LAST), 5)) == []


def test_silence_is_broken_by_keep_alives(run: Run) -> None:
    async def first() -> Any:
        async for item in stream.follow(run.pk, keep_alive=0.05):
            return item
        return "ended"

    assert asyncio.run(asyncio.wait_for(first(), 5)) is None


def test_an_event_is_seen_soon_after_it_was_saved(run: Run, bell: str) -> None:
    async def delays() -> list[float]:
        lease = recorder.Lease(run.pk, await asyncio.to_thread(and_close, recorder.take, run.pk, "w1") or "")
        following, found = stream.follow(run.pk), []
        for position in range(1, 6):
            await asyncio.sleep(0.3)
            await asyncio.to_thread(and_close, lease.save, Observation(position=position, at=AT, text="x"))
            saved = time.monotonic()
            while not isinstance(await anext(following), Event):
                pass
            found.append(time.monotonic() - saved)
        await following.aclose()
        return found

    assert max(asyncio.run(delays())) < 1.0


def test_the_looking_thread_ends_with_its_last_reader(run: Run) -> None:
    work(run, pause=0)
    asyncio.run(asyncio.wait_for(read(run), 5))
    wait_until_nobody_looks()


@pytest.mark.parametrize(
    ("event", "data", "position", "message"),
    [
        ("turn", "<p>a</p>", 3, b"id: 3\nevent: turn\ndata: <p>a</p>\n\n"),
        ("turn", "a\nb", None, b"event: turn\ndata: a\ndata: b\n\n"),
        ("", "a", 1, b"id: 1\ndata: a\n\n"),
        ("end", "", None, b"event: end\ndata: \n\n"),
    ],
)
def test_a_message_has_the_form_that_browsers_read(
    event: str, data: str, position: int | None, message: bytes
) -> None:
    assert stream.sse_message(event, data, position=position) == message
