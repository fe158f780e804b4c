"""One worker owns a run at a time, and only the owner writes; on both engines."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from agents.errors import RunLostError
from agents.models import Run, RunEvent, Status
from agents.traces import recorder
from agents.traces.events import CallResult, Event, ModelReply, RunCancelled, RunStarted, ThoughtDelta
from tests.server.conftest import make_cast, make_run

STARTED = RunStarted(
    position=1, at="2026-11-30T01:02:03.456+00:00", question="How many?", strategy="react", model="m", dialect="sqlite"
)


def events() -> list[Event]:
    at = "2026-11-30T01:02:04.000+00:00"
    text = "[\u00e9\U0001f600]"
    reply = ModelReply(position=2, at=at, turn=1, purpose="agent", conversation="main", text=text, cost=0.1)
    call = CallResult(
        position=3, at=at, turn=1, index=0, call={"op": "filter", "args": {"in": ["a", "b"]}}, state="ok",
        columns=({"name": "n", "type": "INTEGER"},), preview=((1, None, "12.50", [1, 2]),), row_count=1,
    )  # fmt: skip
    return [STARTED, reply, call]


@pytest.fixture
def run(own_url: str) -> Run:
    return make_run(make_cast())


def test_events_read_back_equal_those_saved(run: Run) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    for event in events():
        lease.save(event)
    assert recorder.saved_events(run.pk) == events()
    assert recorder.saved_events(run.pk, after=2) == events()[2:]


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\x00b", "a\ufffdb"), ("a\ud800b", "a\ufffdb"), ("a\\u0000b", "a\\u0000b"), ("\U0001f600", "\U0001f600")],
)
def test_what_a_database_refuses_does_not_stop_a_run(run: Run, text: str, kept: str) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    lease.save(ModelReply(position=1, at=STARTED.at, purpose="agent", conversation="main", text=text))
    (event,) = recorder.saved_events(run.pk)
    assert isinstance(event, ModelReply)
    assert event.text == kept


def test_of_eight_workers_that_grab_at_once_one_gets_the_run(run: Run) -> None:
    start, tokens = threading.Barrier(8), []

    def grab(number: int) -> None:
        start.wait()
        tokens.append(recorder.take(run.pk, f"w{number}"))
        connection.close()

    threads = [threading.Thread(target=grab, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 8
    assert len([token for token in tokens if token]) == 1


def test_a_living_owner_keeps_the_run(run: Run) -> None:
    assert recorder.take(run.pk, "w1")
    assert recorder.take(run.pk, "w2") is None


def test_a_run_whose_lease_ran_out_goes_to_the_next_and_the_first_can_write_nothing(run: Run) -> None:
    first = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    first.save(STARTED)
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    second = recorder.Lease(run.pk, recorder.take(run.pk, "w2") or "")
    with pytest.raises(RunLostError):
        first.save(events()[1])
    with pytest.raises(RunLostError):
        first.cancel_requested()
    with pytest.raises(RunLostError):
        first.finish(events()[1], fill=lambda run: pytest.fail("the lost worker wrote"))
    second.save(events()[1])
    assert RunEvent.objects.count() == 2
    run.refresh_from_db()
    assert run.attempt == 2


def test_every_write_renews_the_lease(run: Run) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    lease.save(STARTED)
    assert recorder.take(run.pk, "w2") is None


def test_a_released_run_is_taken_at_once(run: Run) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    lease.release()
    assert recorder.take(run.pk, "w2")


@pytest.mark.parametrize("status", [Status.ANSWERED, Status.FAILED, Status.CANCELLED])
def test_an_ended_run_is_never_taken(run: Run, status: Status) -> None:
    Run.objects.filter(pk=run.pk).update(status=status)
    assert recorder.take(run.pk, "w1") is None


def test_what_is_written_with_an_event_stands_or_falls_with_it(run: Run) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")

    def fails() -> None:
        Run.objects.filter(pk=run.pk).update(answer="half")
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        lease.save(STARTED, with_it=fails)
    run.refresh_from_db()
    assert (run.answer, RunEvent.objects.count()) == ("", 0)


def test_stopping_a_queued_run_ends_it_without_a_worker(run: Run) -> None:
    assert not recorder.cancel_queued(run.pk, by="ada"), "nobody asked for it yet"
    Run.objects.filter(pk=run.pk).update(cancel_requested_at=timezone.now())
    assert recorder.cancel_queued(run.pk, by="ada")
    run.refresh_from_db()
    (event,) = recorder.saved_events(run.pk)
    assert run.status == Status.CANCELLED
    assert isinstance(event, RunCancelled)
    assert (event.position, event.by) == (1, "ada")


def test_stopping_a_run_whose_worker_died_keeps_what_it_had_spent(run: Run) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    usage = {"input": 900, "cached": 100, "output": 50, "cost": 0.002}
    at = timezone.now().isoformat(timespec="milliseconds")
    told = {"purpose": "agent", "conversation": "main", "text": "[]", "seconds": 1.5, **usage}
    reply = ModelReply(position=2, at=at, turn=1, **told)  # type: ignore[arg-type]
    lease.save(STARTED, reply)
    recorder.ThoughtWriter(run.pk)._write()  # noqa: SLF001 - what its last turn was thinking
    Run.objects.filter(pk=run.pk).update(
        cancel_requested_at=timezone.now(), lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert recorder.cancel_queued(run.pk, by="ada")
    run.refresh_from_db()
    last = recorder.saved_events(run.pk)[-1]
    assert isinstance(last, RunCancelled)
    assert (last.position, last.turns, last.usage) == (3, 1, usage)
    assert (run.status, run.turns, run.input_tokens, run.cached_tokens, run.output_tokens, run.cost) == (
        Status.CANCELLED, 1, 900, 100, 50, Decimal("0.002"),
    )  # fmt: skip
    assert not hasattr(run, "live_thought")


def test_a_thought_shows_while_it_is_written_and_goes_with_the_reply(run: Run) -> None:
    lease = recorder.Lease(run.pk, recorder.take(run.pk, "w1") or "")
    write = recorder.ThoughtWriter(run.pk)
    write(ThoughtDelta(turn=1, text="I"))
    time.sleep(recorder.PACE)
    write(ThoughtDelta(turn=1, text=" look"))
    write(ThoughtDelta(turn=1, text=" at the orders"))  # within the pace: kept for the next write
    write(ThoughtDelta(turn=1, branch="candidate-2", text="unseen"))
    assert (run.live_thought.turn, run.live_thought.text) == (1, "I look")
    lease.save(events()[1])
    run.refresh_from_db()
    assert not hasattr(run, "live_thought")
