"""Awkward values of the public cases, from each database to the page and into every file: none is lost on the way."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from agents.answers import exports, store
from agents.answers.cells import Column, as_text, columns_of, shown
from agents.engine.outcomes import Result
from agents.engine.programs import run_program
from connections.values import to_cell
from tests.agents.test_protocol_cases import runner
from tests.databases import DIALECTS, missing

Cells = list[list[Any]]


def results(dialect: str, new_database: Callable[[str, str], str]) -> Iterator[Result]:
    """What the programs of the cases give on `dialect`."""
    if not os.environ.get("CASES_DIR"):
        missing("CASES_DIR does not name the folder of cases")
    judge = runner()
    setups: dict[str, str] = {}
    for case, folder in judge.load_cases(os.environ["CASES_DIR"]):
        if folder.name not in ("types", "values") or case["kind"] != "run" or dialect not in case["dialects"]:
            continue
        file = folder / f"setup.{dialect}.sql"
        if case.get("setup", "setup") != "setup" or "rows" not in case["expect"] or not file.exists():
            continue
        url = setups.setdefault(folder.name, "") or new_database(dialect, file.read_text("utf-8"))
        setups[folder.name] = url
        yield from run_program(url, judge.expand(case["program"], {})).results


def sheet_texts(file: bytes) -> dict[str, str]:
    """By address, what a sheet holds: texts, and numbers as they are written."""
    book = zipfile.ZipFile(io.BytesIO(file))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    found = re.findall(r'<c r="([A-Z]+\d+)"[^>]*?(?:/>|>(.*?)</c>)', sheet, re.DOTALL)
    return {address: unescape("".join(re.findall(r"<(?:v|t)[^>]*>(.*?)</(?:v|t)>", body, re.DOTALL)))
            for address, body in found}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_value_is_lost_between_the_database_and_the_reader(
    dialect: str, new_database: Callable[[str, str], str], tmp_path: Path
) -> None:
    seen: set[str] = set()
    for number, result in enumerate(results(dialect, new_database)):
        cells = [[to_cell(value) for value in row] for row in result.rows]
        columns = columns_of([{"name": c.name, "type": c.type, "semantic": c.semantic} for c in result.columns])
        seen |= {column.semantic for column in columns}
        store.write(tmp_path / f"{number}.parquet", cells, len(columns))
        assert store.read(tmp_path / f"{number}.parquet") == cells
        check_page(columns, cells)
        check_files(columns, cells)
    assert {"integer", "text", "date"} <= seen


def check_page(columns: tuple[Column, ...], cells: Cells) -> None:
    for row in cells:
        for cell, column in zip(row, columns, strict=True):
            text = shown(cell, column)
            if cell is None:
                assert text is None
            elif isinstance(cell, str | int | float) and not isinstance(cell, bool):
                said = str(text).replace("\u2212", "-")
                wanted = as_text(cell)
                assert wanted in (said, said.replace(",", "")) or said.startswith(wanted[:300]), (cell, text)
            else:
                assert text


def check_files(columns: tuple[Column, ...], cells: Cells) -> None:
    def written(kind: str) -> bytes:
        return b"".join(exports.write(kind, columns, iter(cells)))

    assert json.loads(written("json"))["rows"] == json.loads(json.dumps(cells))
    lines = list(csv.reader(io.StringIO(written("csv").decode("utf-8-sig"), newline="")))
    assert lines[1:] == [[exports.neutral(as_text(cell)) if isinstance(cell, str) else as_text(cell) for cell in row]
                         for row in cells]  # fmt: skip
    table = pq.read_table(io.BytesIO(written("parquet")))
    for place in range(len(columns)):
        given = [row[place] for row in cells]
        kept = table.column(place).to_pylist()
        assert [cell is None for cell in kept] == [cell is None for cell in given]
        assert all(a == b or a == as_text(b) for a, b in zip(kept, given, strict=True)), (kept, given)
    check_sheet(sheet_texts(written("xlsx")), columns, cells)


def check_sheet(sheet: dict[str, str], columns: tuple[Column, ...], cells: Cells) -> None:
    for number, row in enumerate(cells, start=2):
        for place, cell in enumerate(row):
            said = sheet.get(f"{chr(65 + place)}{number}", "")
            if cell is None:
                assert said == ""
            elif isinstance(cell, bool):
                assert said == str(int(cell))
            else:
                wanted = as_text(cell)
                assert said in (wanted, f"'{wanted}") or float(said) == float(wanted), (cell, said)
