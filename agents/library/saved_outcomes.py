"""What a run of a saved question came to: a value in short, and a fingerprint by which a change is seen."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from agents.answers import cells, store
from agents.models import Run, StoredResult

LONGEST_VALUE = 60
FLOAT_DIGITS = 12  # a database that adds up in parallel gives others behind them each time


@dataclass(frozen=True, slots=True)
class Outcome:
    """`number` is `value` as the points of a line need it, None for a text. `compared` says what the fingerprint is of,
    "" for all of it."""

    value: str
    number: float | None
    fingerprint: str
    compared: str = ""


def outcome_of(run: Run) -> Outcome:
    """Of a run that was answered: its number, as the table writes it, where its only row has exactly one; else how many
    rows there are."""
    stored = run.results.filter(number=run.answer_result).first() if run.answer_result is not None else None
    if stored is None:
        return Outcome(_short(" ".join(run.answer.split())), None, _digest([run.answer]))
    rows = [list(row) for row in store.read(settings.RESULTS_DIR / stored.file)]
    fingerprint = _fingerprint(rows, stored, in_order=any(call.get("op") == "order_by" for call in run.steps))
    compared = f"first {len(rows):,} rows " if stored.truncated else ""
    alone = len(rows) == 1 and not stored.truncated
    only = _only_number(rows[0], cells.columns_of(stored.columns)) if alone else None
    if only is not None:
        return Outcome(*only, fingerprint, compared)
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


def _only_number(row: Sequence[Any], columns: Sequence[cells.Column]) -> tuple[str, float] | None:
    """How the table writes the number of the only column that holds numbers, and that number for a line."""
    numeric = [(cell, column) for cell, column in zip(row, columns, strict=True) if _is_numeric(cell, column)]
    if len(numeric) != 1:
        return None
    cell, column = numeric[0]
    try:
        number, words = float(cell), cells.shown(cell, column) or ""
    except (TypeError, ValueError):  # NULL; SQLite keeps any text in a column of numbers
        return None
    return (_short(words), number) if math.isfinite(number) else None


def _is_numeric(cell: Any, column: cells.Column) -> bool:
    """By its type: a postcode is no number. Of an expression SQLite tells none; there a JSON number is one."""
    known = column.semantic not in ("", "unknown")
    return column.numeric if known else isinstance(cell, int | float) and not isinstance(cell, bool)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
