"""What one may ask next of an answer, made from its table without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.answers.cells import Column, shown
from agents.answers.chart_choice import Rows, fit

MOST = 3
LONGEST_NAME = 40


def follow_ups(columns: Sequence[Column], rows: Rows, *, values: bool) -> tuple[str, ...]:
    """At most three questions that go on from the table. They go to the model as they stand: without `values` none
    holds a cell."""
    return tuple(dict.fromkeys(_made(columns, rows, values)))[:MOST]


def _made(columns: Sequence[Column], rows: Rows, values: bool) -> Iterator[str]:
    found = fit(columns, rows)
    measures = [columns[place].name for place in found.measures]
    if not rows or not measures:
        return
    if len(rows) == 1:
        yield "The same by month"
        yield "Compared with the year before"
        return
    if found.times and not found.names:
        yield "Compared with the year before"
        yield f"The running total of {_words(measures[0])}"
        return
    if found.names:
        chosen = found.choice.x if found.choice is not None else None
        place = chosen if chosen in found.names and chosen is not None else found.names[0]  # words rather than codes
        top = shown(rows[0][place], columns[place])
        if values and top and len(top) <= LONGEST_NAME:
            yield f"Only {top}, by month"
        yield f"As a share of all {_words(measures[0])}"
    if not found.times:
        yield "The same by month"


def _words(name: str) -> str:
    return " ".join(name.replace("_", " ").split())[:LONGEST_NAME]
