"""VALUES: rows of constants, under the names that the database gives their columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.query import Constants, Node, free_of
from agents.engine.lift.refusals import refuse
from agents.engine.lift.scope import Scope, unique_names
from connections.catalogue import DialectName
from connections.guard import sqlglot_dialect

if TYPE_CHECKING:
    from agents.engine.lift.binding import Binder
    from agents.engine.lift.binding_sources import Ctes


def constants(binder: Binder, node: exp.Values, ctes: Ctes, outer: Scope | None) -> Constants:
    scope = Scope(binder.dialect, outer)
    written = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
    if len(set(map(len, written))) != 1:
        raise refuse("VALUES with rows of different lengths", node, binder.text)
    rows = tuple(tuple(binder.expression(cell, scope, ctes) for cell in row) for row in written)
    free = free_of([cell for row in rows for cell in row], binder.queries)
    return Constants(rows, _names(written[0], binder.dialect), free=free)


def _names(first: Sequence[Node], dialect: DialectName) -> tuple[str, ...]:
    if dialect == "mysql":  # MariaDB: what is written in the first row
        reader = sqlglot_dialect(dialect)
        texts = (cell.name if isinstance(cell, exp.Literal) else cell.sql(dialect=reader) for cell in first)
        return unique_names(text or f"column_{i}" for i, text in enumerate(texts))
    if dialect == "duckdb":
        return tuple(f"col{i}" for i in range(len(first)))
    return tuple(f"column{i + 1}" for i in range(len(first)))
