"""A table as Parquet for other programs: one kind a column, in little memory.

What kind a column is, is known only when its last cell was seen. So the rows go to a file first, and from there to
Parquet, some thousand at a time. Mixed and nested cells become text; nothing is rounded.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from agents.answers.cells import as_text

GROUP = 10_000
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_EXACT_IN_FLOAT = 2**53


def write(
    file: IO[bytes], names: Sequence[str], rows: Iterable[Sequence[Any]], missing: Callable[[], str] = lambda: ""
) -> None:
    """What `missing` says when all of `rows` were read stands in the file's metadata."""
    with tempfile.TemporaryFile("w+", encoding="ascii") as kept:
        types = _kept(kept, len(names), rows)
        told = {"truncated": "true", "note": note} if (note := missing()) else None
        schema = pa.schema([pa.field(name, kind) for name, kind in zip(names, types, strict=True)], told)
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            kept.seek(0)
            while group := [json.loads(line) for line in islice(kept, GROUP)]:
                cells = [
                    pa.array([_cell(row[place], kind) for row in group], kind) for place, kind in enumerate(types)
                ]
                writer.write_table(pa.table(cells, schema=schema))


def _kept(file: IO[str], width: int, rows: Iterable[Sequence[Any]]) -> list[pa.DataType]:
    """Write the rows down as lines of JSON; the type that holds every cell of a column."""
    kinds: list[set[str]] = [set() for _ in range(width)]
    for line, row in _lines(rows):
        file.write(line)
        for seen, cell in zip(kinds, row, strict=True):
            if cell is not None:
                seen.add(_kind(cell))
    return [_type(seen) for seen in kinds]


def _lines(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, Sequence[Any]]]:
    for row in rows:
        yield json.dumps(list(row)) + "\n", row


def _kind(cell: Any) -> str:
    if isinstance(cell, bool):
        return "bool"
    if isinstance(cell, float):
        return "float"
    if isinstance(cell, int):
        return "int" if abs(cell) <= _EXACT_IN_FLOAT else "long" if _SMALLEST <= cell <= _LARGEST else "text"
    return "text"


def _type(kinds: set[str]) -> pa.DataType:
    if kinds == {"bool"}:
        return pa.bool_()
    if kinds and kinds <= {"int", "long"}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {"int", "float"} else pa.large_string()


def _cell(cell: Any, kind: pa.DataType) -> Any:
    if cell is None or not pa.types.is_large_string(kind):
        return cell
    return as_text(cell).encode("utf-8", "replace").decode()
