"""The plotly figure of a chart. Colours are named by the page's tokens, `var(--series-1)`: the page knows the theme.

Texts of the data are escaped, because plotly reads a little HTML in labels, and %{…} in what it shows at the pointer.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.answers import cells
from agents.answers.cells import Column
from agents.answers.chart_choice import MOST_BARS, MOST_POINTS, MOST_SERIES, Choice, Rows, numeric
from agents.answers.chart_rows import arranged

LABEL_CHARACTERS = 40
BAR_HEIGHT, LEAST_HEIGHT, HEIGHT = 34, 200, 400


@dataclass(frozen=True, slots=True)
class Chart:
    """`figure` is plotly's JSON. `notice` is (what is left out, why), `series` the legend's names in order. `drawn` are
    the rows of the drawing, under `columns`."""

    title: str
    figure: dict[str, Any]
    height: int
    series: tuple[str, ...] = ()
    notice: tuple[str, str] | None = None
    drawn: Rows = field(default_factory=tuple)
    columns: tuple[Column, ...] = ()


def draw(choice: Choice, columns: Sequence[Column], rows: Rows) -> Chart:
    """The figure for `choice` over `rows`, which are JSON cells. Raises ValueError for a kind without a figure."""
    drawers = {"bar": _bars, "line": _lines, "area": _lines, "scatter": _scatter, "pie": _pie, "histogram": _histogram}
    if choice.kind not in drawers:
        raise ValueError(f"{choice.kind} is shown as text, not drawn.")
    table = arranged(choice, columns, rows)
    chart = drawers[choice.kind](table.choice, table.columns, table.rows)
    return replace(chart, columns=tuple(table.columns), notice=table.notice or chart.notice)


def label(cell: Any) -> str:
    text = "NULL" if cell is None else str(cell)
    short = text if len(text) <= LABEL_CHARACTERS else text[: LABEL_CHARACTERS - 1] + "…"
    return html.escape(short, quote=False).replace("%{", "%&#123;")


def _names(columns: Sequence[Column], places: Sequence[int]) -> tuple[str, ...]:
    return tuple(columns[place].name for place in places)


def _title(choice: Choice, columns: Sequence[Column]) -> str:
    measures = " and ".join(_names(columns, choice.ys[:3]))
    return measures if choice.x is None else f"{measures} by {columns[choice.x].name}"


def figure_of(traces: list[Any], **layout: Any) -> dict[str, Any]:
    """Plotly's JSON for traces (objects, or mappings with their `type`), in the look of all charts."""
    import plotly.graph_objects as go  # late: plotly takes half a second

    axis = {"gridcolor": "var(--plot-grid)", "linecolor": "var(--line-2)", "zerolinecolor": "var(--line-2)",
            "tickcolor": "var(--line-2)", "automargin": True, "fixedrange": True}  # fmt: skip
    figure = go.Figure(traces)
    figure.update_layout(
        template="none", paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", showlegend=False,
        font={"size": 12, "color": "var(--ink-2)"}, margin={"l": 8, "r": 24, "t": 8, "b": 8},
        hoverlabel={"bgcolor": "var(--raised)", "bordercolor": "var(--line-2)", "font": {"color": "var(--ink)"}},
        **layout,
    )  # fmt: skip
    figure.update_xaxes(**{**axis, **(layout.get("xaxis") or {})})
    figure.update_yaxes(**{**axis, **(layout.get("yaxis") or {})})
    data: dict[str, Any] = figure.to_plotly_json()
    return data


def _colour(place: int) -> str:
    return f"var(--series-{place % 6 + 1})"


def _bars(choice: Choice, columns: Sequence[Column], rows: Rows) -> Chart:
    """Horizontal, the first row on top; names that repeat stay bars of their own."""
    import plotly.graph_objects as go

    assert choice.x is not None
    drawn = rows[:MOST_BARS]
    places = list(range(len(drawn)))
    valued = choice.ys[:1] if len(choice.ys) <= 2 else ()  # more of them would stand in each other's way
    traces = [
        go.Bar(
            orientation="h", name=label(columns[y].name), y=places, x=[numeric(row[y]) for row in drawn],
            marker={"color": _colour(series)}, text=_values(drawn, columns[y]) if y in valued else None,
            textposition="outside", textfont={"size": 11}, constraintext="none", cliponaxis=False,
            hovertext=[label(row[choice.x]) for row in drawn],
            hovertemplate="%{hovertext}: %{x}<extra>" + label(columns[y].name) + "</extra>",
        )
        for series, y in enumerate(choice.ys)
    ]  # fmt: skip
    names = {"autorange": "reversed", "tickvals": places, "ticktext": [label(row[choice.x]) for row in drawn],
             "showgrid": False, "zeroline": False, "showline": False, "ticks": "", "ticklabelstandoff": 8}  # fmt: skip
    lengths = {"side": "top", "showline": False, "ticks": "", "tickformat": ",~f", "zerolinecolor": "var(--edge)",
               "range": _room(drawn, choice.ys)}  # fmt: skip
    figure = figure_of(traces, yaxis=names, xaxis=lengths, barmode="group", bargap=0.35)
    notice = None
    if len(rows) > MOST_BARS:
        notice = (f"First {MOST_BARS} of {len(rows):,} rows.", f"Bars hold {MOST_BARS}, in the order of the table.")
    height = max(len(drawn) * BAR_HEIGHT + 60, LEAST_HEIGHT)
    return Chart(_title(choice, columns), figure, height, _names(columns, choice.ys), notice, drawn)


def _room(rows: Rows, places: Sequence[int]) -> list[float]:
    """From the smallest to the largest bar, zero between them, with room for the values beside the bars."""
    numbers = [number for row in rows for place in places if (number := numeric(row[place])) is not None]
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    margin = (high - low) * 0.12 or 1.0
    return [low - (margin if low < 0 else 0), high + (margin if high > 0 else 0)]


def _values(rows: Rows, column: Column) -> list[str]:
    return [label(cells.shown(row[column.place], column)) for row in rows]


def _lines(choice: Choice, columns: Sequence[Column], rows: Rows) -> Chart:
    """Over time, sorted; a gap where a value is missing."""
    import plotly.graph_objects as go

    assert choice.x is not None
    x = choice.x
    drawn = sorted((row for row in rows if row[x] is not None), key=lambda row: str(row[x]))[:MOST_POINTS]
    area = {"fill": "tozeroy"} if choice.kind == "area" else {}
    traces = [
        go.Scatter(
            name=label(columns[y].name), x=[str(row[x]) for row in drawn], y=[numeric(row[y]) for row in drawn],
            mode="lines+markers" if len(drawn) <= 60 else "lines", line={"color": _colour(series), "width": 2},
            marker={"size": 5}, **area,
        )
        for series, y in enumerate(choice.ys)
    ]  # fmt: skip
    kind = "category" if columns[x].numeric or any(not _is_day(str(row[x])) for row in drawn) else "date"
    height = {"rangemode": "tozero", "tickformat": ",~f", "showline": False}
    figure = figure_of(traces, xaxis={"type": kind}, yaxis=height, hovermode="x unified")
    return Chart(_title(choice, columns), figure, HEIGHT, _names(columns, choice.ys), _cut(rows, MOST_POINTS), drawn)


def _is_day(text: str) -> bool:
    return len(text) >= 7 and text[:4].isdigit() and text[4] == "-" and text[5:7].isdigit()


def _cut(rows: Rows, most: int) -> tuple[str, str] | None:
    return (f"First {most:,} of {len(rows):,} rows.", "A drawing of more would be slow.") if len(rows) > most else None


def _scatter(choice: Choice, columns: Sequence[Column], rows: Rows) -> Chart:
    import plotly.graph_objects as go

    assert choice.x is not None
    drawn, y = rows[:MOST_POINTS], choice.ys[0]
    groups = _coloured(choice, columns, drawn)
    traces = [
        go.Scatter(
            name=label(name), x=[numeric(row[choice.x]) for row in group], y=[numeric(row[y]) for row in group],
            mode="markers", marker={"color": _colour(place), "size": 7, "opacity": 0.75},
        )
        for place, (name, group) in enumerate(groups.items())
    ]  # fmt: skip
    titles = {
        "xaxis": {"title": {"text": label(columns[choice.x].name)}},
        "yaxis": {"title": {"text": label(columns[y].name)}},
    }
    title = f"{columns[y].name} against {columns[choice.x].name}"
    names = tuple(groups) if choice.colour is not None else ()
    return Chart(title, figure_of(traces, **titles), HEIGHT, names, _cut(rows, MOST_POINTS), drawn)


def _coloured(choice: Choice, columns: Sequence[Column], rows: Rows) -> dict[str, list[Sequence[Any]]]:
    """The rows by their colour, the last one for all that could not be told apart."""
    groups: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        name = "" if choice.colour is None else cells.shown(row[choice.colour], columns[choice.colour]) or "NULL"
        groups.setdefault(name if name in groups or len(groups) < MOST_SERIES - 1 else "Others", []).append(row)
    return groups


def _pie(choice: Choice, columns: Sequence[Column], rows: Rows) -> Chart:
    import plotly.graph_objects as go

    assert choice.x is not None
    y = choice.ys[0]
    trace = go.Pie(
        labels=[label(row[choice.x]) for row in rows], values=[numeric(row[y]) or 0 for row in rows], sort=False,
        hole=0.55, textinfo="label+percent", textposition="outside", direction="clockwise",
        marker={"colors": [_colour(place) for place in range(len(rows))],
                "line": {"color": "var(--surface)", "width": 2}},
    )  # fmt: skip
    return Chart(_title(choice, columns), figure_of([trace]), HEIGHT, (), None, rows)


def _histogram(choice: Choice, columns: Sequence[Column], rows: Rows) -> Chart:
    import plotly.graph_objects as go

    y = choice.ys[0]
    drawn = [row for row in rows if numeric(row[y]) is not None]
    values = [numeric(row[y]) for row in drawn]
    trace = go.Histogram(x=values, marker={"color": _colour(0), "line": {"color": "var(--surface)", "width": 1}})
    figure = figure_of([trace], yaxis={"title": {"text": "rows"}}, xaxis={"title": {"text": label(columns[y].name)}})
    return Chart(f"How {columns[y].name} is spread", figure, HEIGHT, (), None, drawn)
