"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agents.engine.lift.correlation import Keys, Link
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.ordering import arrange, numbered, sort_keys
from agents.engine.lift.query import SetQuery, key_of, of_set

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

_HANDLES = {"union": "combined", "union_all": "combined", "intersect": "common", "except": "remaining"}


def plan(planner: Planner, query: SetQuery, link: Link | None, *, ordered: bool) -> Planned:
    assert not isinstance(link, Keys), "a set operation is tied to the query around it by its domain"
    left = planner.project(planner.rows(query.left, link), query.names)
    right = planner.project(planner.rows(query.right, link), query.names)
    if query.counted:
        left, right = _numbered(planner, left), _numbered(planner, right)
    relation = planner.program.set_operation(left.relation, right.relation, query.kind, _HANDLES[query.kind])
    planned = Planned(relation, left.columns, left.carried)
    if query.counted:
        planned = planner.project(planned, query.names)
        relation = planned.relation
    keys: list[list[str]] = []
    if ordered or query.tail.cuts:
        named = {key_of(of_set(name)): column for name, column in zip(query.names, planned.columns, strict=True)}
        frame, keys = sort_keys(planner, Frame(relation, named), planned.columns, query.tail.order)
        planned = replace(planned, relation=frame.relation)
    return arrange(planner, planned, keys, query.tail)


def _numbered(planner: Planner, planned: Planned) -> Planned:
    """Equal rows numbered, so that the first meets the first of the other side, the second the second, and so on."""
    relation, _ = numbered(planner, planned.relation, planned.relation.names, [])
    return replace(planned, relation=relation)
