"""Asking and answering for programs: what the JSON API and the MCP server hand out, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from agents import permissions, selectors, services
from agents.models import Run
from connections import selectors as connection_selectors
from connections.models import Connection, User

MOST_ROWS = 1_000
MOST_TABLES = 200


def connections_of(user: User) -> list[dict[str, Any]]:
    """The databases that `user` may ask."""
    found = connection_selectors.connections_to_ask(user)
    return [{"id": one.pk, "name": one.name, "kind": one.kind, "notes": one.notes} for one in found]


def tables_of(user: User, connection_id: int, search: str = "") -> list[dict[str, Any]]:
    """Tables with their columns; of many, those whose name holds `search`. Raises Connection.DoesNotExist."""
    connection = connection_selectors.connection_to_ask(user, connection_id)
    catalogue = connection_selectors.catalogue_of(connection)
    tables = [one for one in (catalogue.tables if catalogue else ()) if search.casefold() in one.name.casefold()]
    return [
        {
            "name": table.name,
            "schema": table.schema,
            "rows": table.row_estimate,
            "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        }
        for table in tables[:MOST_TABLES]
    ]


def ask(user: User, connection_id: int, question: str, thread_of: UUID | None = None) -> Run:
    """A queued run. `thread_of` is a run whose thread the question goes on with. Raises DoesNotExist errors, and
    ValidationError with words for people."""
    connection: Connection = connection_selectors.connection_to_ask(user, connection_id)
    thread = selectors.run_to_see(user, thread_of).question.thread if thread_of else None
    return services.ask(user=user, connection=connection, text=question, thread=thread)


def run_of(user: User, run_id: UUID) -> Run:
    return selectors.run_to_see(user, run_id)


def run_to_follow(user: User, run_id: UUID) -> tuple[Run, bool]:
    """The run, and whether its prompts, too, may be read."""
    run = run_of(user, run_id)
    return run, permissions.may_read_prompts(user, run)


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
    }


def table_of(run: Run, offset: int, limit: int) -> dict[str, Any] | None:
    """Rows of the answer's table from `offset`; None where it has none. NULL is null, exact numbers are text."""
    limit = min(limit, MOST_ROWS)
    if run.answer_table:
        table: Mapping[str, Any] = run.answer_table
        rows, columns = table["rows"], table["columns"]
        return _table(columns, rows[offset : offset + limit], len(rows), len(rows), truncated=False)
    if run.answer_result is None:
        return None
    page = selectors.result_page(selectors.result_of(run, run.answer_result), offset, limit)
    return _table(page.columns, page.rows, page.rows_stored, page.row_count, truncated=page.truncated)


def _table(columns: Any, rows: Any, stored: int, count: int | None, *, truncated: bool) -> dict[str, Any]:
    return {
        "columns": [{"name": one["name"], "type": one.get("type", "")} for one in columns],
        "rows": [list(row) for row in rows],
        "stored": stored,
        "count": count,
        "truncated": truncated,
    }
