"""Tables of JSON cells as they are kept, read back as the values that scores compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

KEPT_ROWS = 50
_NUMBERS = ("integer", "decimal", "float")


def values(columns: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Numbers that JSON keeps as text are numbers again, so that 1.50 equals 1.5."""
    numeric = [str(column.get("semantic", "")) in _NUMBERS for column in columns]
    return [tuple(_number(cell) if is_one else cell for cell, is_one in zip(row, numeric, strict=True)) for row in rows]


def beginning(
    columns: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Any]], row_count: int | None = None
) -> dict[str, Any]:
    """{"columns", "rows", "row_count"} with at most KEPT_ROWS rows."""
    return {
        "columns": [dict(column) for column in columns],
        "rows": [list(row) for row in rows[:KEPT_ROWS]],
        "row_count": len(rows) if row_count is None else row_count,
    }


def _number(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return Decimal(cell)
    except InvalidOperation:
        return cell
