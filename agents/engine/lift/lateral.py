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
    """`frame` joined with the rows of `source` that belong to each of its rows."""
    query = source.origin.query if isinstance(source.origin, Cte) else source.origin
    if isinstance(query, Table):
        raise refuse("a table that reads other tables")
    if how == "left" and [part for part in on if not isinstance(part, exp.Boolean | exp.Literal)]:
        raise refuse("LEFT JOIN LATERAL with a condition", None, planner.text)
    query, link = linked(planner, frame, query)
    if isinstance(query, Select) and not query.having and all(is_total(planner, query, o.node) for o in query.outputs):
        return _totals(planner, frame, source, replace(query, tail=Tail()), link)
    planned = planner.rows(query, link, label=source.label)
    joined, names = join_back(planner, frame, planned, "left" if how == "left" else "inner")
    mapped = {(source.id, name): names[col] for name, col in zip(source.columns, planned.columns, strict=True)}
    return replace(joined, names={**frame.names, **mapped})


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
