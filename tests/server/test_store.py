"""A stored result gives back exactly the cells that went in."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.answers import store

COLUMNS: dict[str, list[Any]] = {
    "integers": [1, None, -(2**53)],
    "integers beyond 64 bits": [1, 2**70, None],
    "floats": [0.1, -0.0, 1e300],
    "integers among floats": [1, 1.0, 2.5],
    "booleans among integers": [True, 1, 0, False],
    "texts": ["", "é\U0001f600", None, "NULL", "a\x00b"],
    "a lone surrogate": ["\ud800", "x"],
    "mixed, as SQLite allows": [1, "1", None, 1.5, {"hex": "00ff"}],
    "bytes": [{"hex": ""}, {"hex": "ff"}, None],
    "nested": [[1, [2, None]], {"a": {"b": []}}, []],
    "only NULL": [None, None, None],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    rows = [[cell] for cell in COLUMNS[name]]
    store.write(tmp_path / "result.parquet", rows, width=1)
    back = store.read(tmp_path / "result.parquet")
    assert back == rows
    assert [type(row[0]) for row in back] == [type(row[0]) for row in rows]


@pytest.mark.parametrize(("rows", "width"), [([], 3), ([[], [], []], 0), ([], 0)])
def test_an_empty_result_is_a_result(rows: list[list[Any]], width: int, tmp_path: Path) -> None:
    store.write(tmp_path / "result.parquet", rows, width)
    assert store.read(tmp_path / "result.parquet") == rows


@pytest.mark.parametrize(
    ("offset", "limit"),
    [(0, 10), (4_995, 10), (5_000, 1), (11_990, 100), (12_000, 5), (99_999, 5), (0, None), (7, None)],
)
def test_a_page_is_the_same_slice(offset: int, limit: int | None, tmp_path: Path) -> None:
    rows = [[number, f"row {number}"] for number in range(12_000)]
    store.write(tmp_path / "result.parquet", rows, width=2)
    end = None if limit is None else offset + limit
    assert store.read(tmp_path / "result.parquet", offset, limit) == rows[offset:end]


def test_rows_are_taken_in_any_order_from_any_row_group(tmp_path: Path) -> None:
    rows = [[number, f"row {number}"] for number in range(12_000)]
    store.write(tmp_path / "result.parquet", rows, width=2)
    places = [11_999, 0, 5_000, 4_999, 5_000, 10_000, 1]
    assert store.take(tmp_path / "result.parquet", places) == [rows[place] for place in places]
    assert store.take(tmp_path / "result.parquet", []) == []
    assert store.column(tmp_path / "result.parquet", 1) == [row[1] for row in rows]


CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=20))
def test_any_cells_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[list[Any]]) -> None:
    path = tmp_path_factory.getbasetemp() / f"{random.random()}.parquet"
    store.write(path, rows, width=2)
    assert store.read(path) == rows
    path.unlink()


def test_a_broken_write_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        store.write(tmp_path / "result.parquet", [[object()]], width=1)
    assert list(tmp_path.iterdir()) == []
