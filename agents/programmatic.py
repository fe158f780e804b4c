"""Asking and answering for programs: what the JSON API and the MCP server hand out, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from agents import permissions, selectors, services
from agents.answers.failures import failure_of
from agents.models import Run
from agents.selectors import ResultPage
from agents.traces import recorder
from connections import selectors as connection_selectors
from connections.models import Connection, User

MOST_ROWS = 1_000
MOST_TABLES = 200

QUOTING = ("ProgramFailedError", "NoWorkingDraftError")
"""Failures whose words may be those of a database, which quotes values."""


class Tables(NamedTuple):
    """Tables of a catalogue from the one that was asked for on, and how many match altogether."""

    tables: list[dict[str, Any]]
    matching: int


def connections_of(user: User) -> list[dict[str, Any]]:
    """The databases that `user` may ask."""
    found = connection_selectors.connections_to_ask(user)
    return [{"id": one.pk, "name": one.name, "kind": one.kind, "notes": one.notes} for one in found]


def tables_of(user: User, connection_id: int, search: str = "", offset: int = 0) -> Tables:
    """Tables with their columns whose name holds `search`, MOST_TABLES at a time. Raises Connection.DoesNotExist."""
    connection = connection_selectors.connection_to_ask(user, connection_id)
    catalogue = connection_selectors.catalogue_of(connection)
    found = [one for one in (catalogue.tables if catalogue else ()) if search.casefold() in one.name.casefold()]
    tables = [
        {
            "name": table.name,
            "schema": table.schema,
            "rows": table.row_estimate,
            "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        }
        for table in found[max(offset, 0) :][:MOST_TABLES]
    ]
    return Tables(tables, len(found))


def ask(user: User, connection_id: int, question: str, thread_of: UUID | None = None) -> Run:
    """A queued run. `thread_of` is a run whose thread the question goes on with. Raises DoesNotExist errors, and
    ValidationError with words for people."""
    connection: Connection = connection_selectors.connection_to_ask(user, connection_id)
    thread = selectors.run_to_see(user, thread_of).question.thread if thread_of else None
    return services.ask(user=user, connection=connection, text=question, thread=thread)


def run_of(user: User, run_id: UUID) -> Run:
    return selectors.run_to_see(user, run_id)


class Followed(NamedTuple):
    """A run, and whether its prompts and an administrator's details, too, may be read."""

    run: Run
    prompts: bool
    details: bool


def run_to_follow(user: User, run_id: UUID) -> Followed:
    run = run_of(user, run_id)
    return Followed(run, permissions.may_read_prompts(user, run), permissions.may_read_details(user))


def told(run: Run, rows: int = 100) -> dict[str, Any]:
    """A run as it stands: the answer with its first rows once it has ended."""
    connection = run.question.thread.connection
    return {
        "id": str(run.pk),
        "question": run.question.text,
        "connection": connection.name if connection else None,
        "status": run.status,
        "answer": run.answer,
        "options": run.options,
        "error": run.error,
        "sql": run.sql,
        "program": run.steps,
        "table": None if run.is_live else table_of(run, 0, rows),
        "turns": run.turns,
        "seconds": run.seconds,
        "tokens": run.input_tokens + run.output_tokens,
        "cost": None if run.cost is None else float(run.cost),
        "page": _page(run),
    }


def _page(run: Run) -> str:
    return f"{settings.SITE_URL}{reverse('run', args=[run.pk])}"


def told_to_a_model(run: Run) -> dict[str, Any]:
    """`told` for a reader that is a model. Where the connection sends values to none, `withheld` says so, and columns,
    types and counts stand for the answer."""
    found, why = told(run), _why_withheld(run)
    if why and not run.is_live:
        answer, error, table = recorder.own_words(run), _own_error(run), _without_rows(found["table"], why)
        found |= {"answer": answer, "error": error, "table": table}
    return {**found, "withheld": why}


def table_for_a_model(run: Run, offset: int, limit: int) -> dict[str, Any] | None:
    """`table_of` for a reader that is a model: without rows where the connection sends values to none."""
    table, why = table_of(run, offset, limit), _why_withheld(run)
    return _without_rows(table, why) if why else table


def _why_withheld(run: Run) -> str:
    connection = run.question.thread.connection
    if connection is not None and connection.send_values:
        return ""
    whose = f"{connection} sends" if connection is not None else "A run without a connection sends"
    return f"{whose} no values to a model: columns, types and counts alone. People read the values at {_page(run)}."


def _own_error(run: Run) -> str:
    if run.error_type not in QUOTING:
        return run.error
    return failure_of(
        status=run.status, error_type=run.error_type, message="", turns=run.turns, calls=run.calls, seconds=run.seconds
    ).title


def _without_rows(table: dict[str, Any] | None, why: str) -> dict[str, Any] | None:
    return None if table is None else {**table, "rows": [], "shown": 0, "note": why}


def table_of(run: Run, offset: int, limit: int) -> dict[str, Any] | None:
    """Rows of the answer's table from `offset`, MOST_ROWS at most; None where it has none. NULL is null, exact numbers
    are text. `of` is how many rows there are altogether, None where nobody counted; `note` says in words what is not
    here."""
    limit = min(limit, MOST_ROWS)
    if run.answer_table:
        table: Mapping[str, Any] = run.answer_table
        rows, columns = table["rows"], table["columns"]
        page = ResultPage(columns, rows[offset : offset + limit], offset, len(rows), len(rows), True, False, False)
    elif run.answer_result is None:
        return None
    else:
        page = selectors.result_page(selectors.result_of(run, run.answer_result), offset, limit)
    return _table(page)


def _table(page: ResultPage) -> dict[str, Any]:
    return {
        "columns": [{"name": one["name"], "type": one.get("type", "")} for one in page.columns],
        "rows": [list(row) for row in page.rows],
        "stored": page.rows_stored,
        "count": page.row_count,
        "truncated": page.truncated,
        "offset": page.offset,
        "shown": len(page.rows),
        "of": page.row_count if page.truncated else page.rows_stored,
        "expired": page.expired,
        "note": " ".join(filter(None, (_what_is_not_here(page), _what_is_not_stored(page)))),
    }


def _what_is_not_here(page: ResultPage) -> str:
    first, last = page.offset + 1, page.offset + len(page.rows)
    if page.expired:
        return "The rows were deleted for their age; a rerun reads them again."
    if len(page.rows) == page.rows_stored:
        return ""
    if not page.rows:
        return f"None of the {page.rows_stored:,} stored rows is here; ask for them by offset and limit."
    return f"These are rows {first:,} to {last:,} of {page.rows_stored:,} that are stored; ask for others by offset."


def _what_is_not_stored(page: ResultPage) -> str:
    if not page.truncated:
        return ""
    number = "more" if page.row_count is None else f"{page.row_count:,}"
    known = number if page.row_count is None or page.row_count_exact else f"at least {number}"
    return f"The first {page.rows_stored:,} rows of {known} are stored: figures over all of them need another question."
