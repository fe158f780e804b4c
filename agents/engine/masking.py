"""Statements with a part hidden, for a model to fill in: whoever comes to the same table again meant the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from agents.engine.misplaced import SQLGLOT_DIALECTS

MASK = "[MASK]"


def masked(sql: str, dialect: str) -> tuple[str, ...]:
    """`sql` with its conditions hidden, with its outermost columns hidden, with its grouping and order hidden: as many
    as it has, and none where it cannot be read."""
    spelling = SQLGLOT_DIALECTS.get(dialect, dialect)
    try:
        tree = sqlglot.parse_one(sql, dialect=spelling)
    except SqlglotError:
        return ()
    hidden = []
    for hide in _PARTS:
        copy = tree.copy()
        if hide(copy):
            hidden.append(copy.sql(dialect=spelling, pretty=True))
    return tuple(hidden)


def _conditions(tree: exp.Expr) -> bool:
    found = list(tree.find_all(exp.Where, exp.Having))
    for node in found:
        node.set("this", _mask())
    return bool(found)


def _columns(tree: exp.Expr) -> bool:
    if not isinstance(tree, exp.Select):
        return False
    tree.set("expressions", [_mask()])
    return True


def _grouping(tree: exp.Expr) -> bool:
    found = [node for node in tree.find_all(exp.Group, exp.Order) if isinstance(node.parent, exp.Query)]
    for node in found:
        for name in [name for name, value in node.args.items() if value]:
            node.set(name, None)
        node.set("expressions", [_mask()])
    for limit in tree.find_all(exp.Limit):
        limit.set("expression", _mask())
    return bool(found)


def _mask() -> exp.Var:
    return exp.Var(this=MASK)


_PARTS: Iterable[Callable[[exp.Expr], bool]] = (_conditions, _columns, _grouping)
