"""From a database's text to a Python value, or to the same text where Python cannot hold it.

Python has no date before year 1 or after 9999, no infinite date, no 24:00 and no months in a duration; such values
stay as the database spells them.
"""

from __future__ import annotations

import json
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from connections.values import duration_text

# `1 year 2 mons -3 days 04:05:06.7`, as PostgreSQL (IntervalStyle postgres) and DuckDB write a duration.
_PART = re.compile(r"([+-]?\d+) (year|month|mon|day)s?")
_CLOCK = re.compile(r"([+-])?(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")


def read_date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def read_time(text: str) -> time | str:
    if text.startswith("24"):
        return text
    try:
        return time.fromisoformat(text)
    except ValueError:
        return text


def read_timestamp(text: str) -> datetime | str:
    """With or without an offset; more than six digits of a second would be lost, so such a text stays."""
    if len(text) > 26 and text[26:27].isdigit():
        return text
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


def read_interval(text: str) -> str:
    """The ISO 8601 duration of a database's interval: `1 mon 2 days` becomes `P1M2D`."""
    rest, months, days, microseconds = text.strip(), 0, 0, 0
    while part := _PART.match(rest):
        amount = int(part[1])
        months += amount * {"year": 12, "mon": 1, "month": 1, "day": 0}[part[2]]
        days += amount if part[2] == "day" else 0
        rest = rest[part.end() :].lstrip()
    if clock := _CLOCK.fullmatch(rest):
        seconds = (int(clock[2]) * 60 + int(clock[3])) * 60 + int(clock[4])
        microseconds = seconds * 1_000_000 + int((clock[5] or "").ljust(6, "0"))
        microseconds = -microseconds if clock[1] == "-" else microseconds
        rest = ""
    return text if rest else duration_text(months, days, microseconds)


def read_json(text: str) -> Any:
    """A JSON document with its numbers exact; text that is none, or nested too deeply, stays text."""
    try:
        return json.loads(text, parse_float=_exact_number)
    except (ValueError, RecursionError):
        return text


def _exact_number(text: str) -> float | Decimal:
    near = float(text)
    exact = Decimal(text)
    return near if Decimal(repr(near)) == exact else exact
