"""Comparing what a database returned with what the reference says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.engine.reference import Bag

# MySQL keeps four digits after the point when it divides.
TOLERANCE = 6e-5


def assert_same(rows: Sequence[Sequence[Any]], bag: Bag) -> None:
    """The same rows, as often, and in the same order where the bag has one (ties in any order)."""
    assert len(rows) == len(bag.rows), f"{len(rows)} rows instead of {len(bag.rows)}: {rows} instead of {bag.tuples()}"
    start = 0
    for run in bag.runs():
        _assert_same_bag(rows[start : start + len(run)], run)
        start += len(run)


def _assert_same_bag(rows: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    left = list(expected)
    for row in rows:
        found = next((i for i, other in enumerate(left) if _same_row(row, other)), None)
        assert found is not None, f"{row} is not among {left} (all: {list(rows)})"
        del left[found]


def _same_row(row: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(row) == len(other) and all(_same(a, b) for a, b in zip(row, other, strict=True))


def _same(value: Any, expected: Any) -> bool:
    if isinstance(expected, int | float | Fraction) and isinstance(value, int | float | Decimal):
        return math.isclose(float(value), float(expected), rel_tol=1e-9, abs_tol=TOLERANCE)
    if isinstance(expected, date):  # SQLite keeps dates as text
        return str(value)[:10] == expected.isoformat()
    return bool(value == expected)
