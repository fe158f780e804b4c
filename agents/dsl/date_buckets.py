"""How each dialect puts a date or a timestamp into buckets: expressions of the language, `{x}` being the column.

The dialects' own functions differ in where a week starts, what a quarter is called and what type comes out, so the
table is written by hand and each line is run on the four databases. Buckets that are moments or days come out as the
bucket's start; numbers are integers; weeks are those of ISO 8601 (Monday first, week 1 holds the year's first
Thursday), unless the name says otherwise. A timestamp with a time zone is cut in the zone of the session: shift it
first (`AT TIME ZONE`) where another is meant.
"""

from __future__ import annotations

from collections.abc import Mapping

from connections.catalogue import DialectName

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _chosen(number: str, words: tuple[str, ...]) -> str:
    """One of `words` by `number`, which is a text from '01' on."""
    return f"CASE {number} " + " ".join(f"WHEN '{n:02}' THEN '{word}'" for n, word in enumerate(words, 1)) + " END"


def _from_sunday(number: str) -> str:
    """A day's name by SQLite's number of it, 0 for Sunday."""
    names = (_DAYS[-1], *_DAYS[:-1])
    return f"CASE {number} " + " ".join(f"WHEN '{n}' THEN '{word}'" for n, word in enumerate(names)) + " END"


_SQLITE = {
    "second": "strftime('%Y-%m-%d %H:%M:%S', {x})",
    "minute": "strftime('%Y-%m-%d %H:%M:00', {x})",
    "hour": "strftime('%Y-%m-%d %H:00:00', {x})",
    "day": "date({x})",
    "week": "date({x}, 'weekday 0', '-6 days')",
    "week from Sunday": "date({x}, '-6 days', 'weekday 0')",
    "month": "date({x}, 'start of month')",
    "quarter": "date({x}, 'start of month', '-' || ((CAST(strftime('%m', {x}) AS INTEGER) - 1) % 3) || ' months')",
    "year": "date({x}, 'start of year')",
    "hour of the day": "CAST(strftime('%H', {x}) AS INTEGER)",
    "day of the week": "(CAST(strftime('%w', {x}) AS INTEGER) + 6) % 7 + 1",
    "day of the month": "CAST(strftime('%d', {x}) AS INTEGER)",
    "day of the year": "CAST(strftime('%j', {x}) AS INTEGER)",
    "number of the week": "(CAST(strftime('%j', date({x}, '-3 days', 'weekday 4')) AS INTEGER) - 1) / 7 + 1",
    "year of the week": "CAST(strftime('%Y', date({x}, '-3 days', 'weekday 4')) AS INTEGER)",
    "number of the month": "CAST(strftime('%m', {x}) AS INTEGER)",
    "number of the quarter": "(CAST(strftime('%m', {x}) AS INTEGER) + 2) / 3",
    "number of the year": "CAST(strftime('%Y', {x}) AS INTEGER)",
    "name of the day": _from_sunday("strftime('%w', {x})"),
    "name of the month": _chosen("strftime('%m', {x})", _MONTHS),
    "year and month": "strftime('%Y-%m', {x})",
    "year and quarter": "strftime('%Y', {x}) || '-Q' || ((CAST(strftime('%m', {x}) AS INTEGER) + 2) / 3)",
}

_DUCKDB = {
    "second": "date_trunc('second', CAST({x} AS TIMESTAMP))",
    "minute": "date_trunc('minute', CAST({x} AS TIMESTAMP))",
    "hour": "date_trunc('hour', CAST({x} AS TIMESTAMP))",
    "day": "CAST({x} AS DATE)",
    "week": "CAST(date_trunc('week', {x}) AS DATE)",
    "week from Sunday": "CAST({x} AS DATE) - CAST(isodow({x}) % 7 AS INTEGER)",
    "month": "CAST(date_trunc('month', {x}) AS DATE)",
    "quarter": "CAST(date_trunc('quarter', {x}) AS DATE)",
    "year": "CAST(date_trunc('year', {x}) AS DATE)",
    "hour of the day": "hour(CAST({x} AS TIMESTAMP))",
    "day of the week": "isodow({x})",
    "day of the month": "day({x})",
    "day of the year": "dayofyear({x})",
    "number of the week": "week({x})",
    "year of the week": "isoyear({x})",
    "number of the month": "month({x})",
    "number of the quarter": "quarter({x})",
    "number of the year": "year({x})",
    "name of the day": "dayname({x})",
    "name of the month": "monthname({x})",
    "year and month": "strftime({x}, '%Y-%m')",
    "year and quarter": "strftime({x}, '%Y') || '-Q' || quarter({x})",
}

_POSTGRESQL = {
    "second": "date_trunc('second', CAST({x} AS TIMESTAMP))",
    "minute": "date_trunc('minute', CAST({x} AS TIMESTAMP))",
    "hour": "date_trunc('hour', CAST({x} AS TIMESTAMP))",
    "day": "CAST({x} AS DATE)",
    "week": "CAST(date_trunc('week', CAST({x} AS TIMESTAMP)) AS DATE)",
    "week from Sunday": "CAST({x} AS DATE) - CAST(EXTRACT(DOW FROM {x}) AS INTEGER)",
    "month": "CAST(date_trunc('month', CAST({x} AS TIMESTAMP)) AS DATE)",
    "quarter": "CAST(date_trunc('quarter', CAST({x} AS TIMESTAMP)) AS DATE)",
    "year": "CAST(date_trunc('year', CAST({x} AS TIMESTAMP)) AS DATE)",
    "hour of the day": "CAST(EXTRACT(HOUR FROM CAST({x} AS TIMESTAMP)) AS INTEGER)",
    "day of the week": "CAST(EXTRACT(ISODOW FROM {x}) AS INTEGER)",
    "day of the month": "CAST(EXTRACT(DAY FROM {x}) AS INTEGER)",
    "day of the year": "CAST(EXTRACT(DOY FROM {x}) AS INTEGER)",
    "number of the week": "CAST(EXTRACT(WEEK FROM {x}) AS INTEGER)",
    "year of the week": "CAST(EXTRACT(ISOYEAR FROM {x}) AS INTEGER)",
    "number of the month": "CAST(EXTRACT(MONTH FROM {x}) AS INTEGER)",
    "number of the quarter": "CAST(EXTRACT(QUARTER FROM {x}) AS INTEGER)",
    "number of the year": "CAST(EXTRACT(YEAR FROM {x}) AS INTEGER)",
    "name of the day": "to_char({x}, 'FMDay')",
    "name of the month": "to_char({x}, 'FMMonth')",
    "year and month": "to_char({x}, 'YYYY-MM')",
    "year and quarter": "to_char({x}, 'YYYY\"-Q\"Q')",
}

_MYSQL = {
    "second": "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:%i:%s') AS DATETIME)",
    "minute": "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:%i:00') AS DATETIME)",
    "hour": "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:00:00') AS DATETIME)",
    "day": "DATE({x})",
    "week": "DATE_SUB(DATE({x}), INTERVAL WEEKDAY({x}) DAY)",
    "week from Sunday": "DATE_SUB(DATE({x}), INTERVAL DAYOFWEEK({x}) - 1 DAY)",
    "month": "CAST(DATE_FORMAT({x}, '%Y-%m-01') AS DATE)",
    "quarter": "CAST(CONCAT(DATE_FORMAT({x}, '%Y-'), QUARTER({x}) * 3 - 2, '-01') AS DATE)",
    "year": "CAST(DATE_FORMAT({x}, '%Y-01-01') AS DATE)",
    "hour of the day": "HOUR({x})",
    "day of the week": "WEEKDAY({x}) + 1",
    "day of the month": "DAYOFMONTH({x})",
    "day of the year": "DAYOFYEAR({x})",
    "number of the week": "WEEK({x}, 3)",
    "year of the week": "CAST(DATE_FORMAT({x}, '%x') AS SIGNED)",
    "number of the month": "MONTH({x})",
    "number of the quarter": "QUARTER({x})",
    "number of the year": "YEAR({x})",
    # DAYNAME and MONTHNAME answer in the language of the server.
    "name of the day": f"ELT(WEEKDAY({{x}}) + 1, {_listed(_DAYS)})",
    "name of the month": f"ELT(MONTH({{x}}), {_listed(_MONTHS)})",
    "year and month": "DATE_FORMAT({x}, '%Y-%m')",
    "year and quarter": "CONCAT(DATE_FORMAT({x}, '%Y'), '-Q', QUARTER({x}))",
}

DATE_BUCKETS: Mapping[DialectName, Mapping[str, str]] = {
    "sqlite": _SQLITE, "duckdb": _DUCKDB, "postgresql": _POSTGRESQL, "mysql": _MYSQL,
}  # fmt: skip


# What people write for it in one database or another.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "date_trunc": ("month", "week", "quarter"), "datetrunc": ("month", "week", "quarter"),
    "time_bucket": ("hour", "day"), "date_bin": ("hour", "day"), "date_part": ("number of the year",),
    "datepart": ("number of the year",), "strftime": ("year and month", "number of the year"),
    "date_format": ("year and month", "number of the year"), "to_char": ("year and month", "name of the month"),
    "year": ("number of the year",), "month": ("number of the month",), "day": ("day of the month",),
    "quarter": ("number of the quarter",), "week": ("number of the week",), "weekofyear": ("number of the week",),
    "dayofweek": ("day of the week",), "weekday": ("day of the week",), "isodow": ("day of the week",),
    "hour": ("hour of the day",), "monthname": ("name of the month",), "dayname": ("name of the day",),
}  # fmt: skip


def bucket_hint(function: str, dialect: DialectName) -> str:
    """How `dialect` says what `function` says elsewhere, or ""."""
    names = _WORDS.get(function, ())
    told = [f"{name} is {DATE_BUCKETS[dialect][name].replace('{x}', 'x')}" for name in names]
    return f" In {dialect}, {'; '.join(told)}." if told else ""
