"""Warnings where a person would want one: rows that a join repeats, and why a result is empty.

Every look into the database is bounded; when it takes too long, no warning is given.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from agents.dsl.expressions import Expression
from agents.dsl.names import listed, quoted
from agents.dsl.operations.aggregate import Aggregate
from agents.dsl.operations.filter_expr import FilterExpr
from agents.dsl.operations.join_table import JoinTable
from agents.dsl.operations.limit import Limit
from agents.dsl.operations.select_columns import Renamed, SelectColumns
from agents.dsl.operations.set_operation import SetOperation
from agents.dsl.operations.table_ref import TableRef
from agents.dsl.relation import Relation
from agents.engine.access import Access
from agents.engine.counts import Counts
from agents.engine.observations import cell_text, count_text
from agents.engine.probes import Probes
from agents.errors import CORRECTABLE, QueryTimeoutError


class Warnings:
    """Finds the warnings for one engine."""

    def __init__(self, access: Access, probes: Probes, counts: Counts) -> None:
        self._access = access
        self._probes = probes
        self._counts = counts
        self._settings = access.settings

    # ---- Joins that repeat rows --------------------------------------------------------------------------------------

    def repeated_rows(self, relation: Relation) -> str:
        """A warning if `relation` is a join in which rows of the left match several of the right; "" if none does, or
        when that is not counted in time."""
        operation = relation.operation
        if not isinstance(operation, JoinTable) or not operation.on:
            return ""
        left, right = relation.inputs
        keys = tuple(dict.fromkeys(other for _, other in operation.on))
        if operation.finds_one(left, right, operation.on):
            return ""
        rows, matches, outer = self._counts.count(self._compared(relation, operation), self._settings.check_seconds)
        if rows is None or matches is None or outer is None or outer <= rows:
            return ""
        matched = rows - (outer - matches)
        return (
            f"rows of {quoted(operation.left)} repeat: {count_text(matched)} with a match became "
            f"{count_text(matches)}, {matches / matched:,.3g} for each ({listed(keys)} is not unique in "
            f"{quoted(operation.right)}), so sums over the columns of {quoted(operation.left)} count them several times"
        )

    def _compared(self, joined: Relation, operation: JoinTable) -> tuple[Relation, Relation, Relation]:
        """The left; the pairs; and the pairs with the rows of the left that match nothing. There are more of the last
        than of the first exactly when a row of the left matches several times."""
        other = "inner" if operation.how == "left" else "left"
        swapped = self._access.relate(replace(operation, how=other), joined.inputs, joined.handle)
        inner, outer = (swapped, joined) if operation.how == "left" else (joined, swapped)
        return joined.inputs[0], inner, outer

    # ---- Empty results -----------------------------------------------------------------------------------------------

    def empty_reason(self, root: Relation) -> str:
        """Why `root`, which has no rows, has none: the first operation on the way that left none; "" when that is not
        found in time."""
        deadline = time.monotonic() + 4 * self._settings.check_seconds
        try:
            relation = root
            while source := self._empty_input(relation, deadline):
                relation = source
            return self._reason(relation)
        except CORRECTABLE:
            return ""

    def _empty_input(self, relation: Relation, deadline: float) -> Relation | None:
        """The input for want of whose rows `relation`, which is empty, is; None when it is so by itself. Raises
        QueryTimeoutError after the deadline."""
        emptying = _emptying(relation)
        if not _removes_rows(relation):
            return next(iter(emptying), None)
        for source in emptying:
            left = min(self._settings.check_seconds, deadline - time.monotonic())
            if left <= 0:
                raise QueryTimeoutError("The time to find what left no rows is up.")
            if not self._has_rows(source, left):
                return source
        return None

    def _has_rows(self, relation: Relation, seconds: float) -> bool:
        count = self._counts.known(relation)
        if count is not None:
            return count > 0
        one = self._access.relate(Limit("", 1), (relation,), "any")
        name = next(iter(relation.columns))
        narrow = self._access.relate(SelectColumns("", (Renamed(name, name),)), (one,), "any")
        return bool(self._access.fetch(narrow, max_rows=1, seconds=seconds, purpose="check").rows)

    def _reason(self, relation: Relation) -> str:
        operation, handle = relation.operation, quoted(relation.handle)
        if isinstance(operation, FilterExpr):
            nearest = self._nearest_values(relation)
            return (
                f"no row of {quoted(operation.rel)} passes the filter {handle} ({operation.predicate.strip()}){nearest}"
            )
        if isinstance(operation, JoinTable) and operation.on:
            keys = ", ".join(f"{quoted(one)} = {quoted(other)}" for one, other in operation.on)
            return f"the join {handle} finds no match ({keys})"
        if isinstance(operation, TableRef):
            return f"the table {quoted(operation.table)} is empty"
        return f"{handle} ({operation.name}) has no rows"

    def _nearest_values(self, relation: Relation) -> str:
        """What is stored instead of the texts that the filter compares with."""
        if not self._settings.send_values:
            return ""
        (predicate,), (source,) = relation.expressions, relation.inputs
        told = []
        for column, text in list(_compared_texts(predicate))[:3]:
            near = [stored for stored, _ in self._probes.nearest(source, source.columns[column], text, 3)]
            if near and text not in near:
                told.append(f"{quoted(column)} has no {cell_text(text)!r}; nearest: {', '.join(map(cell_text, near))}")
        return "; " + "; ".join(told) if told else ""


def _emptying(relation: Relation) -> tuple[Relation, ...]:
    """The inputs of which each leaves `relation` without rows when it has none. An empty union has two empty sides; the
    left one stands for both, as a row of either would do."""
    operation = relation.operation
    if isinstance(operation, Aggregate) and not operation.group_by:
        return ()  # one row, also of nothing
    outer = isinstance(operation, JoinTable) and operation.how == "left"
    either = isinstance(operation, SetOperation) and operation.kind != "intersect"
    return relation.inputs[:1] if outer or either else relation.inputs


def _removes_rows(relation: Relation) -> bool:
    """Whether `relation` may be empty although none of its inputs is."""
    operation = relation.operation
    if isinstance(operation, JoinTable):
        return operation.how != "left"
    if isinstance(operation, SetOperation):
        return operation.kind in ("intersect", "except")
    return isinstance(operation, FilterExpr | Limit)


def _compared_texts(predicate: Expression) -> Iterator[tuple[str, str]]:
    """Each (column, text) of `column = 'text'`, `column IN ('text', …)` and `column LIKE 'text%'`."""
    for node in predicate.tree.find_all(exp.EQ, exp.In, exp.Like, exp.ILike):
        sides = [node.this] if isinstance(node, exp.In) else [node.this, node.expression]
        literals = node.expressions if isinstance(node, exp.In) else sides
        column = next((side for side in sides if isinstance(side, exp.Column)), None)
        for literal in literals:
            if column is not None and isinstance(literal, exp.Literal) and literal.is_string:
                text = literal.name.strip("%") if isinstance(node, exp.Like | exp.ILike) else literal.name
                yield column.name, text
