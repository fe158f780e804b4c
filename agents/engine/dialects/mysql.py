from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from agents.engine.dialects.base import AggregateCall, Dialect
from agents.engine.terms import loose
from connections.catalogue import DialectName

_ALL_ROWS = 2**64 - 1


class MySQL(Dialect):
    """MySQL 8.0.31 or newer (INTERSECT, EXCEPT) and MariaDB 10.5 or newer."""

    name: ClassVar[DialectName] = "mysql"
    unsupported = {
        "distinct median": "apply distinct first, then median.",
        "distinct stddev": "apply distinct first, then stddev.",
        "distinct variance": "apply distinct first, then variance.",
        "window count_distinct": "MySQL allows DISTINCT in no window call; aggregate and join instead.",
        "window median": "MySQL has no such function; aggregate (median) and join instead.",
        "window string_agg": "GROUP_CONCAT is no window function here; aggregate and join instead.",
        "frame of groups": "MySQL knows frames of rows and range only.",
    }
    # MariaDB has no ANY_VALUE.
    functions = {**Dialect.functions, "any_value": "MIN"}
    emulated = frozenset({"median"})
    name_limit = 64
    materialized_steps = False
    filter_clause = False
    text_type = "CHAR"
    position = "INSTR"
    nulls_clause = False
    ranks_need_order = True
    shift_defaults = False  # MariaDB's do not
    having_finds_keys = False  # MariaDB 10.11 misses a key that a join made equal to another one
    # MariaDB 10.11 asks whether they are NULL before it has worked them out.
    read_in_a_step = frozenset({"stddev", "variance"})
    qualifies_beside_windows = True  # MariaDB 10.11 otherwise finds columns of a step ambiguous
    computes_over_windows = False  # MariaDB 10.11 then reads an empty text

    def bears(self, name: str) -> bool:
        """No blank at either end, and nothing outside the Basic Multilingual Plane."""
        return name.strip() == name and all(sign <= "\uffff" for sign in name)

    def string_agg(self, call: AggregateCall) -> exp.Expr:
        """GROUP_CONCAT([DISTINCT] value [ORDER BY …] SEPARATOR '…')."""
        assert call.column is not None
        value = loose(call.column)
        if call.filter is not None:
            value = exp.Case(ifs=[exp.If(this=loose(call.filter), true=value)])
        argument: exp.Expr = exp.Distinct(expressions=[value]) if call.distinct else value
        if call.order:
            argument = exp.Order(this=argument, expressions=list(call.order))
        return exp.GroupConcat(this=argument, separator=self.literal(call.separator))

    def ordered(self, node: exp.Expr, descending: bool, nulls: str) -> list[exp.Ordered]:
        """There is no NULLS FIRST: whether the value is NULL becomes a key in front."""
        if not nulls or (nulls == "first") == self.nulls_first(descending):
            return super().ordered(node, descending, "")
        is_null = exp.Is(this=node.copy(), expression=exp.Null())
        return [*super().ordered(is_null, nulls == "first", ""), *super().ordered(node, descending, "")]

    def fenced(self, step: exp.Query) -> exp.Query:
        """A LIMIT keeps the optimiser from merging the step into the statement around it."""
        if not step.args.get("limit"):
            step.set("limit", exp.Limit(expression=exp.Literal.number(_ALL_ROWS)))
        return step
