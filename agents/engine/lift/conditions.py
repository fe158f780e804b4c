"""WHERE and HAVING: plain conditions become filters, sub-queries become joins, in the order in which they are written.

A database may test conditions in that order, so a cheap one must not slip behind a dear one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.dsl.expressions.null_tests import null_tested
from agents.engine.lift.calls import has_aggregate, has_window
from agents.engine.lift.frame import Frame
from agents.engine.lift.query import Node, all_of, subqueries_of
from agents.engine.lift.subqueries import attach, semi_join

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def where(planner: Planner, frame: Frame, conditions: Sequence[Node]) -> Frame:
    """The rows of `frame` for which all `conditions` are true."""
    first = next((i for i, part in enumerate(conditions) if subqueries_of(part)), len(conditions))
    frame = _filtered(planner, frame, conditions[:first])
    late: list[Node] = []
    for part in conditions[first:]:
        joined = semi_join(planner, frame, part) if subqueries_of(part) else None
        if joined is not None:
            frame = joined
        else:
            frame, node = attach(planner, frame, part, "true")
            if subqueries_of(part) and _unmatched(node):
                frame = _filtered(planner, frame, [node])
            else:
                late.append(node)
    return _filtered(planner, frame, late)


def _unmatched(node: Node) -> bool:
    """Whether it keeps the rows that a left join found no match for: as a filter alone that is an anti-join."""
    return isinstance(null_tested(node), exp.Column)


def _filtered(planner: Planner, frame: Frame, parts: Sequence[Node]) -> Frame:
    for part in parts:
        if has_window(part):
            raise planner.refuse("a window in WHERE or HAVING", part)
        if has_aggregate(part, planner.dialect):
            raise planner.refuse("an aggregate of the query around in a sub-query", part)
    if not parts:
        return frame
    return frame.on(planner.program.filter(frame.relation, frame.resolved(all_of(parts))))
