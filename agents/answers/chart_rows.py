"""The rows of a chart where several rows share a place on the axis, or a column of names gives the colour.

One row a place on the axis, one column a series: what is drawn then is an ordinary table. Sums are exact, as far as the
cells are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from agents.answers.cells import Column, shown
from agents.answers.chart_choice import MOST_SERIES, Choice, Rows

AGGREGATIONS: Mapping[str, str] = {
    "": "Each row", "sum": "Sum", "avg": "Average", "count": "Number", "min": "Smallest", "max": "Largest",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arranged:
    """`notice` is (what is left out, why), as a chart has it."""

    choice: Choice
    columns: Sequence[Column]
    rows: Rows
    notice: tuple[str, str] | None = None


def arranged(choice: Choice, columns: Sequence[Column], rows: Rows) -> Arranged:
    """The table that is drawn for `choice`; without colour and aggregation the one that there is."""
    if choice.x is None or choice.kind == "scatter" or (choice.colour is None and not choice.aggregation):
        return Arranged(choice, columns, rows)
    work = _WORK[choice.aggregation or "sum"]
    cells: dict[str, dict[str, list[Any]]] = {}
    names: dict[str, Any] = {}
    heads: dict[str, str] = {}
    for x, series, head, cell in _cells(choice, choice.x, columns, rows):
        names.setdefault(x, json.loads(x))
        heads.setdefault(series, head)
        cells.setdefault(x, {}).setdefault(series, []).append(cell)
    kept = list(heads)[:MOST_SERIES]
    made = [[names[x], *(work(cells[x][one]) if one in cells[x] else None for one in kept)] for x in names]
    measure = columns[choice.ys[0]]
    shown_columns = (
        replace(columns[choice.x], place=0),
        *(Column(place, heads[one], measure.type, "decimal") for place, one in enumerate(kept, start=1)),
    )
    notice = None
    if len(heads) > len(kept):
        notice = (f"First {len(kept)} of {len(heads)} colours.", "More could not be told apart.")
    drawn = replace(choice, x=0, ys=tuple(range(1, len(kept) + 1)), colour=None, aggregation="")
    return Arranged(drawn, shown_columns, made, notice)


def _cells(choice: Choice, x: int, columns: Sequence[Column], rows: Rows) -> Iterator[tuple[str, str, str, Any]]:
    """(place on the axis, series, the series' name, cell) for every cell that counts."""
    for row in rows:
        at = json.dumps(row[x], sort_keys=True)
        if choice.colour is not None:
            value = row[choice.colour]
            head = shown(value, columns[choice.colour]) or "NULL"
            yield at, json.dumps(value, sort_keys=True), head, row[choice.ys[0]]
        else:
            for y in choice.ys:
                yield at, str(y), columns[y].name, row[y]


def _numbers(cells: Sequence[Any]) -> list[Decimal]:
    found = []
    for cell in cells:
        if cell is None or isinstance(cell, bool):
            continue
        try:
            number = Decimal(str(cell))
        except InvalidOperation:
            continue
        if number.is_finite():
            found.append(number)
    return found


def _exact(number: Decimal) -> int | str:
    """As a cell is kept: a whole number, or the digits as text."""
    whole = number == number.to_integral_value() and abs(number) < 2**53
    return int(number) if whole else format(number.normalize(), "f")


def _over(work: Callable[[list[Decimal]], Decimal]) -> Callable[[Sequence[Any]], int | str | None]:
    def worked(cells: Sequence[Any]) -> int | str | None:
        numbers = _numbers(cells)
        return _exact(work(numbers)) if numbers else None

    return worked


_WORK: Mapping[str, Callable[[Sequence[Any]], int | str | None]] = {
    "sum": _over(lambda numbers: sum(numbers, Decimal(0))),
    "avg": _over(lambda numbers: sum(numbers, Decimal(0)) / len(numbers)),
    "min": _over(min),
    "max": _over(max),
    "count": lambda cells: sum(cell is not None for cell in cells),
}
