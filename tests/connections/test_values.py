"""Cells hold exactly what the database holds."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from connections.drivers.reading import read_date, read_interval, read_json, read_timestamp
from connections.values import CutBytes, display_text, duration_text, to_cell

BERLIN_SUMMER = timezone(timedelta(hours=2))

CELLS = [
    (None, None),
    (True, True),
    (2**53, 9007199254740992),
    (2**53 + 1, "9007199254740993"),
    (-(2**53) - 1, "-9007199254740993"),
    (1.5, 1.5),
    (float("nan"), "NaN"),
    (float("inf"), "Infinity"),
    (float("-inf"), "-Infinity"),
    (Decimal("1.50"), "1.50"),
    (Decimal("1E+3"), "1000"),
    (Decimal("1E-10"), "0.0000000001"),
    (Decimal("NaN"), "NaN"),
    (Decimal("-Infinity"), "-Infinity"),
    (date(1, 1, 1), "0001-01-01"),
    (datetime(2026, 3, 29, 1, 30), "2026-03-29T01:30:00"),
    (datetime(2026, 7, 1, 1, 30, 0, 120000, BERLIN_SUMMER), "2026-07-01T01:30:00.120000+02:00"),
    (time(9, 5), "09:05:00"),
    (timedelta(days=1, hours=2, microseconds=500000), "P1DT2H0.5S"),
    (timedelta(hours=-1), "-PT1H"),
    (timedelta(0), "PT0S"),
    (b"\x00\xff", {"hex": "00ff"}),
    pytest.param(memoryview(b"\x01"), {"hex": "01"}, id="memoryview"),  # its repr holds an address
    (CutBytes(b"\x00"), {"hex": "00", "cut": True}),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ([1, Decimal("0.10"), [b"x"]], [1, "0.10", [{"hex": "78"}]]),
    ({"a": 2**60, 5: None}, {"a": str(2**60), "5": None}),
    ("half \ud800 a pair", "half \ufffd a pair"),
    ("infinity", "infinity"),
]


@pytest.mark.parametrize(("value", "cell"), CELLS, ids=repr)
def test_a_value_becomes_its_exact_cell(value: Any, cell: Any) -> None:
    assert to_cell(value) == cell
    json.dumps(to_cell(value), allow_nan=False).encode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (2**60, str(2**60)),
        (datetime(2026, 1, 2, 3, 4), "2026-01-02 03:04:00"),
        (b"\xca\xfe", "0xcafe"),
        (["é", 1], '["é", 1]'),
        (Decimal("1.50"), "1.50"),
    ],
    ids=repr,
)
def test_a_value_is_shown_on_one_line(value: Any, text: str) -> None:
    assert display_text(value) == text


@pytest.mark.parametrize(
    ("stored", "iso"),
    [
        ("1 mon 2 days", "P1M2D"),
        ("1 month 2 days", "P1M2D"),
        ("1 year 2 mons -3 days 04:05:06.7", "P1Y2M-3DT4H5M6.7S"),
        ("-1 years -2 mons", "-P1Y2M"),
        ("-00:00:01.5", "-PT1.5S"),
        ("1 day -00:00:01", "P1DT-1S"),
        ("00:00:00", "PT0S"),
        ("100:00:00", "PT100H"),
        ("@ 1 hour", "@ 1 hour"),
    ],
)
def test_an_interval_keeps_months_days_and_time_apart(stored: str, iso: str) -> None:
    assert read_interval(stored) == iso


def test_durations_with_mixed_signs_keep_each_sign() -> None:
    assert duration_text(-14, 3, -1_500_000) == "P-1Y-2M3DT-1.5S"


def test_dates_that_python_cannot_hold_stay_text() -> None:
    assert read_date("2026-07-24") == date(2026, 7, 24)
    assert [read_date(text) for text in ("infinity", "0044-03-15 BC", "10000-01-01", "0000-00-00")] == [
        "infinity", "0044-03-15 BC", "10000-01-01", "0000-00-00",
    ]  # fmt: skip
    assert read_timestamp("2026-01-01 00:00:00.123456789") == "2026-01-01 00:00:00.123456789"
    assert read_timestamp("2026-01-01 00:00:00+05:30") == datetime(
        2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))
    )


def test_json_keeps_numbers_that_a_float_would_lose() -> None:
    document = read_json('{"near": 0.1, "long": 12345678901234567890.123456789, "whole": 9007199254740993}')
    assert to_cell(document) == {"near": 0.1, "long": "12345678901234567890.123456789", "whole": "9007199254740993"}
    assert read_json("[" * 100_000) == "[" * 100_000
