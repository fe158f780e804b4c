"""Correlated sub-queries: how their rows are tied to those of the query around them.

Two ways. `Keys`: every outer column stands in an equality `inner = outer` of WHERE; the sub-query is computed once for
all values of its inner side. `Domain`: anything else; the distinct outer values are joined into its FROM, so that the
outer columns are ordinary columns inside. Either way the tying columns are carried through to the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.calls import has_aggregate
from agents.engine.lift.frame import Carried, Frame, Planned
from agents.engine.lift.program import logical
from agents.engine.lift.query import (
    ColumnKey,
    Constants,
    Cte,
    From,
    Join,
    Node,
    Query,
    Select,
    SetQuery,
    Source,
    all_of,
    column,
    columns_of,
    free_of,
    sources_of,
    subqueries_of,
)  # fmt: skip
from agents.engine.lift.refusals import refuse
from connections.catalogue import DialectName, Table

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

_COLLATIONS = "a sub-query over texts with another collation"
_NULL_REJECTING = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.Between)


@dataclass(frozen=True, slots=True)
class KeyPair:
    """`inner` of the sub-query equals `outer` of the query around."""

    inner: Node
    outer: Node
    null_safe: bool


@dataclass(frozen=True, slots=True)
class Keys:
    pairs: tuple[KeyPair, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """`frame` holds the distinct values of the outer columns, under their own SQL names, all of them carried."""

    frame: Frame


Link = Keys | Domain


def linked(planner: Planner, frame: Frame, query: Query, *, filled: bool = False) -> tuple[Query, Link | None]:
    """How `query` is tied to `frame`, and what is left of it when the ties are cut.

    Aggregates without GROUP BY have a row also for an outer row that meets nothing, which keys do not know of; `filled`
    says that the caller adds it.
    """
    if not query.free:
        return query, None
    if not all(key in frame.names for key in query.free):
        missing = sorted(name for source, name in query.free if (source, name) not in frame.names)
        raise refuse(f"a sub-query that reads {', '.join(missing)}", None, "", "it belongs to a query further out")
    if isinstance(query, Select) and (filled or not _is_total(query, planner.dialect)):
        simple = _by_keys(planner, query)
        if simple is not None:
            return simple
    return query, Domain(_domain(planner, frame, query))


def _by_keys(planner: Planner, select: Select) -> tuple[Select, Keys] | None:
    pairs: list[KeyPair] = []
    rest: list[Node] = []
    moved, source = _inner_conditions(select.source)
    for part in (*select.where, *moved):
        pair = _key_pair(select, part, planner.dialect)
        if pair is None:
            rest.append(part)
        else:
            pairs.append(pair)
    bare = replace(select, source=source, where=tuple(rest), free=frozenset())
    return (bare, Keys(tuple(pairs))) if pairs and not _still_free(planner, select, bare) else None


def _is_total(select: Select, dialect: DialectName) -> bool:
    nodes = [*(output.node for output in select.outputs), *select.having]
    nodes += [key.key for key in select.tail.order if isinstance(key.key, exp.Expr)]
    return select.groups == () or (select.groups is None and any(has_aggregate(node, dialect) for node in nodes))


def _inner_conditions(item: From | None) -> tuple[list[Node], From | None]:
    """Conjuncts of ON that may as well stand in WHERE, because only inner joins are above them."""
    if not isinstance(item, Join) or item.how not in ("inner", "cross"):
        return [], item
    left, item_left = _inner_conditions(item.left)
    right, item_right = _inner_conditions(item.right)
    own = {source.id for source in sources_of(item)}
    outer = [part for part in item.on if any(key[0] not in own for key in columns_of(part))]
    kept = tuple(part for part in item.on if part not in outer)
    assert item_left is not None
    assert item_right is not None
    return [*left, *right, *outer], replace(item, left=item_left, right=item_right, on=kept)


def _key_pair(select: Select, part: Node, dialect: DialectName) -> KeyPair | None:
    null_safe = isinstance(part, exp.NullSafeEQ) or (dialect == "sqlite" and isinstance(part, exp.Is))
    if not (isinstance(part, exp.EQ) or null_safe) or subqueries_of(part):
        return None
    for inner, outer in ((part.this, part.expression), (part.expression, part.this)):
        inside, outside = set(columns_of(inner)), set(columns_of(outer))
        if inside and outside and outside <= select.free and not inside & select.free:
            return KeyPair(inner.unnest(), outer.unnest(), null_safe)
    return None


def _still_free(planner: Planner, select: Select, bare: Select) -> bool:
    """Whether what is left still reads a column of the query around."""
    nodes = [*bare.where, *bare.having, *bare.qualify, *bare.distinct_on, *(bare.groups or ())]
    nodes += [output.node for output in bare.outputs]
    nodes += [key.key for key in bare.tail.order if isinstance(key.key, exp.Expr)]
    read = free_of([*nodes, *_joined_on(bare.source)], planner.queries)
    for source in sources_of(bare.source):
        read |= free_columns(source)
    return bool(read & select.free)


def _joined_on(item: From | None) -> list[Node]:
    return [*item.on, *_joined_on(item.left), *_joined_on(item.right)] if isinstance(item, Join) else []


def free_columns(source: Source) -> frozenset[ColumnKey]:
    """The columns of enclosing queries that stand inside an item of FROM."""
    origin = source.origin.query if isinstance(source.origin, Cte) else source.origin
    return frozenset() if isinstance(origin, Table) else origin.free


def _domain(planner: Planner, frame: Frame, query: Query) -> Frame:
    """The distinct values of the outer columns that `query` reads."""
    names = {key: frame.names[key] for key in query.free}
    if any(frame.collation(name) for name in names.values()):  # DISTINCT would keep one of several spellings
        names |= _identity(planner, frame)
    columns = list(dict.fromkeys(name for _, name in sorted(names.items())))
    label = f"{frame.relation.label}_keys"
    relation = planner.program.select(frame.relation, [(name, name) for name in columns], label)
    relation = planner.program.distinct(replace(relation, label=label))
    carried = tuple(
        Carried(column(*key), name, relation.by_name[name].nullable and not _rejects_null(query, key))
        for key, name in sorted(names.items())
    )
    return Frame(relation, names, carried)


def _identity(planner: Planner, frame: Frame) -> dict[ColumnKey, str]:
    """The columns of a key, with which no two rows of `frame` are equal."""
    shown = {name: key for key, name in frame.names.items()}
    found = sorted((key for key in frame.relation.keys if key <= shown.keys()), key=lambda key: (len(key), sorted(key)))
    if not found:
        raise planner.refuse(_COLLATIONS, None, "equal texts may be spelled in several ways")
    return {shown[name]: name for name in found[0]}


def _rejects_null(query: Query, key: ColumnKey) -> bool:
    """Whether no row of `query` can come from a NULL in the outer column `key`."""
    if isinstance(query, SetQuery):
        return _rejects_null(query.left, key) and _rejects_null(query.right, key)
    if isinstance(query, Constants):
        return False
    compared = [part for part in query.where if isinstance(part, _NULL_REJECTING)]
    return any(key in columns_of(side) for part in compared for side in part.iter_expressions() if _is_column(side))


def _is_column(node: Node) -> bool:
    return isinstance(node.unnest(), exp.Column)


def join_back(
    planner: Planner, frame: Frame, planned: Planned, how: str, also: Sequence[tuple[Node, str]] = ()
) -> tuple[Frame, dict[str, str]]:
    """`frame` joined with the rows of a planned sub-query that belong to each of its rows.

    `also` are further equalities, of an outer expression with a column of the sub-query. Gives the names that the
    sub-query's columns have afterwards.
    """
    names = planner.program.joined_names(frame.relation, planned.relation)
    pairs: list[tuple[str, str]] = []
    conditions: list[Node] = []
    ties = [(item.outer, item.column, item.null_safe) for item in planned.carried]
    for outer, name, null_safe in [*ties, *((node, name, False) for node, name in also)]:
        found = frame.column(outer)
        if found is not None and frame.collation(found) != planned.relation.by_name[name].collation:
            raise planner.refuse(_COLLATIONS, None, "the texts that are equal differ with the side that is asked")
        if found is not None and not null_safe:
            pairs.append((found, name))
        else:
            equal = _null_safe(planner.dialect) if null_safe else exp.EQ
            conditions.append(equal(this=frame.resolved(outer), expression=logical(names[name])))
    if not pairs and not conditions and how == "left":
        conditions.append(exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1)))
    how = how if pairs or conditions else "cross"
    condition = all_of(conditions) if conditions else None
    return frame.on(planner.program.join(frame.relation, planned.relation, how, pairs, condition)), names


def _null_safe(dialect: DialectName) -> type[exp.Binary]:
    return exp.Is if dialect == "sqlite" else exp.NullSafeEQ
