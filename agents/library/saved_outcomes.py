"""What a run of a saved question came to: a value in short, and a fingerprint by which a change is seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from agents.answers import store
from agents.models import Run, StoredResult

FLOAT_DIGITS = 12  # a database that adds up in parallel gives others behind them each time


@dataclass(frozen=True, slots=True)
class Outcome:
    """`number` is `value` where that is one. `compared` says what the fingerprint is of, "" for all of it."""

    value: str
    number: float | None
    fingerprint: str
    compared: str = ""


def outcome_of(run: Run) -> Outcome:
    """Of a run that was answered: the single number where it is one, else how many rows there are."""
    stored = run.results.filter(number=run.answer_result).first() if run.answer_result is not None else None
    if stored is None:
        return Outcome(" ".join(run.answer.split())[:60], None, _digest([run.answer]))
    rows = [list(row) for row in store.read(settings.RESULTS_DIR / stored.file)]
    fingerprint = _fingerprint(rows, stored, in_order=any(call.get("op") == "order_by" for call in run.steps))
    compared = f"first {len(rows):,} rows " if stored.truncated else ""
    numbers = [found for found in map(_number, rows[0]) if found is not None] if len(rows) == 1 else []
    if numbers:
        return Outcome(f"{numbers[0]:,.10g}"[:60], numbers[0], fingerprint, compared)
    count = stored.rows_stored if stored.row_count is None else stored.row_count
    at_least = "at least " if stored.truncated and not _is_counted(stored) else ""
    return Outcome(f"{at_least}{count:,} row{'' if count == 1 else 's'}", float(count), fingerprint, compared)


def _is_counted(stored: StoredResult) -> bool:
    return stored.row_count is not None and stored.row_count_exact


def _fingerprint(rows: Sequence[Sequence[Any]], stored: StoredResult, *, in_order: bool) -> str:
    """Of the stored rows, whose order counts only where the program has one, and of how many there are altogether."""
    lines = [json.dumps([_steady(cell) for cell in row], default=str) for row in rows]
    return _digest([*(lines if in_order else sorted(lines)), f"{stored.row_count} {stored.truncated}"])


def _steady(cell: Any) -> Any:
    return float(f"{cell:.{FLOAT_DIGITS}g}") if isinstance(cell, float) else cell


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        return float(cell)
    except ValueError:
        return None
