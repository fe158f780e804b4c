"""Which chart fits a table: a pure function of the columns, the rows and the question.

| the table has                                            | chart      |
|----------------------------------------------------------|------------|
| one row, one number                                      | number     |
| a time column (or a year) and numbers, two rows or more  | line       |
| names and numbers; "share" or "%" asked, at most 8 parts | pie        |
| names and numbers                                        | bar        |
| two or more numbers, no names, five rows or more         | scatter    |
| one number, ten rows or more                             | histogram  |
| anything else                                            | none, with the reason |

Area is never chosen by itself; it is offered where a line is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.answers.cells import Column

Kind = Literal["number", "bar", "line", "area", "scatter", "pie", "histogram"]
KINDS: dict[str, str] = {
    "bar": "Bars", "line": "Line", "area": "Area", "scatter": "Scatter", "pie": "Pie", "histogram": "Histogram",
}  # fmt: skip

MOST_BARS = 12
MOST_PARTS = 8
MOST_SERIES = 6
MOST_POINTS = 5_000
AGGREGATED = ("sum", "avg", "count", "min", "max")

_TIME = frozenset({"date", "timestamp", "timestamptz"})
_YEAR = re.compile(r"(^|_)(year|yr)$", re.IGNORECASE)
_TIME_TEXT = re.compile(r"\d{4}-(\d{2}|Q[1-4]|W\d{2})(-\d{2})?([T ]\d{2}:\d{2}.*)?$")
_SHARE = re.compile(r"\b(share|shares|percentage|percent|proportion|split|composition)\b|%", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(^|_)(id|key|no|nr|code|uuid|zip|phone)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """A chart: `x` is the column of names, times or the first measure, `ys` are the measures, all by place. `colour` is
    a column of names that splits the first measure, `aggregation` how rows of one place are put together ("": not)."""

    kind: Kind
    x: int | None
    ys: tuple[int, ...]
    colour: int | None = None
    aggregation: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a table can be drawn as. `choice` is None where nothing fits, and `reason` says why. `why_not` names what a
    kind lacks. `names`, `times`, `measures` are columns by place."""

    choice: Choice | None
    reason: str
    why_not: dict[str, str]
    names: tuple[int, ...]
    times: tuple[int, ...]
    measures: tuple[int, ...]


Rows = Sequence[Sequence[Any]]


def fit(columns: Sequence[Column], rows: Rows, question: str = "") -> Fit:
    times = tuple(column.place for column in columns if _is_time(column, rows))
    measures = tuple(column.place for column in columns if _is_measure(column, rows) and column.place not in times)
    names = tuple(column.place for column in columns if column.place not in times and column.place not in measures)
    why_not = _why_not(rows, names, times, measures)
    choice = _choose(rows, names, times, measures, why_not, question)
    return Fit(choice, "" if choice else _reason(rows, measures), why_not, names, times, measures)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asked of the chart; what cannot be had is passed over."""

    kind: str = ""
    x: int | None = None
    y: int | None = None
    colour: int | None = None
    aggregation: str = ""


def wished(found: Fit, wish: Wish) -> Choice | None:
    """`chosen` with the colour and the aggregation that go with it."""
    choice = chosen(found, wish.kind, wish.x, wish.y)
    if choice is None or choice.kind not in ("bar", "line", "area", "scatter", "pie"):
        return choice
    colour = wish.colour if wish.colour in colour_places(found, choice) else None
    aggregation = wish.aggregation if wish.aggregation in AGGREGATED and choice.kind != "scatter" else ""
    ys = choice.ys[:1] if colour is not None else choice.ys
    return replace(choice, ys=ys, colour=colour, aggregation=aggregation)


def colour_places(found: Fit, choice: Choice) -> tuple[int, ...]:
    """Columns of names that are not on the axis already; a pie has its colours from its parts."""
    if choice.kind in ("pie", "histogram", "number"):
        return ()
    return tuple(place for place in found.names if place != choice.x)


def chosen(found: Fit, kind: str, x: int | None, y: int | None) -> Choice | None:
    """The person's wishes where they can be drawn, else the choice made for them."""
    best = found.choice
    if best is None or best.kind == "number" or (not kind and x is None and y is None):
        return best
    wanted: Kind = kind if kind in KINDS and kind not in found.why_not else best.kind  # type: ignore[assignment]
    measures = (y,) if y in found.measures else best.ys if wanted == best.kind else found.measures[:MOST_SERIES]
    if wanted == "scatter":
        first = x if x in found.measures else found.measures[0]
        return Choice(wanted, first, tuple(one for one in measures if one != first)[:1] or (found.measures[-1],))
    if wanted == "histogram":
        return Choice(wanted, None, measures[:1])
    places = axis_places(found, wanted)
    return Choice(wanted, x if x in places else _first(best.x, places), measures[:1] if wanted == "pie" else measures)


def axis_places(found: Fit, kind: str) -> tuple[int, ...]:
    """The columns that can stand on the axis that is no measure."""
    if kind in ("line", "area"):
        return found.times
    return found.measures if kind == "scatter" else () if kind == "histogram" else (*found.names, *found.times)


def _first(place: int | None, places: tuple[int, ...]) -> int | None:
    return place if place in places else next(iter(places), None)


def _choose(
    rows: Rows,
    names: tuple[int, ...],
    times: tuple[int, ...],
    measures: tuple[int, ...],
    why_not: dict[str, str],
    question: str,
) -> Choice | None:
    if len(rows) == 1 and len(measures) == 1:
        return Choice("number", None, measures)
    if "line" not in why_not and not names:
        return Choice("line", times[0], _alike(rows, measures))
    if "pie" not in why_not and _SHARE.search(question):
        return Choice("pie", names[0], measures[:1])
    if "line" not in why_not and len({row[times[0]] for row in rows}) == len(rows):
        return Choice("line", times[0], _alike(rows, measures))
    if "bar" not in why_not and len(rows) > 1:
        return Choice("bar", _readable(rows, names) if names else times[0], _alike(rows, _leading(rows, measures))[:2])
    if "scatter" not in why_not:
        return Choice("scatter", measures[0], measures[1:2])
    return Choice("histogram", None, measures[:1]) if "histogram" not in why_not else None


def _alike(rows: Rows, measures: tuple[int, ...]) -> tuple[int, ...]:
    """The first measure and those of its size: beside a much larger one, a small one is a flat line."""
    largest = [max((abs(numeric(row[place]) or 0) for row in rows), default=0) for place in measures]
    alike = [place for place, size in zip(measures, largest, strict=True) if largest[0] / 8 <= size <= largest[0] * 8]
    return tuple(alike[:MOST_SERIES]) or measures[:1]


def _leading(rows: Rows, measures: tuple[int, ...]) -> tuple[int, ...]:
    """The measure that the rows are sorted by, from large to small, comes first."""

    def falls(place: int) -> bool:
        cells = [number for row in rows if (number := numeric(row[place])) is not None]
        return len(cells) > 2 and all(first >= second for first, second in zip(cells, cells[1:], strict=False))

    lead = next((place for place in measures if falls(place)), measures[0])
    return (lead, *(place for place in measures if place != lead))


def _readable(rows: Rows, names: tuple[int, ...]) -> int:
    """Among columns of names, the one that tells rows apart; among those, words rather than codes."""

    def rank(place: int) -> tuple[bool, float]:
        texts = [str(row[place]) for row in rows]
        apart = len(set(texts)) > len(texts) * 0.8
        return apart, sum(min(len(text), 60) for text in texts) / len(texts)

    return max(names, key=rank)


def _why_not(rows: Rows, names: tuple[int, ...], times: tuple[int, ...], measures: tuple[int, ...]) -> dict[str, str]:
    missing: dict[str, str] = {}
    if not measures:
        return dict.fromkeys(KINDS, "needs a number")
    if not names and not times:
        missing["bar"] = "needs a column of names"
    if not times or len(rows) < 2:
        missing["line"] = missing["area"] = "needs a date on x"
    if not names:
        missing["pie"] = "needs a column of names"
    elif len(rows) > MOST_PARTS:
        missing["pie"] = f"more than {MOST_PARTS} parts"
    elif any(number is not None and number < 0 for row in rows if (number := numeric(row[measures[0]])) is not None):
        missing["pie"] = "has negative parts"
    if len(measures) < 2 or len(rows) < 5:
        missing["scatter"] = "needs two numbers and five rows"
    if len(rows) < 10:
        missing["histogram"] = "needs ten rows"
    return missing


def _reason(rows: Rows, measures: tuple[int, ...]) -> str:
    if not rows:
        return "The result has no rows to draw."
    if not measures:
        return "The result has no column of numbers, so there is nothing to measure. The table shows it best."
    return "There are too few rows to compare. The table shows them best."


def _is_time(column: Column, rows: Rows) -> bool:
    if column.semantic in _TIME or (_YEAR.search(column.name) and column.numeric):
        return True
    cells = [row[column.place] for row in rows[:50] if row[column.place] is not None]
    return bool(cells) and all(isinstance(cell, str) and _TIME_TEXT.match(cell) for cell in cells)


def _is_measure(column: Column, rows: Rows) -> bool:
    if not column.numeric or _IDENTIFIER.search(column.name):
        return False
    return any(numeric(row[column.place]) is not None for row in rows[:200])


def numeric(cell: Any) -> float | None:
    """A cell as a number to draw; None where it is none. What is drawn may be rounded, what is listed is not."""
    if isinstance(cell, bool) or cell is None:
        return None
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < float("inf") else None
