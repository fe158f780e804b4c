"""The Chart tab: the chart chosen for the table, or the one that the person wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents.answers import cells
from agents.answers.chart_choice import KINDS, Choice, Fit, Wish, axis_places, colour_places, fit, wished
from agents.answers.chart_rows import AGGREGATIONS
from agents.answers.charts import Chart, draw
from agents.views.grids import grid_of

if TYPE_CHECKING:
    from agents.views.result_object import View

# Rows read for a chart, and rows of its table for screen readers; notices say so where there are more.
MOST_ROWS = 10_000
LISTED_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Option:
    key: str
    name: str
    selected: bool = False
    why_not: str = ""


def build(view: View) -> dict[str, Any]:
    result = view.result
    if result.expired:
        return _cut(view)
    rows = result.rows(0, MOST_ROWS)
    found = fit(result.columns, rows, view.run.question.text)
    choice = wished(found, _wish(view))
    if choice is None:
        return {"reason": found.reason}
    if choice.kind == "number":
        return _number(view, choice, rows)
    chart = draw(choice, result.columns, rows)
    return {
        "title": chart.title,
        "figure": chart.figure,
        "height": chart.height,
        "legend": _legend(chart),
        "notice": chart.notice,
        "kinds": [Option(key, name, key == choice.kind, found.why_not.get(key, "")) for key, name in KINDS.items()],
        "choices": _choices(view, found, choice),
        "drawn": len(chart.drawn),
        "grid": grid_of(
            chart.columns, chart.drawn[:LISTED_ROWS], identifier=f"{view.table_id}-chart", label="Data of the chart"
        ),
        **_cut(view),
    }


def _number(view: View, choice: Choice, rows: Any) -> dict[str, Any]:
    column = view.result.columns[choice.ys[0]]
    return {
        "title": view.run.question.text,
        "single": {"name": column.name, "text": cells.shown(rows[0][column.place], column)},
        "grid": grid_of(view.result.columns, rows, identifier=f"{view.table_id}-chart", label="Data of the chart"),
        "kinds": [Option("number", "Number", True)],
        "choices": [],
    }


def _legend(chart: Chart) -> list[dict[str, Any]]:
    if len(chart.series) < 2:
        return []
    return [{"place": place % 6 + 1, "name": name} for place, name in enumerate(chart.series)]


def _choices(view: View, found: Fit, choice: Choice) -> list[dict[str, Any]]:
    columns = view.result.columns
    words = {"bar": ("One bar for each", "Length"), "pie": ("One part for each", "Size"), "scatter": ("Across", "Up"),
             "histogram": ("", "Spread of")}  # fmt: skip
    x_label, y_label = words.get(choice.kind, ("Across", "Height"))
    choices = []
    axis = axis_places(found, choice.kind)
    if axis:
        options = [Option(str(place), columns[place].name, place == choice.x) for place in axis]
        choices.append({"key": "x", "label": x_label, "options": options})
    several = [Option("", ", ".join(columns[place].name for place in choice.ys), True)] if len(choice.ys) > 1 else []
    options = several + [
        Option(str(place), columns[place].name, not several and place == choice.ys[0]) for place in found.measures
    ]
    choices.append({"key": "y", "label": y_label, "options": options})
    return [*choices, *_colour_and_aggregation(view, found, choice)]


def _colour_and_aggregation(view: View, found: Fit, choice: Choice) -> list[dict[str, Any]]:
    columns, choices = view.result.columns, []
    colours = colour_places(found, choice)
    if colours:
        options = [Option(str(place), columns[place].name, place == choice.colour) for place in colours]
        choices.append({"key": "colour", "label": "Colour", "options": [Option("", "One"), *options]})
    if choice.kind in ("bar", "line", "area", "pie"):
        ways = [Option(key, words, key == choice.aggregation) for key, words in AGGREGATIONS.items()]
        choices.append({"key": "agg", "label": "Put together", "options": ways})
    return choices


def _wish(view: View) -> Wish:
    return Wish(
        view.params.get("kind", ""), _place(view, "x"), _place(view, "y"), _place(view, "colour"),
        view.params.get("agg", ""),
    )  # fmt: skip


def _cut(view: View) -> dict[str, Any]:
    from agents.views.panels import cut_of  # late: panels lists this panel

    cut = cut_of(view)
    if view.result.rows_stored > MOST_ROWS and not view.result.expired:
        known = cut["known"] if view.result.truncated else f"{view.result.rows_stored:,} rows"
        cut |= {"cut": "The chart is drawn from these.", "stored": MOST_ROWS, "known": known}
    return cut


def _place(view: View, name: str) -> int | None:
    text = view.params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
