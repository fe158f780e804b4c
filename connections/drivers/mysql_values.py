"""MySQL's values as Python values, and what its result columns are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import time
from typing import Any

from pymysql.constants import FIELD_TYPE as T
from pymysql.constants import FLAG
from pymysql.converters import conversions
from pymysql.cursors import SSCursor

from connections.catalogue import SemanticType
from connections.contracts import ResultColumn
from connections.drivers.reading import read_date, read_json, read_time, read_timestamp
from connections.types import semantic_type


def _bits(value: bytes) -> int:
    """A BIT column is a number of up to 64 bits."""
    return int.from_bytes(value, "big")


def _clock(text: str) -> time | str:
    """TIME is a time of day, or an amount of hours between -838 and 838: then it stays as MySQL writes it."""
    return read_time(text)


# Zero dates (`0000-00-00`) stay text.
DECODERS: dict[Any, Callable[[Any], Any]] = conversions | {
    T.DATE: read_date, T.DATETIME: read_timestamp, T.TIMESTAMP: read_timestamp, T.TIME: _clock,
    T.BIT: _bits, T.JSON: read_json,
}  # fmt: skip

NAMES: Mapping[int, str] = {
    T.TINY: "tinyint", T.SHORT: "smallint", T.INT24: "mediumint", T.LONG: "int", T.LONGLONG: "bigint",
    T.FLOAT: "float", T.DOUBLE: "double", T.DECIMAL: "decimal", T.NEWDECIMAL: "decimal", T.YEAR: "year",
    T.DATE: "date", T.NEWDATE: "date", T.TIME: "time", T.DATETIME: "datetime", T.TIMESTAMP: "timestamp",
    T.BIT: "bit", T.JSON: "json", T.ENUM: "enum", T.SET: "set", T.GEOMETRY: "geometry", T.NULL: "null",
}  # fmt: skip
LONG_TEXT = frozenset({T.TINY_BLOB, T.BLOB, T.MEDIUM_BLOB, T.LONG_BLOB})
BINARY = 63  # the "character set" of bytes


def result_columns(cursor: SSCursor) -> tuple[ResultColumn, ...]:
    """Names and types of the statement that `cursor` ran; the protocol's flags are not in `description`.

    To be called before rows are read: MariaDB sends a BIT that an expression made (`MAX(flags)`) as decimal digits,
    under the same type code and told apart by a flag only, so that column gets another converter.
    """
    result: Any = getattr(cursor, "_result", None)
    fields = getattr(result, "fields", None) or ()
    for number, field in enumerate(fields):
        if field.type_code == T.BIT and field.flags & FLAG.BINARY:
            result.converters[number] = ("ascii", int)
    return tuple(_column(field) for field in fields)


def _column(field: Any) -> ResultColumn:
    name = _type_name(field)
    meaning: SemanticType = semantic_type(name, "mysql")
    return ResultColumn(field.name, name, meaning)


def _type_name(field: Any) -> str:
    if field.flags & FLAG.ENUM:
        return "enum"
    if field.flags & FLAG.SET:
        return "set"
    if field.type_code in LONG_TEXT:
        return "blob" if field.charsetnr == BINARY else "text"
    if known := NAMES.get(field.type_code):
        unsigned = " unsigned" if field.flags & FLAG.UNSIGNED and semantic_type(known, "mysql") == "integer" else ""
        return known + unsigned if known not in ("bit", "year") else known
    return "varbinary" if field.charsetnr == BINARY else "varchar"
