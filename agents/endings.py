"""How a run ended, read off its events and put into its row, where lists and pages find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from math import inf
from typing import Any, TypeVar

from agents.conversation import usage_of
from agents.engine.engine import Engine
from agents.llm.budget import Spent
from agents.llm.messages import Usage
from agents.models import Run, Status
from agents.traces.events import (
    CallResult,
    Event,
    Final,
    ModelReply,
    Retry,
    RunCancelled,
    RunFailed,
    RunFinished,
    Shaped,
)
from connections.storable import storable

E = TypeVar("E", bound=Event)
Ending = RunFinished | RunFailed | RunCancelled

UNTOLD = 15.0
"""Seconds between two events that no event tells of: counting rows, waiting for a session."""


def fill(run: Run, ending: Ending, events: Sequence[Event], engine: Engine | None) -> None:
    """Set the fields of `run` from its last event and those before it."""
    run.turns, run.calls, run.seconds = ending.turns, ending.calls, ending.seconds
    _fill_usage(run, ending.usage)
    if isinstance(ending, RunFailed):
        run.status = Status.FAILED
        run.error_type, run.error = ending.error["type"][:60], storable(ending.error["message"])
    elif isinstance(ending, RunCancelled):
        run.status = Status.CANCELLED
    else:
        run.status = Status(ending.status)
        _fill_answer(run, _last(events, Final), _last(events, Shaped))
        _fill_derivation(run, _last(events, Shaped), engine)


def spent(events: Sequence[Event]) -> Spent:
    """What a run with these events had spent."""
    lost = sum((Usage(one.input, 0, one.output, one.cost) for one in events if isinstance(one, Retry)), Usage())
    return Spent(
        turns=max((event.turn for event in events), default=0),
        calls=sum(isinstance(event, CallResult) and event.state != "skipped" for event in events),
        usage=sum((usage_of(event) for event in events if isinstance(event, ModelReply)), lost),
        lost=lost,
        seconds=seconds_of(events),
    )


def seconds_of(events: Sequence[Event]) -> float:
    """Seconds that a run was at work until the last of `events`. Between two of them it was so for as long as what
    the later one tells of took; in the rest of a long gap no worker had it."""
    times = [datetime.fromisoformat(event.at) for event in events]
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    return sum(min(gap, _took(event) + UNTOLD) for gap, event in zip(gaps, events[1:], strict=True))


def _took(event: Event) -> float:
    if isinstance(event, ModelReply):
        return event.seconds
    if isinstance(event, CallResult):
        return event.ms / 1000
    return inf if isinstance(event, Retry) else 0.0  # an attempt that failed tells no time


def _fill_usage(run: Run, usage: Mapping[str, Any]) -> None:
    run.input_tokens = usage.get("input", 0)
    run.cached_tokens = usage.get("cached", 0)
    run.output_tokens = usage.get("output", 0)
    cost = usage.get("cost")
    run.cost = None if cost is None else Decimal(str(round(cost, 8)))


def _fill_answer(run: Run, final: Final | None, shaped: Shaped | None) -> None:
    run.answer = storable(shaped.text if shaped else final.text if final else "")
    run.options = storable(final.options) if final else []
    if shaped:
        run.answer_result, run.answer_table = shaped.result, storable(shaped.table)


def _fill_derivation(run: Run, shaped: Shaped | None, engine: Engine | None) -> None:
    """The SQL and the program behind the answer: of the result that is the table, else of the last one cited."""
    numbers = [shaped.result] if shaped and shaped.result else list(shaped.sources) if shaped else []
    if engine is None or not numbers or not numbers[-1]:
        return
    result = engine.results[numbers[-1] - 1]
    run.sql = storable(result.sql)
    run.program = storable(engine.result_program(result.number))


def _last(events: Sequence[Event], kind: type[E]) -> E | None:
    return next((event for event in reversed(events) if isinstance(event, kind) and not event.branch), None)
