"""Whether two results hold the same rows, and whether both are in the order that the SQL asked for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import Any

Row = Sequence[Any]

# Sums of floats differ in the last digits with the order in which a database adds them.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


def same_rows(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """Whether both are the same multiset of rows, columns matched by position."""
    if len(one) != len(other) or (one and len(one[0]) != len(other[0])):
        return False
    if Counter(map(_key, one)) == Counter(map(_key, other)):
        return True
    return same_sequence(sorted(one, key=_sortable), sorted(other, key=_sortable))


def same_sequence(one: Sequence[Row], other: Sequence[Row]) -> bool:
    return len(one) == len(other) and all(map(_same_row, one, other))


def same_order(one: Sequence[Row], other: Sequence[Row], positions: Sequence[int]) -> bool:
    """Whether the sort keys at `positions` come in the same order; rows with equal keys may stand in any."""
    return same_sequence([[row[p] for p in positions] for row in one], [[row[p] for p in positions] for row in other])


def _same_row(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(map(_same_cell, one, other))


def _same_cell(one: Any, other: Any) -> bool:
    if isinstance(one, float | Decimal) or isinstance(other, float | Decimal):
        if not (_is_number(one) and _is_number(other)):
            return False
        a, b = float(one), float(other)
        return a == b or math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (math.isnan(a) and math.isnan(b))
    return bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal)


def _key(row: Row) -> tuple[Hashable, ...]:
    return tuple(_cell_key(value) for value in row)


def _cell_key(value: Any) -> Hashable:
    if isinstance(value, float | Decimal):
        return float(f"{float(value):.9g}")
    return value if isinstance(value, Hashable) else repr(value)


def _sortable(row: Row) -> tuple[tuple[str, Any], ...]:
    """Rows in an order in which nearly equal numbers stand at the same place."""
    return tuple(("number", float(v)) if _is_number(v) else (type(v).__name__, repr(v)) for v in row)
