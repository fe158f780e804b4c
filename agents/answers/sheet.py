"""One table as an Excel workbook, sent as it is written: a row is gone as soon as the next piece is full.

The file is the smallest workbook of ECMA-376 part 1: a sheet of inline strings, one bold style, a frozen first row.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice

# None is an empty cell. Numbers are finite and written with all their digits; Excel computes with doubles.
Cell = str | bool | int | float | None

# What one sheet and one cell of Excel hold, https://support.microsoft.com/office/excel-specifications-and-limits
ROWS, COLUMNS, CHARACTERS = 1_048_576, 16_384, 32_767
# Bytes that are sent at once.
PIECE = 256 * 1024

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
    '<sheet name="Result" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}
_BEGIN = (
    f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>'
)
_END = "</sheetData></worksheet>"
_BOLD = ' s="1"'
_CUT_ROWS = (f"Cut here: an Excel sheet holds {ROWS:,} rows, and there are more. CSV and Parquet hold more.",)

# What XML has no letter for is written _x001F_, and so is a text that looks like such a code (ECMA-376, ST_Xstring).
_AWKWARD = re.compile("[\x00-\x08\x0b-\x1f&<>\ufffe\uffff]|_x[0-9A-Fa-f]{4}_|^\\s|\\s$")
_CODE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """The workbook in pieces. A cut says so: the last row where there are more than a sheet holds, the end of a text
    that is longer than a cell."""
    sink = _Sink()
    letters = [_letters(place) for place in range(min(len(head), COLUMNS))]
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as book:
        for name, xml in _PARTS.items():
            book.writestr(name, _XML + xml)
        with book.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write((_BEGIN + _row(1, letters, head, _BOLD)).encode("utf-8", "replace"))
            numbers = zip(count(2), _as_many_as_fit(iter(rows)))
            while chunk := "".join([_row(number, letters, row) for number, row in islice(numbers, 100)]):
                sheet.write(chunk.encode("utf-8", "replace"))
                if sink.size > PIECE:
                    yield sink.drained()
            sheet.write(_END.encode())
    yield sink.drained()


def _as_many_as_fit(rows: Iterator[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
    yield from islice(rows, ROWS - 2)
    last = list(islice(rows, 2))
    yield from last if len(last) < 2 else [_CUT_ROWS]


def _row(number: int, letters: Sequence[str], cells: Sequence[Cell], style: str = "") -> str:
    found = [f'<row r="{number}">']
    for place, cell in zip(letters, cells, strict=False):
        if cell is None:
            continue
        if isinstance(cell, str):
            found.append(f'<c r="{place}{number}"{style} t="inlineStr"><is>{_text(_fitting(cell))}</is></c>')
        elif isinstance(cell, bool):
            found.append(f'<c r="{place}{number}" t="b"><v>{cell:d}</v></c>')
        else:
            found.append(f'<c r="{place}{number}"><v>{cell!r}</v></c>')
    return "".join([*found, "</row>"])


def _fitting(text: str) -> str:
    """`text`, or as much of it as a cell holds with its length behind it."""
    if len(text) <= CHARACTERS:
        return text
    told = f"… ({len(text):,} characters)"
    return text[: CHARACTERS - len(told)] + told


def _text(text: str) -> str:
    if _AWKWARD.search(text) is None:
        return f"<t>{text}</t>"
    coded = _CODE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    return f'<t xml:space="preserve">{coded.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}</t>'


def _letters(place: int) -> str:
    """0 is A, 26 is AA."""
    rest, last = divmod(place, 26)
    return (_letters(rest - 1) if rest else "") + chr(65 + last)


class _Sink:
    """A file that can only be written to, and is emptied from time to time."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0

    def write(self, data: bytes, /) -> int:
        self._pieces.append(data)
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits anywhere."""

    close = flush

    def drained(self) -> bytes:
        data = b"".join(self._pieces)
        self._pieces, self.size = [], 0
        return data
