"""Expressions of random programs are written once, for no database: columns in ⟦brackets⟧, dates through a few words.

`spelled` writes a program for a dialect, `plain` an expression for the reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_COLUMN = re.compile("⟦(.*?)⟧")
_WORD = re.compile(r"\b(DAY|YEAR_OF|MONTH_START|DAYS_LATER|JOINED|PERIOD_OF)\(([^()]*)\)")

# {0} and {1} are the arguments.
WORDS: Mapping[str, Mapping[str, str]] = {
    "sqlite": {
        "DAY": "{0}", "YEAR_OF": "CAST(strftime('%Y', {0}) AS INTEGER)", "MONTH_START": "date({0}, 'start of month')",
        "DAYS_LATER": "date({0}, '+{1} days')", "JOINED": "{0} || {1}", "PERIOD_OF": "strftime('%Y-%m', {0})",
    },
    "duckdb": {
        "DAY": "DATE {0}", "YEAR_OF": "year({0})", "MONTH_START": "CAST(date_trunc('month', {0}) AS DATE)",
        "DAYS_LATER": "{0} + {1}", "JOINED": "{0} || {1}", "PERIOD_OF": "strftime({0}, '%Y-%m')",
    },
    "postgresql": {
        "DAY": "DATE {0}", "YEAR_OF": "CAST(EXTRACT(YEAR FROM {0}) AS INTEGER)",
        "MONTH_START": "CAST(date_trunc('month', {0}) AS DATE)", "DAYS_LATER": "({0} + {1})", "JOINED": "{0} || {1}",
        "PERIOD_OF": "to_char({0}, 'YYYY-MM')",
    },
    "mysql": {
        "DAY": "DATE {0}", "YEAR_OF": "YEAR({0})", "MONTH_START": "CAST(DATE_FORMAT({0}, '%Y-%m-01') AS DATE)",
        "DAYS_LATER": "DATE_ADD({0}, INTERVAL {1} DAY)", "JOINED": "CONCAT({0}, {1})",
        "PERIOD_OF": "DATE_FORMAT({0}, '%Y-%m')",
    },
}  # fmt: skip
_EXPRESSIONS = ("predicate", "expr", "condition", "filter")


def spelled(program: Sequence[Mapping[str, Any]], dialect: str) -> list[dict[str, Any]]:
    """`program` with every expression in the SQL of `dialect`."""
    return [{**call, "args": _spelled(call["args"], dialect)} for call in program]


def _spelled(value: Any, dialect: str) -> Any:
    if isinstance(value, dict):
        return {
            key: _expression(item, dialect) if key in _EXPRESSIONS else _spelled(item, dialect)
            for key, item in value.items()
        }
    return [_spelled(item, dialect) for item in value] if isinstance(value, list) else value


def _expression(text: str, dialect: str) -> str:
    quote = "`" if dialect == "mysql" else '"'

    def word(match: re.Match[str]) -> str:
        arguments = [argument.strip() for argument in match[2].split(", ")]
        return WORDS[dialect][match[1]].format(*arguments)

    return _COLUMN.sub(lambda m: quote + m[1].replace(quote, quote * 2) + quote, _WORD.sub(word, text))


def plain(text: str) -> str:
    """`text` as the reference parses it: the words stay."""
    return _COLUMN.sub(lambda m: '"' + m[1].replace('"', '""') + '"', text)
