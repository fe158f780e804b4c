"""How a stored cell is written in a table.

Cells come as JSON (numbers only where nothing is lost, everything else as text). Nothing is rounded and no time zone is
applied: what the database said is what is shown. Digits are grouped in numeric columns that are not identifiers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connections.values import CUT_NOTE

Cell = Any

# Longest text of one cell in a table; the export holds the whole.
LONGEST_CELL = 300

NUMERIC = frozenset({"integer", "decimal", "float"})

# Numbers that name something are not grouped: 2026 is a year, 10115 a postcode.
_NAMES_SOMETHING = re.compile(
    r"(^|_|\s|(?<=[a-z]))(id|key|no|nr|num|number|code|year|yr|zip|postcode|phone|isbn|ean|sku|pin|version|jahr)s?$",
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(r"(-?)(\d+)(\.\d+)?$")


@dataclass(frozen=True, slots=True)
class Column:
    """A column as a table shows it. Names may repeat; a column is known by its place."""

    place: int
    name: str
    type: str = ""
    semantic: str = ""

    @property
    def numeric(self) -> bool:
        return self.semantic in NUMERIC

    @property
    def grouped(self) -> bool:
        return self.numeric and not _NAMES_SOMETHING.search(self.name)


def columns_of(data: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """From the JSON form {"name", "type", "semantic"?} by position."""
    return tuple(
        Column(place, str(item.get("name", "")), str(item.get("type", "")), str(item.get("semantic", "")))
        for place, item in enumerate(data)
    )


def with_guessed_semantics(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> tuple[Column, ...]:
    """Columns without a semantic type (a synthesised table) count as numbers where all their cells are."""
    return tuple(
        column if column.semantic else Column(column.place, column.name, column.type, _guess(column.place, rows))
        for column in columns
    )


def _guess(place: int, rows: Sequence[Sequence[Cell]]) -> str:
    cells = [row[place] for row in rows if place < len(row) and row[place] is not None]
    numbers = bool(cells) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)
    return "decimal" if numbers else "text"


def shown(cell: Cell, column: Column | None = None) -> str | None:
    """The text of a cell, None for NULL."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return _digits(repr(cell), column is not None and column.grouped)
    if isinstance(cell, str):
        numeric = column is not None and column.numeric
        return _digits(cell, column is not None and column.grouped) if numeric else _cut(cell)
    if (hexes := _bytes_as_text(cell)) is not None:
        return _cut(f"0x{hexes}")
    return _cut(json.dumps(cell, ensure_ascii=False))


def as_text(cell: Any) -> str:
    """A cell as the text of a file; NULL is empty."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        return repr(cell)
    hexes = _bytes_as_text(cell)
    return json.dumps(cell, ensure_ascii=False) if hexes is None else hexes


def _bytes_as_text(cell: Any) -> str | None:
    """The digits of a cell of bytes, with a note where only their beginning was kept; None for another cell."""
    if not isinstance(cell, Mapping) or not {"hex"} <= set(cell) <= {"hex", "cut"}:
        return None
    digits = str(cell["hex"])
    return f"{digits}… [cut: only the first {len(digits) // 2:,} bytes are here]" if cell.get("cut") else digits


def _digits(text: str, grouped: bool) -> str:
    """Exact digits with a real minus sign; what is no plain number (1e-7, NaN) stays as it is."""
    match = _PLAIN_NUMBER.match(text)
    if match is None:
        return _cut(text)
    sign, whole, fraction = match.groups()
    return ("\u2212" if sign else "") + (f"{int(whole):,}" if grouped else whole) + (fraction or "")


def _cut(text: str) -> str:
    """What was cut before it came here says so itself, at its end."""
    if len(text) <= LONGEST_CELL:
        return text
    note = CUT_NOTE.search(text, len(text) - LONGEST_CELL)
    return text[:LONGEST_CELL] + (note[0] if note else f"… ({len(text):,} characters)")
