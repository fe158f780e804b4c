"""What each tab of the result object shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from agents.answers import cells
from agents.answers.highlight import sql_pieces
from agents.answers.program import method_of, tables_of
from agents.templatetags.answers import count
from agents.views.grids import GridColumn, grid_of
from agents.views.steps_panel import steps_panel
from connections.contracts import Limits

if TYPE_CHECKING:
    from agents.views.result_object import View

PAGE_ROWS = 50
FIRST_ROWS = 5
MOST_FIGURES = 6


def cut_of(view: View) -> dict[str, Any]:
    """What cut_notice.html needs: whether rows are missing, and why."""
    result = view.result
    known = "more rows" if result.row_count is None else f"{count(result.row_count, result.row_count_exact)} rows"
    return {
        "cut": _why_cut(view) if result.truncated else "",
        "stored": result.rows_stored,
        "known": known,
        "expired": result.expired,
    }


def _why_cut(view: View) -> str:
    """Fewer rows than the connection allows were as many as fit, unless it allowed fewer then."""
    connection, stored = view.run.question.thread.connection, view.result.rows_stored
    if connection is None or stored >= connection.max_rows:
        return f"This connection keeps {stored:,} rows a result."
    return (
        f"More did not fit: a result keeps {Limits().bytes // 2**20} MB at most, and the rows that its connection "
        "allowed when it was asked."
    )


def answer_panel(view: View) -> dict[str, Any]:
    result = view.result
    rows = result.rows(0, FIRST_ROWS)
    single = result.rows_stored == 1 and len(rows) == 1 and len(result.columns) <= MOST_FIGURES
    figures = [
        {"name": column.name, "text": cells.shown(cell, column)}
        for column, cell in zip(result.columns, rows[0], strict=False)
    ] if single else []  # fmt: skip
    label = f"Result {result.number}, first {len(rows)} rows"
    return {
        **cut_of(view),
        "figures": figures,
        "method": method_of(view.run.program),
        "tables": tables_of(view.run.program),
        "sources": _sources(view),
        "grid": None if single or not rows else grid_of(result.columns, rows, identifier=view.table_id, label=label),
    }


def table_panel(view: View) -> dict[str, Any]:
    result = view.result
    page = max(view.number("page"), 1)
    sort = _sort(view.params.get("sort", ""), len(result.columns)) if result.stored is not None else None
    first = (page - 1) * PAGE_ROWS
    rows = () if result.expired else result.rows(first, PAGE_ROWS, sort)
    kept = {"sort": _sort_key(sort)} if sort else {}
    label = f"Result {result.number}, rows {first + 1} to {first + len(rows)} of {result.rows_stored:,} stored rows"
    grid = grid_of(result.columns, rows, identifier=view.table_id, label=label, first=first)
    grid = replace(grid, columns=[_sortable(view, head, place, sort) for place, head in enumerate(grid.columns)])
    more = first + len(rows) < result.rows_stored and bool(rows)
    return {
        **cut_of(view),
        "grid": grid if rows or not result.rows_stored else None,
        "shown": len(rows),
        "first": first + 1,
        "last": first + len(rows),
        "previous_url": view.url("table", page=page - 1, **kept) if page > 1 else "",
        "next_url": view.url("table", page=page + 1, **kept) if more else "",
        "expires_at": result.expires_at,
    }


def _sortable(view: View, head: GridColumn, place: int, sort: tuple[int, bool] | None) -> GridColumn:
    if view.result.stored is None:
        return head
    here = sort is not None and sort[0] == place
    descending = not sort[1] if here and sort is not None else head.numeric
    state = "" if not here or sort is None else "descending" if sort[1] else "ascending"
    return replace(head, sorted=state, sort_url=view.url("table", sort=_sort_key((place, descending))))


def _sort(text: str, width: int) -> tuple[int, bool] | None:
    """ "2" is the third column, "-2" the same from large to small."""
    place = text.lstrip("-")
    if not (place.isascii() and place.isdigit() and len(place) < 6 and int(place) < width):
        return None
    return int(place), text.startswith("-")


def _sort_key(sort: tuple[int, bool]) -> str:
    return f"-{sort[0]}" if sort[1] else str(sort[0])


def sql_panel(view: View) -> dict[str, Any]:
    connection = view.run.question.thread.connection
    dialect = connection.kind if connection is not None else ""
    result = view.result
    return {
        "database": connection.get_kind_display() if connection is not None else "SQL",
        "ms": result.ms,
        "known": cut_of(view)["known"],
        "pieces": sql_pieces(view.run.sql, dialect),
        "open_url": reverse("open_sql") if connection is not None and view.may_ask else "",
        "connection": connection.pk if connection is not None else "",
    }


def _sources(view: View) -> list[int]:
    return view.transcript.sources if view.result.stored is None else []


def chart_panel(view: View) -> dict[str, Any]:
    from agents.views.chart_panel import build  # late: the chart tab alone needs plotly

    return build(view)


PANELS: Mapping[str, Callable[[View], dict[str, Any]]] = {
    "answer": answer_panel, "table": table_panel, "chart": chart_panel, "steps": steps_panel, "sql": sql_panel,
}  # fmt: skip
