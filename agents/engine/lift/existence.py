"""EXISTS and NOT EXISTS: never NULL, so a row of the sub-query or none is all there is to know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.calls import has_aggregate
from agents.engine.lift.correlation import join_back, linked
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.program import Aggregate
from agents.engine.lift.query import Node, Query, Select, Tail, column

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def semi_join(planner: Planner, frame: Frame, query: Query) -> Frame | None:
    """The rows of `frame` for which `query` has a row; None when that is all of them."""
    if _always(planner, query):
        return frame
    planned = _witnesses(planner, frame, query)
    if not planned.carried:
        planned = replace(planned, relation=planner.program.limit(planned.relation, 1))
    return join_back(planner, frame, planned, "inner")[0]


def flag(planner: Planner, frame: Frame, query: Query, want: str, *, negated: bool = False) -> tuple[Frame, Node]:
    """Whether `query` has a row, as an expression."""
    if _always(planner, query):
        return frame, exp.Boolean(this=not negated)
    planned = _witnesses(planner, frame, query)
    source = planner.new_source("exists")
    if planned.carried:
        planned, marker = _marked(planner, planned)
        frame, names = join_back(planner, frame, planned, "left")
        test: Node = exp.Is(this=column(source, marker), expression=exp.Null())
        test = test if negated else exp.Not(this=test)
    else:
        first = planner.program.limit(planned.relation, 1)
        marker = first.free_name("found")
        counted = planner.program.aggregate(first, (), [Aggregate("count", "*", marker)])
        frame, names = join_back(planner, frame, Planned(counted, ()), "left")
        test = (exp.EQ if negated else exp.GT)(this=column(source, marker), expression=exp.Literal.number(0))
    return replace(frame, names={**frame.names, (source, marker): names[marker]}), test


def _marked(planner: Planner, planned: Planned) -> tuple[Planned, str]:
    """A column that is NULL only where nothing matched: a key that was compared, or a constant."""
    safe = [item.column for item in planned.carried if not item.null_safe]
    if safe:
        return planned, safe[0]
    marker = planned.relation.free_name("found")
    return replace(planned, relation=planner.program.derive(planned.relation, marker, exp.Literal.number(1))), marker


def _witnesses(planner: Planner, frame: Frame, query: Query) -> Planned:
    """One row for each combination of carried columns with which `query` has a row."""
    query, link = linked(planner, frame, _plain(planner, query))
    planned = planner.rows(query, link)
    return planner.distinct(replace(planned, columns=()), ()) if planned.carried else planned


def _plain(planner: Planner, query: Query) -> Query:
    """`query` without what cannot change whether it has a row."""
    if not isinstance(query, Select) or query.tail.offset or query.tail.limit == 0:
        return query
    grouped = query.groups is not None or query.having or _aggregates(planner, query)
    outputs = query.outputs if grouped else ()
    return replace(query, outputs=outputs, distinct=False, distinct_on=(), tail=Tail())


def _always(planner: Planner, query: Query) -> bool:
    """An aggregate without GROUP BY has a row even over nothing."""
    if not isinstance(query, Select) or query.groups is not None or query.having or query.qualify:
        return False
    return _aggregates(planner, query) and not query.tail.offset and query.tail.limit != 0


def _aggregates(planner: Planner, query: Select) -> bool:
    return any(has_aggregate(output.node, planner.dialect) for output in query.outputs)
