"""Sub-queries in expressions: each is joined to the row that reads it, and its value becomes a column.

What must come out is known: a condition of WHERE asks only whether it is true (`want` "true"), below NOT only whether
it is false, anything else wants the exact value, NULL included. The less is wanted, the fewer operations it takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from agents.engine.lift import existence, membership
from agents.engine.lift.frame import Frame
from agents.engine.lift.query import Node, Select, subqueries_of
from agents.engine.lift.scalar import is_total, scalar, scalar_join

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

Want = Literal["true", "false", "exact"]
_OPPOSITE: dict[Want, Want] = {"true": "false", "false": "true", "exact": "exact"}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def semi_join(planner: Planner, frame: Frame, part: Node) -> Frame | None:
    """A condition of WHERE that is one join: IN, EXISTS, or a column that equals a sub-query."""
    part = _of_one_row(planner, part)
    if isinstance(part, exp.In) and not subqueries_of(part.this) and _query(part) is not None:
        return membership.semi_join(planner, frame, part.this, planner.queries[part.args["query"].name])
    if isinstance(part, exp.Exists):
        return existence.semi_join(planner, frame, planner.queries[part.this.name])
    if isinstance(part, exp.EQ):
        if isinstance(part.expression, exp.Any) and _is_quantified(part.expression):
            return membership.semi_join(planner, frame, part.this, planner.queries[part.expression.this.name])
        for one, other in ((part.this, part.expression), (part.expression, part.this)):
            if isinstance(other.unnest(), exp.Placeholder) and frame.column(one) is not None:
                return scalar_join(planner, frame, one, planner.queries[other.unnest().name])
    return None


def attach(planner: Planner, frame: Frame, node: Node, want: Want = "exact") -> tuple[Frame, Node]:
    """`node` with every sub-query replaced by columns of the frame that is given back."""
    if not subqueries_of(node):
        return frame, node
    node = _of_one_row(planner, node)
    if isinstance(node, exp.Paren):
        frame, inner = attach(planner, frame, node.this, want)
        return frame, exp.paren(inner, copy=False)
    if isinstance(node, exp.Not):
        return _negated(planner, frame, node, want)
    if isinstance(node, exp.And | exp.Or):
        frame, left = attach(planner, frame, node.this, want)
        frame, right = attach(planner, frame, node.expression, want)
        return frame, type(node)(this=left, expression=right)
    if isinstance(node, exp.In) and _query(node) is not None:
        frame, operand = attach(planner, frame, node.this)
        return membership.flag(planner, frame, operand, planner.queries[node.args["query"].name], want)
    if isinstance(node, exp.Exists):
        return existence.flag(planner, frame, planner.queries[node.this.name], want)
    if isinstance(node, exp.Binary) and _is_quantified(node.expression):
        if not isinstance(node, _COMPARISONS):
            raise planner.refuse("ANY or ALL of a sub-query behind what is no comparison", node)
        frame, operand = attach(planner, frame, node.this)
        return membership.quantified(planner, frame, operand, node, want)
    if isinstance(node, exp.Placeholder):
        return scalar(planner, frame, node.name)
    return _children(planner, frame, node)


def _negated(planner: Planner, frame: Frame, node: exp.Not, want: Want) -> tuple[Frame, Node]:
    inner = _of_one_row(planner, node.this.unnest())
    if isinstance(inner, exp.Exists):
        return existence.flag(planner, frame, planner.queries[inner.this.name], want, negated=True)
    if isinstance(inner, exp.In) and _query(inner) is not None and want == "true":
        frame, operand = attach(planner, frame, inner.this)
        return membership.not_in(planner, frame, operand, planner.queries[inner.args["query"].name])
    frame, made = attach(planner, frame, node.this, _OPPOSITE[want])
    return frame, exp.Not(this=exp.paren(made.unnest(), copy=False))


def _children(planner: Planner, frame: Frame, node: Node) -> tuple[Frame, Node]:
    node = node.copy()
    for child in list(node.iter_expressions()):
        if subqueries_of(child):
            frame, made = attach(planner, frame, child)
            child.replace(made)
    return frame, node


def _of_one_row(planner: Planner, node: Node) -> Node:
    """IN of a correlated sub-query that has exactly one row as what it is then, a plain comparison."""
    name = _query(node) if isinstance(node, exp.In) else None
    query = planner.queries[name.name] if name is not None else None
    if name is None or not isinstance(query, Select) or not query.free or query.having or len(query.outputs) != 1:
        return node
    if not is_total(planner, query, query.outputs[0].node):
        return node
    return exp.EQ(this=node.this.copy(), expression=name.copy())


def _is_quantified(node: Node) -> bool:
    """Whether it is ANY or ALL of a sub-query, and not of an array."""
    return isinstance(node, exp.Any | exp.All) and isinstance(node.this, exp.Placeholder)


def _query(node: exp.In) -> exp.Placeholder | None:
    query = node.args.get("query")
    return query if isinstance(query, exp.Placeholder) else None


