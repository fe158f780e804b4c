"""Expressions in plain Python: numbers, texts, dates, NULL and SQL's three-valued logic."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import sqlglot
from sqlglot import exp

from tests.engine.spelling import plain

Row = dict[str, Any]


def parse(text: str) -> exp.Expr:
    return sqlglot.parse_one(plain(text))


def evaluate(node: exp.Expr, row: Row) -> Any:
    """What `graph_expressions.py` writes: columns, literals, arithmetic, comparisons, logic, CASE, a few functions."""
    if isinstance(node, exp.Paren):
        return evaluate(node.this, row)
    if isinstance(node, exp.Column):
        return row[node.name]
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else Fraction(node.name) if "." in node.name else int(node.name)
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.And | exp.Or):
        return _logic(node, row)
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
    if isinstance(node, exp.Nullif):
        one, other = evaluate(node.this, row), evaluate(node.expression, row)
        return None if one == other else one
    if isinstance(node, exp.Binary):
        return _compare(type(node), evaluate(node.this, row), evaluate(node.expression, row))
    return _called(node, row)


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
        exp.Mod: lambda: int(math.fmod(one, other)), exp.Like: lambda: _like(one, other),
    }  # fmt: skip
    return operators[kind]()


def _like(text: str, pattern: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace("%", ".*"), text, re.DOTALL) is not None


def _called(node: exp.Expr, row: Row) -> Any:
    """A function of which every argument decides: NULL where one is NULL."""
    if isinstance(node, exp.Anonymous):
        name, given = node.name, node.expressions
    else:
        name, given = type(node).__name__, [node.this, node.args.get("start"), node.args.get("length")]
    values = [evaluate(item, row) for item in given if item is not None]
    return None if None in values else _FUNCTIONS[name](values)


_FUNCTIONS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "Not": lambda v: not v[0],
    "Neg": lambda v: -v[0],
    "Abs": lambda v: abs(v[0]),
    "Length": lambda v: len(v[0]),
    "Substring": lambda v: v[0][v[1] - 1 : v[1] - 1 + v[2]],
    "Day": lambda v: date.fromisoformat(v[0]),
    "YEAR_OF": lambda v: v[0].year,
    "MONTH_START": lambda v: v[0].replace(day=1),
    "DAYS_LATER": lambda v: v[0] + timedelta(days=v[1]),
    "PERIOD_OF": lambda v: v[0].isoformat()[:7],
    "JOINED": lambda v: v[0] + v[1],
}
