"""Expressions in plain Python: integers, texts, NULL and SQL's three-valued logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp

Row = dict[str, Any]


def parse(text: str) -> exp.Expr:
    return sqlglot.parse_one(text)


def evaluate(node: exp.Expr, row: Row) -> Any:
    """Columns, literals, NULL, + - *, comparisons, AND OR NOT, IS NULL, IN, BETWEEN, COALESCE, CASE WHEN."""
    if isinstance(node, exp.Paren):
        return evaluate(node.this, row)
    if isinstance(node, exp.Column):
        return row[node.name]
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else int(node.name)
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.And | exp.Or):
        return _logic(node, row)
    if isinstance(node, exp.Not):
        value = evaluate(node.this, row)
        return None if value is None else not value
    if isinstance(node, exp.Is):
        return evaluate(node.this, row) is None
    if isinstance(node, exp.Coalesce):
        values = (evaluate(item, row) for item in (node.this, *node.expressions))
        return next((value for value in values if value is not None), None)
    if isinstance(node, exp.Case):
        chosen = next(
            (b.args["true"] for b in node.args["ifs"] if evaluate(b.this, row) is True), node.args.get("default")
        )
        return None if chosen is None else evaluate(chosen, row)
    if isinstance(node, exp.In):
        tests = [_compare(exp.EQ, evaluate(node.this, row), evaluate(item, row)) for item in node.expressions]
        return True if True in tests else None if None in tests else False
    if isinstance(node, exp.Between):
        low = _compare(exp.GTE, evaluate(node.this, row), evaluate(node.args["low"], row))
        high = _compare(exp.LTE, evaluate(node.this, row), evaluate(node.args["high"], row))
        return False if False in (low, high) else None if None in (low, high) else True
    return _compare(type(node), evaluate(node.this, row), evaluate(node.expression, row))


def _logic(node: exp.Expr, row: Row) -> bool | None:
    values = (evaluate(node.this, row), evaluate(node.expression, row))
    decisive = isinstance(node, exp.Or)
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _compare(kind: type[exp.Expr], one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    operators: dict[type[exp.Expr], Callable[[], Any]] = {
        exp.EQ: lambda: one == other, exp.NEQ: lambda: one != other, exp.GT: lambda: one > other,
        exp.GTE: lambda: one >= other, exp.LT: lambda: one < other, exp.LTE: lambda: one <= other,
        exp.Add: lambda: one + other, exp.Sub: lambda: one - other, exp.Mul: lambda: one * other,
    }  # fmt: skip
    return operators[kind]()
