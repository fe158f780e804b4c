"""A stored result as CSV, Excel, Parquet or JSON, written piece by piece.

Cells are the exact ones of the result. In CSV and Excel a text that a spreadsheet would run as a formula gets an
apostrophe before it (OWASP, "CSV Injection"); numbers, negative ones too, are never touched.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from agents.answers.cells import Column, as_text
from connections.spreadsheet import NUMBER, neutral

Rows = Iterable[Sequence[Any]]

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
}

_MANTISSA_SIGNS = re.compile(r"[+\-.]")

# Excel keeps 15 digits of a number; longer ones are written as text so that none is lost.
_EXCEL_DIGITS = 15
_EXCEL_ROWS = 1_048_575
_EXCEL_CHARACTERS = 32_767
# Bytes that are sent at once.
PIECE = 256 * 1024


def write(kind: str, columns: Sequence[Column], rows: Rows) -> Iterator[bytes]:
    """The file in pieces. Raises KeyError for a kind that is not offered."""
    return _WRITERS[kind](columns, rows)


def _csv(columns: Sequence[Column], rows: Rows) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield b"\xef\xbb\xbf"  # Excel reads UTF-8 only after a byte order mark
    writer.writerow([neutral(column.name) for column in columns])
    for row in rows:
        writer.writerow([neutral(as_text(cell)) if isinstance(cell, str) else as_text(cell) for cell in row])
        if buffer.tell() > 64_000:
            yield _drained(buffer)
    yield _drained(buffer)


def _drained(buffer: io.StringIO) -> bytes:
    data = buffer.getvalue().encode("utf-8", "replace")
    buffer.seek(0)
    buffer.truncate()
    return data


def _json(columns: Sequence[Column], rows: Rows) -> Iterator[bytes]:
    heads = [{"name": column.name, "type": column.type} for column in columns]
    yield f'{{"columns": {json.dumps(heads)}, "rows": ['.encode()
    separator = ""
    for row in rows:
        yield f"{separator}\n{json.dumps(list(row))}".encode()
        separator = ","
    yield b"\n]}\n"


def _xlsx(columns: Sequence[Column], rows: Rows) -> Iterator[bytes]:
    """Written to a file on the way, so that a large table needs little memory."""
    import xlsxwriter

    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with tempfile.TemporaryFile() as file:
        with xlsxwriter.Workbook(file, options) as book:
            sheet = book.add_worksheet("Result")
            bold = book.add_format({"bold": True})
            for place, column in enumerate(columns):
                sheet.write_string(0, place, neutral(column.name)[:_EXCEL_CHARACTERS], bold)
            sheet.freeze_panes(1, 0)
            for number, row in enumerate(rows, start=1):
                if number > _EXCEL_ROWS:
                    break
                for place, (cell, column) in enumerate(zip(row, columns, strict=False)):
                    _excel_cell(sheet, number, place, cell, column)
        yield from _pieces(file)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(PIECE):
        yield piece


def _excel_cell(sheet: Any, row: int, place: int, cell: Any, column: Column) -> None:
    if cell is None:
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, place, cell)
    elif (number := _excel_number(cell, column)) is not None:
        sheet.write_number(row, place, number)
    else:
        text = neutral(as_text(cell)) if isinstance(cell, str) else as_text(cell)
        sheet.write_string(row, place, text[:_EXCEL_CHARACTERS])


def _excel_number(cell: Any, column: Column) -> float | None:
    """The number that Excel would keep exactly, or None."""
    text = repr(cell) if isinstance(cell, int | float) else cell if isinstance(cell, str) and column.numeric else None
    if text is None or not NUMBER.match(text):
        return None
    digits = _MANTISSA_SIGNS.sub("", text.lower().partition("e")[0]).strip("0")
    return float(text) if len(digits) <= _EXCEL_DIGITS else None


def _parquet(columns: Sequence[Column], rows: Rows) -> Iterator[bytes]:
    from agents.answers import parquet  # late: pyarrow is heavy

    names = _unique([column.name or f"column_{column.place + 1}" for column in columns])
    with tempfile.TemporaryFile() as file:
        parquet.write(file, names, rows)
        yield from _pieces(file)


def _unique(names: Sequence[str]) -> list[str]:
    """Parquet readers want every name once."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


_WRITERS: Mapping[str, Callable[[Sequence[Column], Rows], Iterator[bytes]]] = {
    "csv": _csv, "xlsx": _xlsx, "parquet": _parquet, "json": _json,
}  # fmt: skip
