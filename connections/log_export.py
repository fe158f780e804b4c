"""Entries of a log as CSV or as JSON lines of one array, written while they are read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet

from connections.spreadsheet import neutral

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
BATCH = 2_000


def write(kind: str, entries: QuerySet[Any]) -> Iterator[bytes]:
    """The file in pieces. Raises KeyError for a kind that is not offered."""
    return {"csv": _csv, "json": _json}[kind](entries)


def _names(entries: QuerySet[Any]) -> list[str]:
    return [field.attname for field in entries.model._meta.concrete_fields]


def _values(entry: Model, names: Iterable[str]) -> list[Any]:
    found = [getattr(entry, name) for name in names]
    return [value.isoformat() if isinstance(value, datetime) else value for value in found]


def _csv(entries: QuerySet[Any]) -> Iterator[bytes]:
    names = _names(entries)
    yield _line(names)
    for entry in entries.iterator(BATCH):
        yield _line([_cell(value) for value in _values(entry, names)])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return neutral(value) if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def _line(cells: list[str]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue().encode("utf-8", "replace")


def _json(entries: QuerySet[Any]) -> Iterator[bytes]:
    names = _names(entries)
    before = "["
    for entry in entries.iterator(BATCH):
        values = dict(zip(names, _values(entry, names), strict=True))
        yield (before + json.dumps(values, default=str, ensure_ascii=False)).encode("utf-8", "replace")
        before = ",\n"
    yield b"]\n" if before != "[" else b"[]\n"
