"""A stored result as CSV, Excel, Parquet or JSON, written piece by piece.

Cells are the exact ones of the result. In CSV and Excel a text that a spreadsheet would run as a formula gets an
apostrophe before it (OWASP, "CSV Injection"); numbers, negative ones too, are never touched.

A file that is cut says so inside: CSV and Excel in a last line, JSON in `truncated` and `note`, Parquet in the metadata
of these names.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import IO, Any

from agents.answers import sheet
from agents.answers.cells import Column, as_text
from connections.spreadsheet import NUMBER, neutral

Rows = Iterable[Sequence[Any]]
Missing = Callable[[], str]

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
}

_MANTISSA_SIGNS = re.compile(r"[+\-.]")

# Excel keeps 15 digits of a decimal number; longer ones are written as text so that none is lost.
_EXCEL_DIGITS = 15


def write(
    kind: str, columns: Sequence[Column], rows: Rows, missing: Missing = lambda: ""
) -> Iterator[bytes]:
    """The file in pieces. `missing` is asked when all of `rows` were read: what is not among them, in words, or "".
    Raises KeyError for a kind that is not offered."""
    return _WRITERS[kind](columns, rows, missing)


def _csv(columns: Sequence[Column], rows: Rows, missing: Missing) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield b"\xef\xbb\xbf"  # Excel reads UTF-8 only after a byte order mark
    writer.writerow([neutral(column.name) for column in columns])
    for row in rows:
        writer.writerow([neutral(as_text(cell)) if isinstance(cell, str) else as_text(cell) for cell in row])
        if buffer.tell() > 64_000:
            yield _drained(buffer)
    if note := missing():
        writer.writerow([note])
    yield _drained(buffer)


def _drained(buffer: io.StringIO) -> bytes:
    data = buffer.getvalue().encode("utf-8", "replace")
    buffer.seek(0)
    buffer.truncate()
    return data


def _json(columns: Sequence[Column], rows: Rows, missing: Missing) -> Iterator[bytes]:
    heads = [{"name": column.name, "type": column.type} for column in columns]
    yield f'{{"columns": {json.dumps(heads)}, "rows": ['.encode()
    separator = ""
    for row in rows:
        yield f"{separator}\n{json.dumps(list(row))}".encode()
        separator = ","
    note = missing()
    end = {"truncated": bool(note), **({"note": note} if note else {})}
    yield f"\n], {json.dumps(end)[1:]}\n".encode()


def _xlsx(columns: Sequence[Column], rows: Rows, missing: Missing) -> Iterator[bytes]:
    head = [neutral(column.name) for column in columns]
    return sheet.write(head, _excel_rows(columns, rows, missing))


def _excel_rows(columns: Sequence[Column], rows: Rows, missing: Missing) -> Iterator[Sequence[sheet.Cell]]:
    numeric = [column.numeric for column in columns]
    for row in rows:
        yield [_excel_cell(*pair) for pair in zip(row, numeric, strict=False)]
    if note := missing():
        yield [note]


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(sheet.PIECE):
        yield piece


def _excel_cell(cell: Any, numeric: bool) -> sheet.Cell:
    """As Excel keeps it without a loss: doubles and short decimals are numbers, longer decimals are texts."""
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int | float):
        kept = isfinite(cell) if isinstance(cell, float) else _fits_excel(str(cell))
        return cell if kept else repr(cell)
    if not isinstance(cell, str):
        return as_text(cell)
    if numeric and NUMBER.match(cell) and _fits_excel(cell) and isfinite(number := float(cell)):
        return number
    return neutral(cell)


def _fits_excel(number: str) -> bool:
    if len(number) <= _EXCEL_DIGITS:
        return True
    return len(_MANTISSA_SIGNS.sub("", number.lower().partition("e")[0]).strip("0")) <= _EXCEL_DIGITS


def _parquet(columns: Sequence[Column], rows: Rows, missing: Missing) -> Iterator[bytes]:
    from agents.answers import parquet  # late: pyarrow is heavy

    names = _unique([column.name or f"column_{column.place + 1}" for column in columns])
    with tempfile.TemporaryFile() as file:
        parquet.write(file, names, rows, missing)
        yield from _pieces(file)


def _unique(names: Sequence[str]) -> list[str]:
    """Parquet readers want every name once."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


_WRITERS: Mapping[str, Callable[[Sequence[Column], Rows, Missing], Iterator[bytes]]] = {
    "csv": _csv, "xlsx": _xlsx, "parquet": _parquet, "json": _json,
}  # fmt: skip
