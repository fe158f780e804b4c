"""The sentence that people read: citations of results become what those results say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.engine.outcomes import Result
from connections.values import display_text

LONGEST_LIST = 5
"""Values that a sentence lists; more are left to the table."""

_CITATION = re.compile(
    r"(?P<before>\s*[:(]?\s*)<\s*execute_result_(?P<number>\d{1,6})\s*>(?P<after>\s*\)?)", re.IGNORECASE
)


def told(text: str, results: Sequence[Result]) -> str:
    """`text` with every citation read out: the value of a single cell, else how many rows there are. A citation that
    only points at the table below it is left out."""
    known = {result.number: result for result in results}
    alone = _CITATION.fullmatch(text.strip().rstrip("."))
    if alone and (result := known.get(int(alone["number"]))):
        return _sentence(result)

    def words(match: re.Match[str]) -> str:
        result = known.get(int(match["number"]))
        if result is None:
            return f"{match['before']}result {match['number']}{match['after']}"
        if _is_pointer(match) and not _is_single(result):
            return match["after"].rstrip(")")
        return f"{match['before']}{_words(result)}{match['after']}"

    return _CITATION.sub(words, text)


def _is_pointer(match: re.Match[str]) -> bool:
    """In parentheses, or after a colon where a sentence ends."""
    if "(" in match["before"]:
        return True
    return ":" in match["before"] and re.match(r"\.?(\s|$)", match.string[match.end() :]) is not None


def _is_single(result: Result) -> bool:
    return len(result.rows) == result.row_count == 1 and len(result.rows[0]) == 1


def _sentence(result: Result) -> str:
    """What a result says where nobody said it: one row or a short column read out, else how many rows."""
    rows, count = result.rows, result.row_count
    if count == 0:
        return "Nothing matches: the result has no rows."
    if len(rows) == count == 1:
        return f"The answer is {', '.join(display_text(cell) for cell in rows[0])}."
    if len(rows) == count <= LONGEST_LIST and len(rows[0]) == 1:
        *first, last = (display_text(row[0]) for row in rows)
        return f"The answer is {', '.join(first)} and {last}."
    return f"The answer has {_words(result)}."


def _words(result: Result) -> str:
    if _is_single(result):
        return display_text(result.rows[0][0])
    at_least = "" if result.row_count_exact else "at least "
    return {0: "no rows", 1: "one row"}.get(result.row_count, f"{at_least}{result.row_count:,} rows")
