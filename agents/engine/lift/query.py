"""A query after its names are resolved: what binding makes and planning reads.

In every expression a column is `exp.Column(this=name, table=source id)`, where the id is unique within the whole
statement, and a sub-query is an `exp.Placeholder` whose name is a key of `Bound.queries`. So nothing below this
page has to know what an alias is, or which of two columns a bare word means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sqlglot import exp

from connections.catalogue import Table

Node = exp.Expr
SetKind = Literal["union", "union_all", "intersect", "except"]
ColumnKey = tuple[str, str]  # source id, column name


@dataclass(frozen=True, slots=True)
class SortKey:
    """A key of ORDER BY: an output by its position (from 0), or an expression over the sources."""

    key: int | Node
    descending: bool
    nulls: Literal["nulls_first", "nulls_last"] | None


@dataclass(frozen=True, slots=True)
class Tail:
    """What follows the rows of a query: ORDER BY, LIMIT, OFFSET."""

    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def cuts(self) -> bool:
        return self.limit is not None or self.offset > 0


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """An item of the SELECT list; `name` is unique among its neighbours."""

    node: Node
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """One SELECT. `groups` is None without GROUP BY. `free` are the columns of enclosing queries that it reads."""

    source: From | None
    where: tuple[Node, ...]
    groups: tuple[Node, ...] | None
    having: tuple[Node, ...]
    outputs: tuple[Output, ...]
    qualify: tuple[Node, ...]
    distinct: bool
    distinct_on: tuple[Node, ...]
    tail: Tail
    free: frozenset[ColumnKey] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(output.name for output in self.outputs)


@dataclass(frozen=True, slots=True, eq=False)
class SetQuery:
    """Two queries whose columns meet by position; the names are those of the left.

    `counted`: INTERSECT ALL or EXCEPT ALL, where equal rows count one by one.
    """

    kind: SetKind
    left: Query
    right: Query
    tail: Tail
    counted: bool = False
    free: frozenset[ColumnKey] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return self.left.names


@dataclass(frozen=True, slots=True, eq=False)
class Constants:
    """VALUES: rows of expressions that read no table."""

    rows: tuple[tuple[Node, ...], ...]
    names: tuple[str, ...]
    tail: Tail = Tail()
    free: frozenset[ColumnKey] = frozenset()


Query = Select | SetQuery | Constants


@dataclass(frozen=True, slots=True, eq=False)
class Cte:
    """A named query of WITH, planned once however often it is read."""

    name: str
    query: Query


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """An item of FROM. `columns` are its names for the outside, matched by position with what stands behind it."""

    id: str
    label: str
    columns: tuple[str, ...]
    origin: Table | Cte | Query


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Two items of FROM. `on` is a list of conjuncts."""

    left: From
    right: From
    how: Literal["inner", "left", "right", "full", "cross"]
    on: tuple[Node, ...] = ()


From = Source | Join


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement whose names are resolved."""

    query: Query
    queries: Mapping[str, Query] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def column(source: str, name: str) -> exp.Column:
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(source, quoted=True))


def of_set(name: str) -> exp.Column:
    """An output of the set operation that ORDER BY stands behind."""
    return column("set operation", name)


def key_of(node: exp.Column) -> ColumnKey:
    return node.table, node.name


def columns_of(*nodes: Node) -> Iterator[ColumnKey]:
    """Every column that stands in the expressions themselves, not in their sub-queries."""
    for node in nodes:
        for found in node.find_all(exp.Column):
            yield key_of(found)


def subqueries_of(node: Node) -> list[str]:
    return [found.name for found in node.find_all(exp.Placeholder)]


def free_of(nodes: Iterable[Node], queries: Mapping[str, Query]) -> frozenset[ColumnKey]:
    """Every column that the expressions read, also through their sub-queries."""
    found: set[ColumnKey] = set()
    for node in nodes:
        found.update(columns_of(node))
        for name in subqueries_of(node):
            found |= queries[name].free
    return frozenset(found)


def sources_of(item: From | None) -> Iterator[Source]:
    if isinstance(item, Join):
        yield from sources_of(item.left)
        yield from sources_of(item.right)
    elif item is not None:
        yield item


def conjuncts(node: Node | None) -> tuple[Node, ...]:
    """The parts of a condition that must all be true."""
    if node is None:
        return ()
    stack, found = [node], []
    while stack:
        part = stack.pop().unnest()
        if isinstance(part, exp.And):
            stack += [part.expression, part.this]
        else:
            found.append(part)
    return tuple(found)


def enclosed(node: Node) -> Node:
    """A copy that may stand as an operand anywhere."""
    return exp.paren(node) if isinstance(node, exp.Binary | exp.Unary | exp.Predicate) else node.copy()


def all_of(parts: Iterable[Node]) -> Node:
    """One condition out of its conjuncts."""
    return exp.and_(*(part.copy() for part in parts), copy=False)
