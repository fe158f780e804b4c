"""LATERAL: derived tables that read columns of what stands before them in FROM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.correlation import Link, join_back, linked
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.query import Cte, Node, Select, Source, Tail, columns_of
from agents.engine.lift.refusals import refuse
from agents.engine.lift.scalar import is_total, or_zero
from connections.catalogue import Table

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def lateral(planner: Planner, frame: Frame, source: Source, how: str, on: Sequence[Node]) -> Frame:
    """`frame` joined with the rows of `source` that belong to each of its rows. `on` is that of a left join."""
    query = source.origin.query if isinstance(source.origin, Cte) else source.origin
    if isinstance(query, Table):
        raise refuse("a table that reads other tables")
    if how == "left" and not all(map(_is_true, on)):
        raise refuse("LEFT JOIN LATERAL with a condition", None, planner.text)
    totals = isinstance(query, Select) and _are_totals(planner, query)
    query, link = linked(planner, frame, query, filled=totals)
    if totals and isinstance(query, Select):
        return _totals(planner, frame, source, replace(query, tail=Tail()), link)
    planned = planner.rows(query, link, label=source.label)
    joined, names = join_back(planner, frame, planned, "left" if how == "left" else "inner")
    mapped = {(source.id, name): names[col] for name, col in zip(source.columns, planned.columns, strict=True)}
    return replace(joined, names={**frame.names, **mapped})


def _are_totals(planner: Planner, query: Select) -> bool:
    return not query.having and all(is_total(planner, query, output.node) for output in query.outputs)


def _totals(planner: Planner, frame: Frame, source: Source, query: Select, link: Link | None) -> Frame:
    """Aggregates without GROUP BY have a row also over nothing, so every row of `frame` has one; COUNT is 0."""
    inner, grouping = planner.grouped(query, link)
    nodes = [or_zero(grouping.rewrite(output.node), grouping.counts) for output in query.outputs]
    joined, names = join_back(planner, frame, Planned(inner.relation, (), inner.carried), "left")
    reads = {key: names[inner.names[key]] for node in nodes for key in columns_of(node) if key in inner.names}
    joined = replace(joined, names={**joined.names, **reads})
    for name, node in zip(source.columns, nodes, strict=True):
        joined, column = planner.column(joined, node, name)
        joined = replace(joined, names={**joined.names, (source.id, name): column})
    return joined


def _is_true(part: Node) -> bool:
    """Whether `part` of ON is a constant like TRUE, 1 or 1 = 1."""
    if isinstance(part, exp.EQ):
        return isinstance(part.this, exp.Literal) and part.this == part.expression
    if isinstance(part, exp.Literal):
        return not part.is_string and part.name.isdigit() and int(part.name) != 0
    return isinstance(part, exp.Boolean) and bool(part.this)
