"""Where in a statement an error is, as far as its words say it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLACE = re.compile(r"\bline (\d{1,6}), (?:column|near character) (\d{1,6})")
# Characters shown before and after the place in a long line.
_AROUND = 60


@dataclass(frozen=True, slots=True)
class SqlPlace:
    """`before`, `at` and `after` are the text of the line around the place."""

    line: int
    column: int
    before: str
    at: str
    after: str


def place_of(message: str, sql: str) -> SqlPlace | None:
    """The place that `message` names in `sql`; None where it names none that is there."""
    found = _PLACE.search(message)
    if found is None:
        return None
    line, column = int(found[1]), int(found[2])
    lines = sql.split("\n")
    if not (1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1):
        return None
    text = lines[line - 1]
    word = re.match(r"\w+|\S", text[column - 1 :])
    end = column - 1 + (word.end() if word else 1)
    start = max(column - 1 - _AROUND, 0)
    before = ("…" if start else "") + text[start : column - 1]
    after = text[end : end + _AROUND] + ("…" if len(text) > end + _AROUND else "")
    return SqlPlace(line, column, before, text[column - 1 : end], after)
