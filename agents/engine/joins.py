"""Joins that only filter: IN instead of JOIN, NOT EXISTS instead of LEFT JOIN and IS NULL.

A relation that has nothing but the columns it is joined on, no two rows alike, or that is one row at most, can add no
columns and repeat no rows; all it says is which left rows have a match. `IN (SELECT …)` is how an analyst writes that,
and databases plan it well. Where only the left rows without a match are kept, neither columns nor repeated rows of the
right side are left, whatever it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from agents.dsl.expressions import Expression
from agents.dsl.expressions.null_tests import null_tested
from agents.dsl.operations.filter_expr import FilterExpr
from agents.dsl.operations.join_table import JoinTable
from agents.dsl.relation import Relation
from agents.engine.block import Block
from agents.engine.dialects import Dialect
from agents.engine.select import write_select
from agents.engine.terms import Nested, Ref, Term, made, written


def only_filters(joined: Relation, new_names: Mapping[str, str], wanted: frozenset[str]) -> bool:
    """Whether the join asks of its right side no more than whether there is a match."""
    operation, (left, right) = joined.operation, joined.inputs
    assert isinstance(operation, JoinTable)
    only_keys = sorted(name for _, name in operation.on) == sorted(right.columns)
    return (
        operation.how == "inner"
        and operation.condition is None
        and (right.is_unique(frozenset()) or (only_keys and operation.finds_one(left, right, operation.on)))
        and wanted.isdisjoint(new_names.values())
    )


def semi_join(operation: JoinTable, left: Block, right: Block, dialect: Dialect) -> Block:
    """`left` with one condition more. Neither block may have a limit."""
    right.forget_repeats()
    query = write_select(right, [(right.columns[name], name) for _, name in operation.on], dialect, ordered=False)
    if isinstance(query, exp.Select):  # nobody asks for the names of its columns
        query.set("expressions", [item.unalias() for item in query.expressions])
    left.where.append(_is_among([left.columns[name] for name, _ in operation.on], query))
    left.order = ()
    return left


def _is_among(values: Sequence[Term], query: exp.Query) -> Term:
    def build(nodes: Sequence[exp.Expr]) -> exp.Expr:
        value = nodes[0] if len(nodes) == 1 else exp.Tuple(expressions=list(nodes))
        return exp.In(this=value, query=exp.Subquery(this=query.copy()))

    return made(build, *values, query=True)


def keeps_unmatched(joined: Relation, reader: Relation, new_names: Mapping[str, str], wanted: frozenset[str]) -> str:
    """The column by which `reader`, the only one to read `joined`, keeps the left rows without a match; else "".

    It is compared by `on`, so it is NULL only there. `wanted` is what is asked of `reader`.
    """
    operation = joined.operation
    assert isinstance(operation, JoinTable)
    if operation.how != "left" or not isinstance(reader.operation, FilterExpr):
        return ""
    (predicate,) = reader.expressions
    compared = {new_names[name] for _, name in operation.on}
    tested = predicate.columns[0] if _tests_null(predicate) else ""
    return tested if tested in compared and wanted.isdisjoint(new_names.values()) else ""


def _tests_null(predicate: Expression) -> bool:
    return isinstance(null_tested(predicate.tree.unnest()), exp.Column)


def anti_join(left: Block, right: Block, on: Sequence[Term], dialect: Dialect) -> Block:
    """`left` with one condition more: no row of `right` fulfils `on`. Both blocks must be open for row-wise work."""
    right.where += on
    right.order = ()

    def build(aliases: Mapping[int, str]) -> exp.Expr:
        query = write_select(right, [], dialect, ordered=False, around=aliases)
        query.set("expressions", [exp.Literal.number(1)])
        return exp.Not(this=exp.Exists(this=query))

    own = {source.number for source in right.sources}
    outer = tuple(ref for term in right.where for ref in term.refs() if ref.source not in own)
    left.where.append(Nested(build, outer, query=True, size=200))
    left.order = ()
    return left


def equal_keys(relation: Relation, left: Block, right: Block) -> list[tuple[Ref, Ref]]:
    """The pairs for `Block.equals` that a join adds: integers only, as equal texts may still be told apart."""
    operation, (one, other) = relation.operation, relation.inputs
    assert isinstance(operation, JoinTable)
    found = []
    for a, b in operation.on if operation.how == "inner" else ():
        mine, yours = left.columns[a], right.columns[b]
        integers = one.columns[a].semantic == other.columns[b].semantic == "integer"
        if integers and other.is_unique(frozenset({b})) and isinstance(mine, Ref) and isinstance(yours, Ref):
            found.append((mine, yours))
    return found


def demands(relation: Relation, left: Block, right: Block, columns: Mapping[str, Term]) -> list[Term]:
    """What a join demands of a pair of rows; `columns` are those of its result."""
    assert isinstance(relation.operation, JoinTable)
    equal = [made(_equal, left.columns[a], right.columns[b]) for a, b in relation.operation.on]
    return [*equal, *(written(condition, columns) for condition in relation.expressions)]


def _equal(parts: Sequence[exp.Expr]) -> exp.Expr:
    return exp.EQ(this=parts[0], expression=parts[1])
