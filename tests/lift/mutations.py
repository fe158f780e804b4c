"""Breaking SQL in one place, to see whether a comparison notices."""

from __future__ import annotations

import random

from sqlglot import exp

from connections.catalogue import DialectName
from connections.guard import parse, sqlglot_dialect


def broken(sql: str, dialect: DialectName, seed: int) -> str | None:
    """`sql` with a filter dropped, a join of another kind or another aggregate; None where there is none of these."""
    root = parse(sql, dialect).statements[0]
    places = [node for node in root.walk() if isinstance(node, exp.Where | exp.Join | exp.Having) or _is_sum(node)]
    if not places:
        return None
    _break(random.Random(seed).choice(places))
    return str(root.sql(dialect=sqlglot_dialect(dialect), comments=False))


def _break(node: exp.Expr) -> None:
    if isinstance(node, exp.Join):
        node.set("side", None if node.side else "LEFT")
        node.set("kind", None)
        if not node.args.get("on") and not node.args.get("using"):
            node.set("on", exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(2)))
    elif isinstance(node, exp.Where | exp.Having):
        rest = node.this.this if isinstance(node.this, exp.And) else None
        if rest is None:
            node.pop()
        else:
            node.set("this", rest)
    else:
        node.set("this", "min" if str(node.this).lower() == "count" else "count")


def _is_sum(node: exp.Expr) -> bool:
    names = ("sum", "avg", "max", "min", "count")
    plain = isinstance(node, exp.Anonymous) and len(node.expressions) == 1
    return plain and str(node.this).lower() in names and isinstance(node.expressions[0], exp.Column)
