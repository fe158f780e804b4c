"""Results as Parquet files: every cell comes back exactly as it was shown.

Rows are JSON cells, as `connections.values.to_cell` makes them. A column whose cells are all of one JSON kind is stored
as that kind, any other as JSON text, one document a cell; the field's metadata says which. Columns are stored under
their position, because a result may have two of one name.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP = 5_000
_AS_JSON = {b"cells": b"json"}
_KINDS: tuple[tuple[type, pa.DataType], ...] = (
    (bool, pa.bool_()),
    (int, pa.int64()),
    (float, pa.float64()),
    (str, pa.large_string()),
)


def write(path: Path, rows: Sequence[Sequence[Any]], width: int) -> None:
    """Store `rows` of `width` cells each under `path`, whole or not at all."""
    columns = [_column([row[place] for row in rows]) for place in range(width)]
    fields = [pa.field(str(place), array.type, metadata=meta) for place, (array, meta) in enumerate(columns)]
    table = pa.table([array for array, _ in columns], schema=pa.schema(fields, {b"rows": str(len(rows)).encode()}))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    pq.write_table(table, partial, row_group_size=ROW_GROUP, compression="zstd")
    partial.replace(path)


def read(path: Path, offset: int = 0, limit: int | None = None) -> list[list[Any]]:
    """The rows `offset` … `offset + limit` of a stored result; only their row groups are read."""
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        if not len(schema):
            return [[] for _ in range(int(schema.metadata[b"rows"]))][offset : _end(offset, limit)]
        table, skipped = _groups_around(file, offset, _end(offset, limit))
    table = table.slice(max(offset - skipped, 0), limit)
    columns = [_cells(table.column(place), field) for place, field in enumerate(schema)]
    return [list(row) for row in zip(*columns, strict=True)]


def column(path: Path, place: int) -> list[Any]:
    """All cells of one column."""
    with pq.ParquetFile(path) as file:
        return _cells(file.read([str(place)]).column(0), file.schema_arrow.field(place))


def take(path: Path, places: Sequence[int]) -> list[list[Any]]:
    """The rows at `places`, in that order; only their row groups are read."""
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        if not len(schema) or not places:
            return [[] for _ in places]
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        firsts = [0, *accumulate(sizes)]
        group_of = {place: bisect_right(firsts, place) - 1 for place in places}
        groups = sorted(set(group_of.values()))
        table = file.read_row_groups(groups)
    starts = dict(zip(groups, accumulate([0, *(sizes[group] for group in groups)]), strict=False))
    wanted = table.take([starts[group_of[place]] + place - firsts[group_of[place]] for place in places])
    columns = [_cells(wanted.column(at), field) for at, field in enumerate(schema)]
    return [list(row) for row in zip(*columns, strict=True)]


def _end(offset: int, limit: int | None) -> int | None:
    return None if limit is None else offset + limit


def _groups_around(file: pq.ParquetFile, start: int, end: int | None) -> tuple[pa.Table, int]:
    """The row groups that hold rows `start` … `end`, and how many rows come before them."""
    wanted: list[int] = []
    first = position = 0
    for group in range(file.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if position + size > start and (end is None or position < end):
            first = first if wanted else position
            wanted.append(group)
        position += size
    return file.read_row_groups(wanted), first


def _column(cells: list[Any]) -> tuple[pa.Array, dict[bytes, bytes] | None]:
    kinds = {type(cell) for cell in cells if cell is not None}
    for kind, arrow in _KINDS:
        if kinds == {kind}:
            try:
                return pa.array(cells, arrow), None
            except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
                break  # a number beyond 64 bits, a text with a lone surrogate
    return pa.array([json.dumps(cell) for cell in cells], pa.large_string()), _AS_JSON


def _cells(column: pa.ChunkedArray, field: pa.Field) -> list[Any]:
    values: list[Any] = column.to_pylist()
    if field.metadata and field.metadata.get(b"cells") == b"json":
        return [json.loads(value) for value in values]
    return values
