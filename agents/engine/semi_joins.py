"""Joins that only filter: IN instead of JOIN.

A relation that has nothing but the columns it is joined on, no two rows alike, or that is one row at most, can add no
columns and repeat no rows; all it says is which left rows have a match. `IN (SELECT …)` is how an analyst writes that,
and databases plan it well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from agents.dsl.operations.join_table import JoinTable
from agents.dsl.relation import Relation
from agents.engine.block import Block
from agents.engine.dialects import Dialect
from agents.engine.select import write_select
from agents.engine.terms import Term, made


def only_filters(operation: JoinTable, right: Relation, new_names: Mapping[str, str], wanted: frozenset[str]) -> bool:
    """Whether the join asks of `right` no more than whether there is a match."""
    keys = [name for _, name in operation.on]
    return (
        operation.how == "inner"
        and operation.condition is None
        and (right.is_unique(frozenset()) or _is_set_of(right, keys))
        and wanted.isdisjoint(new_names.values())
    )


def _is_set_of(right: Relation, keys: Sequence[str]) -> bool:
    return sorted(keys) == sorted(right.columns) and right.is_unique(frozenset(keys))


def semi_join(operation: JoinTable, left: Block, right: Block, dialect: Dialect) -> Block:
    """`left` with one condition more. Neither block may have a limit."""
    right.distinct = False  # IN counts no duplicates
    query = write_select(right, [(right.columns[name], name) for _, name in operation.on], dialect, ordered=False)
    left.where.append(_is_among([left.columns[name] for name, _ in operation.on], query))
    left.order = ()
    return left


def _is_among(values: Sequence[Term], query: exp.Query) -> Term:
    def build(nodes: Sequence[exp.Expr]) -> exp.Expr:
        value = nodes[0] if len(nodes) == 1 else exp.Tuple(expressions=list(nodes))
        return exp.In(this=value, query=exp.Subquery(this=query.copy()))

    return made(build, *values, query=True)
