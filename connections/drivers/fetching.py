"""Taking rows from a cursor under caps, so that no result can fill the memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from connections.contracts import Sink
from connections.values import CutBytes

Row = tuple[Any, ...]

PIECE = 1_000
"""Rows that a sink is given at once."""


class CutText(str):
    """A text that a driver has already cut, with its note: it is only counted."""


@dataclass(frozen=True, slots=True)
class Taken:
    """`cut_by` is "" (all rows are here), "rows" or "bytes"; `cut_cells` counts values that lost their end."""

    rows: tuple[Row, ...]
    cut_by: str
    cut_cells: int


def take(
    source: Iterable[Row],
    *,
    max_rows: int,
    max_bytes: int,
    cell_bytes: int,
    check: Callable[[], None],
    sink: Sink | None = None,
) -> Taken:
    """At most `max_rows` rows of `source` within `max_bytes` of Python memory, each value within `cell_bytes`.

    One more row than `max_rows` is asked for, to know whether there was one. `check` is called now and then and
    raises when the statement was stopped. With `sink` the rows go there in pieces, and none are held.
    """
    if sink is not None:
        return _hand_on(source, sink, max_rows, cell_bytes, check)
    rows: list[Row] = []
    held = cut_cells = 0
    for row in source:
        if len(rows) >= max_rows:
            return Taken(tuple(rows), "rows", cut_cells)
        size = sys.getsizeof(row) + sum(map(size_of, row))
        if size > cell_bytes:
            row, cut = _shorten(row, cell_bytes)
            cut_cells += cut
            size = sys.getsizeof(row) + sum(map(size_of, row))
        if held + size > max_bytes and rows:
            return Taken(tuple(rows), "bytes", cut_cells)
        held += size
        rows.append(row)
        if not len(rows) % 1000:
            check()
    return Taken(tuple(rows), "", cut_cells)


def as_subquery(sql: str) -> str:
    """`sql`, which a database has accepted as one SELECT, in brackets; the line break ends a comment."""
    return "(" + sql.rstrip("; \t\r\n") + "\n)"


def _hand_on(source: Iterable[Row], sink: Sink, max_rows: int, cell_bytes: int, check: Callable[[], None]) -> Taken:
    piece: list[Row] = []
    cut_cells, cut_by = 0, ""
    for count, row in enumerate(source):
        if count >= max_rows:
            cut_by = "rows"
            break
        if sum(map(size_of, row)) > cell_bytes:
            row, cut = _shorten(row, cell_bytes)
            cut_cells += cut
        piece.append(row)
        if len(piece) >= PIECE:
            check()
            sink(piece)
            piece = []
    if piece:
        sink(piece)
    return Taken((), cut_by, cut_cells)


def size_of(value: Any) -> int:
    """Bytes of memory that a value holds, about."""
    kind = type(value)
    if kind is list or kind is tuple:
        return sys.getsizeof(value) + sum(map(size_of, value))
    if kind is dict:
        return sys.getsizeof(value) + sum(size_of(key) + size_of(item) for key, item in value.items())
    return sys.getsizeof(value)


def shorten(value: Any, limit: int) -> Any:
    """The beginning of a text (with a note at its end) or of bytes that is longer than `limit`; else the value."""
    if isinstance(value, CutText):
        return str(value)
    if isinstance(value, str) and len(value) > limit:
        return f"{value[:limit]}… [cut: the first {limit:,} of {len(value):,} characters]"
    if isinstance(value, (bytes, bytearray, memoryview)) and len(value) > limit:
        return CutBytes(value[:limit])
    if isinstance(value, (list, tuple, dict)) and size_of(value) > limit * 8:
        return f"[cut: a {type(value).__name__} with {len(value):,} items is too large to show]"
    return value


def _shorten(row: Row, limit: int) -> tuple[Row, int]:
    short = tuple(shorten(value, limit) for value in row)
    return short, sum(new is not old for new, old in zip(short, row, strict=True))
