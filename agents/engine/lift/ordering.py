"""DISTINCT, ORDER BY, LIMIT and OFFSET. Sort keys are columns, so expressions are derived first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.program import logical
from agents.engine.lift.query import Node, Select, SortKey, Tail
from agents.engine.lift.relation import Relation

if TYPE_CHECKING:
    from agents.engine.lift.planner import Body, Planner

Keys = list[list[str]]  # as order_by takes them: [column, direction, where NULLs go]
_EVERYTHING = 2**31 - 1  # rows, for an OFFSET without a LIMIT


def sort_keys(
    planner: Planner, frame: Frame, columns: Sequence[str], order: Sequence[SortKey]
) -> tuple[Frame, Keys]:
    keys: Keys = []
    for key in order:
        if isinstance(key.key, int):
            name = columns[key.key]
        else:
            frame, name = planner.column(frame, key.key, "sort_key")
        keys.append([name, "desc" if key.descending else "asc", *([key.nulls] if key.nulls else [])])
    return frame, keys


def arrange(planner: Planner, planned: Planned, keys: Keys, tail: Tail) -> Planned:
    """ORDER BY and LIMIT; in a correlated sub-query, the first rows for each row of the query around."""
    program = planner.program
    if planned.carried:
        # Without a limit the order of a correlated sub-query means nothing.
        return replace(planned, relation=_first_of_each(planner, planned, keys, tail)) if tail.cuts else planned
    relation = program.order(planned.relation, keys) if keys else planned.relation
    if tail.cuts:
        relation = program.limit(relation, _EVERYTHING if tail.limit is None else tail.limit, tail.offset)
    return replace(planned, relation=relation)


def _first_of_each(planner: Planner, planned: Planned, keys: Keys, tail: Tail) -> Relation:
    group = list(dict.fromkeys(item.column for item in planned.carried))
    relation, number = numbered(planner, planned.relation, group, keys)
    parts: list[Node] = []
    if tail.limit is not None:
        parts.append(exp.LTE(this=logical(number), expression=exp.Literal.number(tail.limit + tail.offset)))
    if tail.offset:
        parts.append(exp.GT(this=logical(number), expression=exp.Literal.number(tail.offset)))
    first = planner.program.filter(relation, exp.and_(*parts, copy=False))
    return replace(first, keys=first.keys | {frozenset(group)}) if tail.limit == 1 else first


def numbered(planner: Planner, relation: Relation, group: Sequence[str], keys: Keys) -> tuple[Relation, str]:
    """The rows of each group numbered in the order of `keys`, and the name of the number."""
    number = relation.free_name("row_in_group")
    arguments: dict[str, object] = {"partition_by": list(group)}
    if keys:
        arguments["order_by"] = keys
    return planner.program.window(relation, number, "row_number", arguments), number


def distinct_rows(planner: Planner, planned: Planned, keys: Keys, names: Sequence[str]) -> tuple[Planned, Keys]:
    """SELECT DISTINCT; `keys` afterwards are those of the new relation."""
    if all(key[0] in planned.columns for key in keys):
        renamed = dict(zip(reversed(planned.columns), reversed(names), strict=True))
        keys = [[renamed[key[0]], *key[1:]] for key in keys]
        planned = planner.project(planned, names)
        return replace(planned, relation=planner.program.distinct(planned.relation)), keys
    planner.warn("ORDER BY reads a column that DISTINCT drops: the SQL itself leaves open which value it sorts by.")
    group = tuple(dict.fromkeys((*(item.column for item in planned.carried), *planned.columns)))
    relation, number = numbered(planner, planned.relation, group, [])
    first = planner.program.filter(relation, exp.EQ(this=logical(number), expression=exp.Literal.number(1)))
    return replace(planned, relation=replace(first, keys=first.keys | {frozenset(group)})), keys


def distinct_on(planner: Planner, body: Body, select: Select) -> Planned:
    """DISTINCT ON: the first row of each group in the order of ORDER BY, then in that order."""
    frame, columns = planner.outputs(body.frame, body.outputs)
    group = list(frame.carried_columns)
    for node in body.distinct_on:
        frame, name = planner.column(frame, node)
        group.append(name)
    frame, keys = sort_keys(planner, frame, columns, body.order)
    relation, number = numbered(planner, frame.relation, group, [key for key in keys if key[0] not in group])
    first = planner.program.filter(relation, exp.EQ(this=logical(number), expression=exp.Literal.number(1)))
    first = replace(first, keys=first.keys | {frozenset(group)})
    return arrange(planner, Planned(first, columns, frame.carried), keys, select.tail)
