"""How a value of a result is written down: exactly, as a JSON cell, and for people, as text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

# JSON readers in JavaScript hold whole numbers exactly only up to here.
LARGEST_EXACT_INTEGER = 2**53

# How a text ends of which only the beginning was kept.
CUT_NOTE = re.compile(r"… \[cut: [^\]]{1,100}\]$")

Cell = Any  # None, bool, int, float, str, list or dict: what `json.dumps` takes


class CutBytes(bytes):
    """The beginning of bytes that were too long to be kept; its cell has `"cut": true` beside the `hex`."""


def to_cell(value: Any) -> Cell:
    """The exact JSON cell of one value of a result.

    JSON numbers only where nothing is lost; larger integers, decimals, dates, times and UUIDs as text; bytes as
    `{"hex": …}`; NaN and infinities as text; durations in ISO 8601; lists and mappings as JSON of the same rules.
    """
    write = _WRITERS.get(type(value))
    if write is None:
        write = next((w for kind, w in _WRITERS.items() if isinstance(value, kind)), str)
    return write(value)


def display_text(value: Any) -> str:
    """One line for a person or a model: NULL as `NULL`, a blank between date and time, bytes as `0x…`."""
    if value is None:
        return "NULL"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "0x" + bytes(value).hex()
    if isinstance(value, int):
        return str(value)
    cell = to_cell(value)
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def duration_text(months: int, days: int, microseconds: int) -> str:
    """An ISO 8601 duration, e.g. `P1Y2M-3DT4H5M6.5S`: months, days and time stay apart, as their lengths differ.

    A duration whose parts are all negative carries one sign in front.
    """
    if max(months, days, microseconds) <= 0 and min(months, days, microseconds) < 0:
        return "-" + duration_text(-months, -days, -microseconds)
    years, months = _split(months, 12)
    seconds, fraction = _split(microseconds, 1_000_000)
    minutes, seconds = _split(seconds, 60)
    hours, minutes = _split(minutes, 60)
    before = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    after = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    if seconds or fraction:
        sign = "-" if seconds < 0 or fraction < 0 else ""
        after += f"{sign}{abs(seconds)}" + (f".{abs(fraction):06d}".rstrip("0") if fraction else "") + "S"
    return "P" + before + (f"T{after}" if after else "") if before or after else "PT0S"


def _split(amount: int, unit: int) -> tuple[int, int]:
    """Divide towards zero, so that both parts keep the sign."""
    whole = abs(amount) // unit * (1 if amount >= 0 else -1)
    return whole, amount - whole * unit


def _integer(value: int) -> int | str:
    return value if -LARGEST_EXACT_INTEGER <= value <= LARGEST_EXACT_INTEGER else str(value)


def _float(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal) -> str:
    return format(value, "f") if value.is_finite() else "NaN" if value.is_nan() else str(value)


def _text(value: str) -> str:
    """Half a surrogate pair cannot be sent anywhere; it becomes the replacement character."""
    if value.isascii():
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _bytes(value: bytes | bytearray | memoryview) -> dict[str, Any]:
    cell = {"hex": bytes(value).hex()}
    return {**cell, "cut": True} if isinstance(value, CutBytes) else cell


def _moment(value: date | datetime | time) -> str:
    return value.isoformat()


def _duration(value: timedelta) -> str:
    return duration_text(0, value.days, value.seconds * 1_000_000 + value.microseconds) if value >= timedelta(0) \
        else "-" + _duration(-value)  # fmt: skip


def _list(value: list[Any] | tuple[Any, ...]) -> list[Cell]:
    return [to_cell(item) for item in value]


def _mapping(value: Mapping[Any, Any]) -> dict[str, Cell]:
    return {key if isinstance(key, str) else display_text(key): to_cell(item) for key, item in value.items()}


_WRITERS: Mapping[type, Callable[[Any], Cell]] = {
    type(None): lambda value: None,
    bool: lambda value: value,
    int: _integer,
    float: _float,
    str: _text,
    Decimal: _decimal,
    datetime: _moment,
    date: _moment,
    time: _moment,
    timedelta: _duration,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    UUID: str,
    list: _list,
    tuple: _list,
    dict: _mapping,
}
