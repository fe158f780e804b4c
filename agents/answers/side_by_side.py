"""Two tables beside each other: whether they say the same, and how many rows each has of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.answers.comparison import same_table
from agents.answers.turns import counted

# Larger tables are not compared on a page.
MOST_ROWS, MOST_COLUMNS = 1_000, 40

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`same` is None where the two could not be compared."""

    same: bool | None
    text: str


def compared(left: Rows, right: Rows, names: tuple[Sequence[str], Sequence[str]], *, whole: bool) -> Verdict:
    """`whole`: both tables are here with all their rows."""
    if not whole or max(len(left), len(right)) > MOST_ROWS or max(map(len, names)) > MOST_COLUMNS:
        return Verdict(None, "The tables are too large to be compared row by row here.")
    if len(left) == len(right) and (not left or same_table(left, right)):
        renamed = "" if list(names[0]) == list(names[1]) else " The columns have other names or another order."
        return Verdict(True, f"Both tables say the same.{renamed}")
    if len(names[0]) != len(names[1]):
        return Verdict(False, f"The tables differ: {_size(left, names[0])} and {_size(right, names[1])}.")
    ours, theirs = (Counter(json.dumps(list(row), sort_keys=True) for row in rows) for rows in (left, right))
    only_left, only_right = (ours - theirs).total(), (theirs - ours).total()
    return Verdict(
        False,
        f"The tables differ: {counted(only_left, 'row')} only in the first, "
        f"{counted(only_right, 'row')} only in the second, {(ours & theirs).total():,} in both.",
    )


def _size(rows: Rows, names: Sequence[str]) -> str:
    return f"{counted(len(rows), 'row')} of {counted(len(names), 'column')}"
