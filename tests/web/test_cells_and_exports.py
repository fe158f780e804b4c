"""Cells are shown and exported exactly; a spreadsheet never runs one."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq
import pytest

from agents.answers import exports, sheet
from agents.answers.cells import Column, columns_of, shown, with_guessed_semantics

AMOUNT = Column(0, "amount", "NUMERIC(38, 9)", "decimal")
YEAR = Column(0, "year", "INTEGER", "integer")
NAME = Column(0, "name", "TEXT", "text")


@pytest.mark.parametrize(
    ("cell", "column", "text"),
    [
        (None, AMOUNT, None),
        ("1234567890123456789.000000001", AMOUNT, "1,234,567,890,123,456,789.000000001"),
        ("-299.00", AMOUNT, "\u2212299.00"),
        (0.1, AMOUNT, "0.1"),
        (1e-07, AMOUNT, "1e-07"),
        ("NaN", AMOUNT, "NaN"),
        (2026, YEAR, "2026"),
        (18420, Column(0, "orders", "INTEGER", "integer"), "18,420"),
        (18420, Column(0, "customer_id", "INTEGER", "integer"), "18420"),
        ("12345", NAME, "12345"),
        ("2026-03-29T02:30:00+02:00", Column(0, "at", "TIMESTAMPTZ", "timestamptz"), "2026-03-29T02:30:00+02:00"),
        (True, Column(0, "paid", "BOOLEAN", "boolean"), "true"),
        ({"hex": "00ff"}, Column(0, "raw", "BLOB", "bytes"), "0x00ff"),
        ([1, {"a": "ü"}], Column(0, "doc", "JSON", "json"), '[1, {"a": "ü"}]'),
        ("", NAME, ""),
    ],
)
def test_a_cell_is_shown_as_the_database_said_it(cell: Any, column: Column, text: str | None) -> None:
    assert shown(cell, column) == text


def test_a_long_text_says_how_long_it_is() -> None:
    assert str(shown("x" * 10_000, NAME)).endswith("… (10,000 characters)")


@pytest.mark.parametrize(
    ("cell", "shown_note", "file_note"),
    [
        ("x" * 5_000 + "… [cut: the first 5,000 of 9,000 characters]",) * 2 + ("of 9,000 characters]",),
        ({"hex": "00" * 5_000, "cut": True}, "… [cut: only the first 5,000 bytes are here]", "5,000 bytes are here]"),
        ({"hex": "0000", "cut": True}, "0x0000… [cut: only the first 2 bytes are here]", "2 bytes are here]"),
    ],
)
def test_a_value_of_which_only_the_beginning_was_kept_says_so(cell: Any, shown_note: str, file_note: str) -> None:
    assert str(shown(cell, NAME)).endswith(shown_note[-40:])
    assert len(str(shown(cell, NAME))) < 400
    (_, row) = csv.reader(io.StringIO(b"".join(exports.write("csv", (NAME,), [[cell]])).decode("utf-8-sig")))
    assert row[0].endswith(file_note)


def test_columns_of_a_synthesised_table_are_numbers_when_all_cells_are() -> None:
    columns = with_guessed_semantics(columns_of([{"name": "a"}, {"name": "b"}]), [[1, "x"], [None, 2]])
    assert [column.numeric for column in columns] == [True, False]


COLUMNS = (
    Column(0, "name", "TEXT", "text"),
    Column(1, "name", "NUMERIC", "decimal"),
    Column(2, "=SUM(A1)", "INTEGER", "integer"),
)
ROWS = [
    ['=HYPERLINK("http://evil")', "-12.50", 9007199254740993],
    ["+1", "3", None],
    ['a,b\n"c"', "1234567890.123456789", -5],
    ["@cmd", None, 0],
]


def csv_rows() -> list[list[str]]:
    text = b"".join(exports.write("csv", COLUMNS, ROWS)).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def test_csv_keeps_numbers_and_disarms_formulas() -> None:
    assert csv_rows() == [
        ["name", "name", "'=SUM(A1)"],
        ['\'=HYPERLINK("http://evil")', "-12.50", "9007199254740993"],
        ["+1", "3", ""],
        ['a,b\n"c"', "1234567890.123456789", "-5"],
        ["'@cmd", "", "0"],
    ]


def test_json_keeps_every_cell() -> None:
    document = json.loads(b"".join(exports.write("json", COLUMNS, ROWS)))
    assert document["rows"] == ROWS
    assert [column["name"] for column in document["columns"]] == ["name", "name", "=SUM(A1)"]


def test_parquet_keeps_types_and_makes_names_unique() -> None:
    table = pq.read_table(io.BytesIO(b"".join(exports.write("parquet", COLUMNS, ROWS))))
    assert table.column_names == ["name", "name_2", "=SUM(A1)"]
    assert table.column(2).to_pylist() == [9007199254740993, None, -5, 0]


def sheet_of(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> str:
    book = zipfile.ZipFile(io.BytesIO(b"".join(exports.write("xlsx", columns, rows))))
    assert book.testzip() is None
    return book.read("xl/worksheets/sheet1.xml").decode()


def test_excel_writes_numbers_it_keeps_exactly_and_text_otherwise() -> None:
    book = sheet_of(COLUMNS, ROWS)
    assert "<v>-12.5</v>" in book
    assert "9007199254740993" in book
    assert "<v>9007199254740993</v>" not in book
    assert "<f>" not in book


def test_excel_computes_with_every_double() -> None:
    column = Column(0, "ratio", "", "float")
    book = sheet_of([column], [[0.1 + 0.2], [-1e300], [float("nan")], ["1e999"]])
    assert "<v>0.30000000000000004</v>" in book
    assert "<v>-1e+300</v>" in book
    assert "<t>nan</t>" in book
    assert "<t>1e999</t>" in book


def test_excel_gets_characters_that_xml_has_no_letter_for() -> None:
    book = sheet_of([Column(0, "a<b")], [[" \x07&\r\n_x0041_\ud800"]])
    assert "<t xml:space=\"preserve\">a&lt;b</t>" in book
    assert "<t xml:space=\"preserve\"> _x0007_&amp;_x000D_\n_x005F_x0041_?</t>" in book


def test_a_workbook_says_where_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "ROWS", 4)  # the header and three rows
    column = Column(0, "x")
    assert "Cut here" not in sheet_of([column], [[1], [2], [3]])
    cut = sheet_of([column], [[1], [2], [3], [4]])
    assert ("<v>2</v>" in cut, "<v>3</v>" in cut, "Cut here: an Excel sheet holds 1,048,576 rows" in cut) == (
        True, False, True,
    )  # fmt: skip
    told = "… (40,000 characters)"
    long = sheet_of([column], [["x" * 40_000]])
    assert f"<t>{'x' * (sheet.CHARACTERS - len(told))}{told}</t>" in long


@pytest.mark.parametrize("kind", ["csv", "xlsx", "json"])
def test_a_file_is_sent_while_its_rows_are_read(kind: str) -> None:
    read = []

    def rows() -> Iterator[list[Any]]:
        for number in range(100_000):
            read.append(number)
            yield [f"name {number * 7919 % 100_003}", number, f"other {number * 104_729 % 100_003}"]

    pieces = exports.write(kind, [Column(place, "c", "", "text") for place in range(3)], rows())
    sent = 0
    while sent < 100_000:
        sent += len(next(pieces))
    assert len(read) < 50_000
