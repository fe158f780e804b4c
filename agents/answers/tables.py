"""A result as the table that people and other programs get: JSON cells, exact, by position; and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.engine.outcomes import Result
from connections.values import display_text, to_cell

SHOWN_ROWS = 20
LONGEST_CELL = 60


def table_of(result: Result) -> dict[str, Any]:
    """{"columns": [{"name", "type"}], "rows", "row_count", "row_count_exact", "truncated"}: exactly that result."""
    return {
        "columns": [{"name": column.name, "type": column.type} for column in result.columns],
        "rows": [[to_cell(value) for value in row] for row in result.rows],
        "row_count": result.row_count,
        "row_count_exact": result.row_count_exact,
        "truncated": result.truncated,
    }


def as_text(table: Mapping[str, Any], rows: int = SHOWN_ROWS) -> str:
    """The head of a table in aligned columns, and how many rows are not shown."""
    shown = [[_short(display_text(cell)) for cell in row] for row in table["rows"][:rows]]
    names = [_short(column["name"]) for column in table["columns"]]
    widths = [max(map(len, column)) for column in zip(names, *shown, strict=True)]
    lines = [_line(names, widths), _line(["-" * width for width in widths], widths)]
    lines += [_line(row, widths) for row in shown]
    total = table.get("row_count") or len(table["rows"])
    if total > len(shown):
        at_least = "" if table.get("row_count_exact", True) else "at least "
        lines.append(f"(the first {len(shown):,} of {at_least}{total:,} rows)")
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CELL else line[: LONGEST_CELL - 1] + "…"
