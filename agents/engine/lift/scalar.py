"""Sub-queries that stand for one value: joined as one row, or as at most one row for each outer row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.calls import call_name, has_aggregate, has_window
from agents.engine.lift.correlation import Link, join_back, linked
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.ordering import numbered
from agents.engine.lift.program import logical
from agents.engine.lift.query import Node, Query, Select, Tail, all_of, column, columns_of, enclosed

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner
_NUMBERS_OVER_NOTHING = frozenset({"count", "total"})

_STRICT = (exp.Column, exp.Identifier, exp.Literal, exp.Paren, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div)
_ROUNDING = frozenset({"round", "truncate", "ceil", "ceiling", "floor", "abs"})


def scalar(planner: Planner, frame: Frame, name: str) -> tuple[Frame, Node]:
    """The value of the sub-query `name`, NULL when it has no row."""
    key = ("scalar", name)
    if key in frame.attached:
        return frame, frame.attached[key].copy()
    query = planner.queries[name]
    if len(query.names) != 1:
        raise planner.refuse(f"a sub-query of {len(query.names)} columns as a value")
    total = isinstance(query, Select) and is_total(planner, query, query.outputs[0].node)
    query, link = linked(planner, frame, query, filled=total)
    if total and isinstance(query, Select):
        frame, node = _total(planner, frame, query, link)
    else:
        planned = single(planner, planner.rows(query, link), query)
        how = "cross" if planned.relation.is_one_row and not planned.carried else "left"
        frame, node = _joined(planner, frame, planned, how)
    return replace(frame, attached={**frame.attached, key: node}), node.copy()


def scalar_join(planner: Planner, frame: Frame, operand: Node, query: Query) -> Frame | None:
    """`operand = (query)` as a join; None where no row is not the same as NULL."""
    if len(query.names) != 1:
        return None
    total = isinstance(query, Select) and is_total(planner, query, query.outputs[0].node)
    if total and isinstance(query, Select):
        node = query.outputs[0].node
        if query.having or not call_name(node) or call_name(node) in _NUMBERS_OVER_NOTHING:
            return None
        query = replace(query, tail=Tail())
    query, link = linked(planner, frame, query, filled=total)
    planned = single(planner, planner.rows(query, link), query)
    return join_back(planner, frame, planned, "inner", [(operand, planned.columns[0])])[0]


def single(planner: Planner, planned: Planned, query: Query) -> Planned:
    """`planned` with at most one row (for each outer row): the first, where the database takes the first of many."""
    group = list(dict.fromkeys(item.column for item in planned.carried))
    if planned.relation.is_unique(group):
        return planned
    if planner.dialect != "sqlite":
        planner.warn("A sub-query used as a value may have several rows: the database would refuse that; one is taken.")
    if not group:
        return replace(planned, relation=planner.program.limit(planned.relation, 1))
    relation, number = numbered(planner, planned.relation, group, [])
    first = planner.program.filter(relation, exp.EQ(this=logical(number), expression=exp.Literal.number(1)))
    return replace(planned, relation=replace(first, keys=first.keys | {frozenset(group)}))


def is_total(planner: Planner, query: Select, node: Node) -> bool:
    """Whether the output `node` is an aggregate without GROUP BY: exactly one row, also over nothing."""
    return (
        query.groups is None
        and has_aggregate(node, planner.dialect)
        and not has_window(node)
        and not query.tail.offset
        and query.tail.limit != 0
        and not query.qualify
    )


def _total(planner: Planner, frame: Frame, query: Select, link: Link | None) -> tuple[Frame, Node]:
    """The aggregates are joined, and the value is computed from them afterwards: over nothing, COUNT is 0.

    MySQL and MariaDB cut a quotient's digits where a step ends. So there the value is computed beside its aggregates
    where that is the same: where there surely is a row, or where without one the value would be NULL.
    """
    inner, grouping = planner.grouped(query, link)
    node = grouping.rewrite(query.outputs[0].node)
    if query.having:
        node = exp.Case(ifs=[exp.If(this=grouping.rewrite(all_of(query.having)), true=node)])
    if planner.dialect == "mysql" and (not inner.carried or _keeps_null(node, grouping.counts)):
        inner, node = planner.attach(inner, node)
        inner, name = planner.column(inner, node)
        planned = Planned(inner.relation, (name,), inner.carried)
        return _joined(planner, frame, planned, "left" if inner.carried else "cross")
    if inner.carried:
        node = or_zero(node, grouping.counts)
    how = "left" if inner.carried else "cross"
    joined, names = join_back(planner, frame, Planned(inner.relation, (), inner.carried), how)
    reads = {key: names[inner.names[key]] for key in columns_of(node) if key in inner.names}
    return planner.attach(replace(joined, names={**joined.names, **reads}), enclosed(node))


def _keeps_null(node: Node, counts: Sequence[Node]) -> bool:
    """Whether `node` is NULL where all of its columns are, none of `counts` being among them."""
    strict = all(isinstance(part, _STRICT) or call_name(part) in _ROUNDING for part in node.walk())
    return strict and not any(part in counts for part in node.find_all(exp.Column))


def or_zero(node: Node, counts: Sequence[Node]) -> Node:
    """`node` with 0 for each of `counts` that is NULL because nothing was counted."""

    def counted(part: Node) -> Node:
        if part not in counts:
            return part
        return exp.Anonymous(this="coalesce", expressions=[part.copy(), exp.Literal.number(0)])

    return node.transform(counted)


def _joined(planner: Planner, frame: Frame, planned: Planned, how: str) -> tuple[Frame, Node]:
    frame, names = join_back(planner, frame, planned, how)
    source = planner.new_source("value")
    made = column(source, planned.columns[0])
    return replace(frame, names={**frame.names, (source, planned.columns[0]): names[planned.columns[0]]}), made
