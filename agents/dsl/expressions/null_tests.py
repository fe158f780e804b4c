"""IS NULL and IS NOT NULL, in the forms in which sqlglot reads them.

PostgreSQL's IS NOT NULL is an `exp.Is` with `negate`, since of a row value it is another thing than NOT … IS NULL; the
other dialects read it as the `exp.Not` of an `exp.Is`.
"""

from __future__ import annotations

from sqlglot import exp


def null_tested(node: exp.Expr) -> exp.Expr | None:
    """What `node` finds NULL: `x` of `x IS NULL`, None for anything else."""
    return node.this if _tests(node) and not node.args.get("negate") else None


def presence_tested(node: exp.Expr) -> exp.Expr | None:
    """What `node` finds not NULL: `x` of `x IS NOT NULL` and of `NOT x IS NULL`, None for anything else."""
    if isinstance(node, exp.Not):
        return null_tested(node.this.unnest())
    return node.this if _tests(node) and node.args.get("negate") else None


def _tests(node: exp.Expr) -> bool:
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)
