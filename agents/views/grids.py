"""Rows of a result as a table of text, ready for grid.html."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.answers import cells
from agents.answers.cells import Column


@dataclass(frozen=True, slots=True)
class GridColumn:
    name: str
    type: str
    numeric: bool
    sorted: str = ""
    sort_url: str = ""


@dataclass(frozen=True, slots=True)
class GridCell:
    text: str | None
    numeric: bool
    rtl: bool = True


@dataclass(frozen=True, slots=True)
class GridRow:
    number: int
    cells: Sequence[GridCell]


@dataclass(frozen=True, slots=True)
class Grid:
    id: str
    label: str
    columns: Sequence[GridColumn]
    rows: Sequence[GridRow]


# A blank as wide as a digit, and one as wide as a point.
DIGIT, POINT = "\u2007", "\u2008"
MOST_DECIMALS = 6
_PLAIN = re.compile(r"\u2212?[\d,]+(?:\.(\d+))?$")


def _line_up(rows: Sequence[list[str | None]], place: int) -> None:
    """Blanks behind shorter fractions of a column, so that its points stand one below the other. No digit changes."""
    found = [(row, _PLAIN.match(row[place] or "")) for row in rows if place < len(row)]
    decimals = [(row, len(match[1] or "")) for row, match in found if match is not None]
    most = max((count for _, count in decimals), default=0)
    if not 0 < most <= MOST_DECIMALS:
        return
    for row, count in decimals:
        row[place] = f"{row[place]}{'' if count else POINT}{DIGIT * (most - count)}"


def grid_of(
    columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, identifier: str, label: str, first: int = 0
) -> Grid:
    """`first` is how many rows come before these."""
    texts = [[cells.shown(cell, column) for cell, column in zip(row, columns, strict=False)] for row in rows]
    for place, column in enumerate(columns):
        if column.numeric:
            _line_up(texts, place)
    shown = [
        GridRow(number, [GridCell(text, column.numeric) for text, column in zip(row, columns, strict=False)])
        for number, row in enumerate(texts, start=first + 1)
    ]
    heads = [GridColumn(column.name, column.type.lower(), column.numeric) for column in columns]
    return Grid(identifier, label, heads, shown)
