from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sqlglot import exp

from agents.engine.dialects.base import AggregateCall, Dialect
from agents.engine.terms import loose
from connections.catalogue import DialectName

_NO_ORDERED_SET = "PostgreSQL allows no ordered-set aggregate in a window; aggregate (median) and join instead."


class PostgreSQL(Dialect):
    name: ClassVar[DialectName] = "postgresql"
    unsupported = {
        "distinct median": "apply distinct first, then median.",
        "window count_distinct": "PostgreSQL allows DISTINCT in no window call; aggregate and join instead.",
        "window median": _NO_ORDERED_SET,
    }
    folds_names = False
    knows_dependent_keys = True
    joins_not_exists = True

    def over_argument(self, fn: str, argument: exp.Expr) -> exp.Expr:
        if fn == "any_value":  # a function of that name exists from version 16 on
            values = exp.Anonymous(this="ARRAY_AGG", expressions=[argument])
            # The offset says that 1 is the first: the printer counts from 0 otherwise.
            return exp.Bracket(this=exp.Paren(this=values), expressions=[exp.Literal.number(1)], offset=1)
        if fn != "median":
            return super().over_argument(fn, argument)
        half = exp.Anonymous(this="PERCENTILE_CONT", expressions=[exp.Literal.number("0.5")])
        return exp.WithinGroup(
            this=half, expression=exp.Order(expressions=[exp.Ordered(this=argument, nulls_first=False)])
        )

    def string_agg(self, call: AggregateCall) -> exp.Expr:
        """STRING_AGG takes texts only, and sorts distinct ones by nothing but what it joins."""
        if call.semantic == "text" or call.column is None:
            return super().string_agg(call)
        text = exp.Cast(this=loose(call.column), to=exp.DataType.build("text"))
        order = call.order if not call.distinct else tuple(_sorted_by(text, key) for key in call.order)
        return super().string_agg(replace(call, column=text, order=order))


def _sorted_by(node: exp.Expr, key: exp.Ordered) -> exp.Ordered:
    return exp.Ordered(this=node.copy(), desc=key.args.get("desc"), nulls_first=key.args.get("nulls_first"))
