"""A finished run as one JSON document: what `manage.py ask --json` prints and an evaluation keeps as the trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.answers.tables import table_of
from agents.contracts import Answer, Workbench
from agents.engine.engine import Engine
from agents.engine.outcomes import Result
from agents.traces.events import Event, RunCancelled, RunFailed, RunFinished, to_json

NOTHING_SPENT: Mapping[str, Any] = {"input": 0, "cached": 0, "output": 0, "cost": None}


def document_of(answer: Answer | None, bench: Workbench, events: Sequence[Event]) -> dict[str, Any]:
    """The document of a run that `strategies.start` has ended."""
    end = next((event for event in reversed(events) if isinstance(event, (RunFinished, RunFailed, RunCancelled))), None)
    status = end.status if isinstance(end, RunFinished) else "cancelled" if isinstance(end, RunCancelled) else "failed"
    result = _behind(answer, bench.engine)
    return {
        "status": status,
        "answer": answer.text if answer else None,
        "options": list(answer.options) if answer else [],
        "table": _table(answer, result),
        "sql": result.sql if result else "",
        "program": bench.engine.result_program(result.number) if result else [],
        "turns": end.turns if end else 0,
        "calls": end.calls if end else 0,
        "usage": dict(end.usage) if end else dict(NOTHING_SPENT),
        "seconds": end.seconds if end else 0.0,
        "error": dict(end.error) if isinstance(end, RunFailed) else None,
        "events": [to_json(event) for event in events],
    }


def failure(kind: str, message: str, events: Iterable[Event] = (), status: str = "failed") -> dict[str, Any]:
    """The document of a run that could not even begin."""
    return {
        "status": status,
        "answer": None,
        "options": [],
        "table": None,
        "sql": "",
        "program": [],
        "turns": 0,
        "calls": 0,
        "usage": dict(NOTHING_SPENT),
        "seconds": 0.0,
        "error": {"type": kind, "message": message},
        "events": [to_json(event) for event in events],
    }


def _table(answer: Answer | None, result: Result | None) -> dict[str, Any] | None:
    if answer is None or answer.status != "answered":
        return None
    if answer.table is not None:
        return dict(answer.table)
    return table_of(result) if result is not None and answer.result is not None else None


def _behind(answer: Answer | None, engine: Engine) -> Result | None:
    """The result that is the answer's table, else the last one that its table was made from."""
    if answer is None:
        return None
    numbers = [answer.result] if answer.result is not None else list(answer.sources)
    return next((result for result in engine.results if numbers and result.number == numbers[-1]), None)
