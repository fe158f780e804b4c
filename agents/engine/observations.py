"""The words of observations: compact, and the same for the same facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agents.dsl.names import quoted
from agents.dsl.relation import Relation, RelColumn
from agents.engine.outcomes import Result
from connections.values import display_text

_SHOWN_COLUMNS = 120
_TOLD_AGAIN = 12
_SHOWN_CHARACTERS = 200  # of one cell
_TABLE_CHARACTERS = 12_000


def relation_text(handle: str, relation: Relation, twin: str | None = None) -> str:
    """`t_orders: id INTEGER, total NUMERIC(10, 2)`, with the notes of its call. `twin` is a live relation that the same
    call made before.

    Columns of a wide input that go on unchanged are not told again.
    """
    notes = "".join(f"\nnote: {note}" for note in relation.notes)
    if twin and twin != handle:
        notes += f"\nnote: the same as {quoted(twin)}"
    columns = list(relation.columns.values())
    source = relation.inputs[0] if relation.inputs else None
    known = list(source.columns.values()) if source else []
    if source is None or len(known) <= _TOLD_AGAIN or _told(columns[: len(known)]) != _told(known):
        return f"{quoted(handle)}: {columns_text(columns)}{notes}"
    new = columns_text(columns[len(known) :])
    return f"{quoted(handle)}: the {len(known)} columns of {quoted(source.handle)}{', then ' * bool(new)}{new}{notes}"


def _told(columns: Sequence[RelColumn]) -> list[tuple[str, str]]:
    return [(column.name, column.shown_type) for column in columns]


def columns_text(columns: Iterable[RelColumn]) -> str:
    told = [f"{quoted(column.name)} {column.shown_type}".rstrip() for column in columns]
    more = f", and {len(told) - _SHOWN_COLUMNS} more" if len(told) > _SHOWN_COLUMNS else ""
    return ", ".join(told[:_SHOWN_COLUMNS]) + more


def result_text(result: Result, preview_rows: int, *, send_values: bool) -> str:
    """The number, how many rows there are, and the first of them as a table."""
    total = count_text(result.row_count, result.row_count_exact)
    head = f"result {result.number}: {total}"
    names = " | ".join(quoted(column.name) for column in result.columns)
    if not send_values:
        return f"{head}\ncolumns: {names}\n(values are not shown on this connection)"
    lines = rows_text(result.rows[:preview_rows])
    if len(lines) < result.row_count:
        head = f"result {result.number}: first {len(lines):,} of {total}"
    return "\n".join([head, names, *lines])


def cut_warnings(result: Result, cut_by: str) -> list[str]:
    """What of `result` is not there: rows, which `cut_by` "rows" or "bytes" left out, and the rest of long values."""
    warnings = []
    if result.truncated:
        total = count_text(result.row_count, result.row_count_exact)
        why = ", as many as fit into its memory" if cut_by == "bytes" else ""
        warnings.append(f"result {result.number} is cut: it holds the first {len(result.rows):,} of {total}{why}")
    if result.cut_cells:
        values = "value is" if result.cut_cells == 1 else "values are"
        warnings.append(f"result {result.number}: {result.cut_cells:,} {values} cut, with only the beginning kept")
    return warnings


def count_text(count: int, exact: bool = True) -> str:
    return f"{'' if exact else 'at least '}{count:,} {'row' if count == 1 else 'rows'}"


def rows_text(rows: Sequence[Sequence[Any]]) -> list[str]:
    """One line a row, as many as fit."""
    lines: list[str] = []
    size = 0
    for row in rows:
        line = " | ".join(cell_text(value) for value in row)
        size += len(line) + 1
        if lines and size > _TABLE_CHARACTERS:
            break
        lines.append(line)
    return lines


def cell_text(value: Any) -> str:
    """One value on one line, cut when it is long."""
    text = display_text(value).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
