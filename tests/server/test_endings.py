"""What a run is said to have taken when an earlier attempt of it ended without a word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from agents import endings
from agents.traces.events import CallResult, Event, ModelCallStarted, ModelReply, Observation, Retry

BEGIN = datetime(2026, 5, 1, 10, tzinfo=UTC)


def at(when: float, kind: type[Event], **fields: Any) -> Event:
    return kind(at=(BEGIN + timedelta(seconds=when)).isoformat(timespec="milliseconds"), **fields)


def asked(seconds: float) -> Event:
    return at(seconds, ModelCallStarted, turn=1, purpose="agent", conversation="agent", appended=())


def replied(seconds: float, took: float) -> Event:
    usage = {"input": 100, "cached": 10, "output": 20, "cost": 0.1}
    return at(seconds, ModelReply, turn=1, purpose="agent", conversation="agent", text="", seconds=took, **usage)


def test_an_hour_without_a_worker_is_not_an_hour_of_work() -> None:
    trace = [asked(0), replied(30, took=30), at(30, Observation, text=""), asked(3630), replied(3650, took=20)]
    assert endings.seconds_of(trace) == 30 + endings.UNTOLD + 20


def test_what_is_told_to_have_taken_long_counts_whole() -> None:
    slow = at(540, CallResult, index=0, call={}, state="ok", ms=500_000.0)
    waited = at(640, Retry, attempt=1, wait=1.0, reason="busy")
    assert endings.seconds_of([asked(0), replied(40, took=40), slow, waited]) == 640
    assert endings.seconds_of([]) == 0


def test_spent_is_the_sum_over_the_events() -> None:
    states = ("ok", "failed", "skipped")
    called = [at(2, CallResult, turn=2, index=index, call={}, state=state) for index, state in enumerate(states)]
    found = endings.spent([asked(0), replied(1, took=1), *called, replied(3, took=1)])
    assert (found.turns, found.calls) == (2, 2)
    assert found.to_json()["usage"] == {"input": 200, "cached": 20, "output": 40, "cost": 0.2}
