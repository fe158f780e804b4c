"""Rows of a result as a table of text, ready for grid.html."""

from __future__ import annotations

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


def grid_of(
    columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, identifier: str, label: str, first: int = 0
) -> Grid:
    """`first` is how many rows come before these."""
    shown = [
        GridRow(first + place + 1, [GridCell(cells.shown(cell, column), column.numeric)
                                    for cell, column in zip(row, columns, strict=False)])
        for place, row in enumerate(rows)
    ]  # fmt: skip
    heads = [GridColumn(column.name, column.type.lower(), column.numeric) for column in columns]
    return Grid(identifier, label, heads, shown)
