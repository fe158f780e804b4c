"""PostgreSQL's values as Python values, exactly: what Python cannot hold stays text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from connections.catalogue import SemanticType
from connections.contracts import ResultColumn
from connections.drivers.fetching import CutText
from connections.drivers.reading import read_date, read_interval, read_json, read_time, read_timestamp
from connections.types import semantic_type

READERS: dict[str, Callable[[str], Any]] = {
    "date": read_date, "time": read_time, "timetz": read_time, "timestamp": read_timestamp,
    "timestamptz": read_timestamp, "interval": read_interval, "json": read_json, "jsonb": read_json,
}  # fmt: skip

AS_TEXT = (
    "text", "varchar", "bpchar", "name", '"char"', "unknown", "xml", "money", "inet", "cidr", "macaddr", "int4range",
    "int8range", "numrange", "daterange", "tsrange", "tstzrange", "int4multirange", "int8multirange",
    "nummultirange", "datemultirange", "tsmultirange", "tstzmultirange",
)  # fmt: skip


def register_loaders(connection: psycopg.Connection[Any], cell_bytes: int) -> None:
    """Teach `connection` to read values by the rules above; a text longer than `cell_bytes` is cut, never parsed."""
    registry = connection.adapters.types
    for name in AS_TEXT:
        if info := registry.get(name.strip('"')):
            connection.adapters.register_loader(info.oid, _text_loader(str, cell_bytes))
    for name, read in READERS.items():
        if info := registry.get(name):
            connection.adapters.register_loader(info.oid, _text_loader(read, cell_bytes))
    connection.adapters.register_loader(0, _text_loader(str, cell_bytes))
    if info := registry.get("bytea"):
        connection.adapters.register_loader(info.oid, _bytes_loader(cell_bytes))


def _text_loader(read: Callable[[str], Any], cell_bytes: int) -> type[Loader]:
    class TextReader(Loader):
        format = Format.TEXT

        def load(self, data: Buffer) -> Any:
            # A database in SQL_ASCII may hold any bytes.
            if len(data) <= cell_bytes:
                return read(bytes(data).decode("utf-8", "replace"))
            return _beginning(data, cell_bytes)

    return TextReader


def _beginning(data: Buffer, cell_bytes: int) -> CutText:
    """The beginning of a long text, without decoding the rest."""
    start = bytes(memoryview(data)[:cell_bytes]).decode("utf-8", "ignore")
    return CutText(f"{start}… [cut: only the first {len(start):,} characters are here]")


def _bytes_loader(cell_bytes: int) -> type[Loader]:
    class BytesReader(Loader):
        format = Format.TEXT

        def load(self, data: Buffer) -> bytes:
            """`\\x` and two hexadecimal digits a byte."""
            return bytes.fromhex(bytes(memoryview(data)[2 : 2 + 2 * (cell_bytes + 1)]).decode("ascii"))

    return BytesReader


class TypeNames:
    """Names and meanings of result columns' types; those of user-made types are asked for once a session."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._own: dict[int, tuple[str, SemanticType]] = {}

    def columns(self, description: Sequence[psycopg.Column]) -> tuple[ResultColumn, ...]:
        registry = self._connection.adapters.types
        unknown = {c.type_code for c in description if not registry.get(c.type_code)} - self._own.keys()
        if unknown:
            self._look_up(unknown)
        return tuple(self._column(column) for column in description)

    def _column(self, column: psycopg.Column) -> ResultColumn:
        if own := self._own.get(column.type_code):
            return ResultColumn(column.name, *own)
        return ResultColumn(column.name, column.type_display, semantic_type(column.type_display, "postgresql"))

    def _look_up(self, oids: Iterable[int]) -> None:
        """Learn enums, composites, domains' arrays and extensions' types, and how to read arrays of them."""
        listed = ", ".join(map(str, sorted(oids)))
        rows = self._connection.execute(
            "SELECT t.oid::int8, format_type(t.oid, NULL), t.typtype::text, t.typelem::int8, t.typcategory::text, "
            f"e.typdelim::text FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem WHERE t.oid IN ({listed})"
        ).fetchall()
        for oid, name, kind, element, category, delimiter in rows:
            self._own[oid] = (name, _meaning(name, kind))
            if category == "A" and element:
                TypeInfo(name, element, oid, delimiter=delimiter).register(self._connection)


def _meaning(name: str, kind: str) -> SemanticType:
    particular: dict[str, SemanticType] = {"e": "enum", "c": "struct", "r": "range", "m": "range"}
    return particular.get(kind) or semantic_type(name, "postgresql")


