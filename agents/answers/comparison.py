"""Whether two tables say the same: whole rows as a multiset, columns in any order, numbers within a tolerance.

Never column by column: two tables whose columns agree one by one may still pair different values (a weakness of
ReFoRCE's own vote).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

Row = Sequence[Any]
Rows = Sequence[Row]

TOLERANCE = 1e-3
"""Relative, and only where at least one of the two numbers is no whole number: 2001 is not 2002."""

NEAR_ZERO = 1e-9
MATCHED_EXHAUSTIVELY = 400
"""Rows of one group that are matched in every possible way before two tables are called different."""


def same_table(left: Rows, right: Rows) -> bool:
    """The same rows as often, the same number of columns, in any order of rows and columns."""
    return _width(left) == _width(right) and covers(left, right)


def covers(given: Rows, wanted: Rows) -> bool:
    """Whether `given` holds exactly the rows of `wanted`; it may have further columns, and columns in another order."""
    if len(given) != len(wanted):
        return False
    if not wanted:
        return True
    if _width(given) < _width(wanted):
        return False
    return _assign(_columns(given), _columns(wanted))


def is_blank(rows: Rows) -> bool:
    """No rows, or nothing but NULL in them: such a table proves little."""
    return all(value is None for row in rows for value in row)


def _assign(given: Sequence[list[Any]], wanted: Sequence[list[Any]]) -> bool:
    """Search for one given column for each wanted column, such that the rows agree. Rare columns come first."""
    fitting = {
        w: [g for g, column in enumerate(given) if _rows_agree([_alike(column, target)], [_alike(target, column)])]
        for w, target in enumerate(wanted)
    }
    order = sorted(fitting, key=lambda w: len(fitting[w]))

    def extend(chosen: tuple[int, ...]) -> bool:
        if len(chosen) == len(order):
            return True
        tried: list[list[Any]] = []  # of two equal columns the second cannot do better
        for g in fitting[order[len(chosen)]]:
            if g in chosen or given[g] in tried:
                continue
            tried.append(given[g])
            pairs = [(given[c], wanted[w]) for c, w in zip((*chosen, g), order, strict=False)]
            if _rows_agree([_alike(a, b) for a, b in pairs], [_alike(b, a) for a, b in pairs]) and extend((*chosen, g)):
                return True
        return False

    return extend(())


def _rows_agree(left: Sequence[list[Any]], right: Sequence[list[Any]]) -> bool:
    """Whether two tables, given by columns in the same order, hold the same rows as often."""
    groups, others = _grouped(left), _grouped(right)
    if groups.keys() != others.keys():
        return False
    return all(_vectors_match(vectors, others[key]) for key, vectors in groups.items())


def _grouped(columns: Sequence[list[Any]]) -> Mapping[Hashable, list[tuple[float, ...]]]:
    """The numbers of each row, grouped by everything in the row that must agree exactly."""
    groups: dict[Hashable, list[tuple[float, ...]]] = defaultdict(list)
    for row in zip(*columns, strict=True):
        key = tuple("#" if _is_number(value) else (type(value).__name__, value) for value in row)
        groups[key].append(tuple(value for value in row if _is_number(value)))
    return groups


def _vectors_match(left: list[tuple[float, ...]], right: list[tuple[float, ...]]) -> bool:
    """Pair the vectors one to one within the tolerance: sorted first, in every way when that fails."""
    if len(left) != len(right):
        return False
    if all(_close(a, b) for a, b in zip(sorted(left), sorted(right), strict=True)):
        return True
    if not left[0] or len(left[0]) == 1 or len(left) > MATCHED_EXHAUSTIVELY:
        return False
    partner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for other, vector in enumerate(right):
            if other in tried or not _close(left[row], vector):
                continue
            tried.add(other)
            if other not in partner or place(partner[other], tried):
                partner[other] = row
                return True
        return False

    return all(place(row, set()) for row in range(len(left)))


def _close(left: tuple[float, ...], right: tuple[float, ...]) -> bool:
    return all(_near(a, b) for a, b in zip(left, right, strict=True))


def _near(left: float, right: float) -> bool:
    if left == right:
        return True
    if left != left or right != right:  # NaN equals NaN here: both say "not a number"
        return left != left and right != right
    if _is_whole(left) and _is_whole(right):
        return False
    try:
        return abs(left - right) <= max(TOLERANCE * max(abs(left), abs(right)), NEAR_ZERO)
    except OverflowError:  # a whole number beyond every float beside a fraction
        return False


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def _same(left: Any, right: Any) -> bool:
    if _is_number(left) and _is_number(right):
        return _near(left, right)
    return type(left) is type(right) and bool(left == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _alike(column: list[Any], other: list[Any]) -> list[Any]:
    """`column`, its texts read as numbers where the other column holds numbers and every text here is one."""
    if not any(isinstance(value, str) for value in column) or not any(_is_number(value) for value in other):
        return column
    read = [_number(value) if isinstance(value, str) else value for value in column]
    return column if any(value is None and kept is not None for value, kept in zip(read, column, strict=True)) else read


@lru_cache(maxsize=4096)
def _number(text: str) -> float | None:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text.replace(",", ""))
        except ValueError:
            return None


def _columns(rows: Rows) -> list[list[Any]]:
    return [[_cell(row[index]) for row in rows] for index in range(_width(rows))]


def _width(rows: Rows) -> int:
    return len(rows[0]) if rows else 0


def _cell(value: Any) -> Any:
    """None, a number (booleans are 1 and 0), or a text: what two databases and JSON agree on."""
    if value is None or isinstance(value, (float, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ").removesuffix(".000000")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, UUID)):
        return value.hex() if isinstance(value, bytes) else str(value)
    return repr(value)
