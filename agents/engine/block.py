"""A SELECT in the making, and the rules by which a further operation may still become part of it.

SQL evaluates FROM, WHERE, GROUP BY, HAVING, windows, DISTINCT, ORDER BY, LIMIT in this order. An operation may join a
block only if it then happens where the step by step meaning puts it; otherwise the block becomes a step of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

from agents.dsl.operations.order_by import Nulls, OrderKey
from agents.engine.terms import Ref, Term, ref

# An expression is written out again where it is used, up to this many characters; beyond, it gets a step of its own.
MAX_INLINED = 160
# SQLite joins 64 tables and MySQL 61.
MAX_SOURCES = 24


@dataclass(frozen=True)
class Stored:
    """Rows that can be selected from by name: a table, a temp table or an earlier step.

    `columns` maps logical names to the names that the columns have there. `order` are the keys by which the rows must
    be ordered again, each with the name of its column there: stored rows have no order of their own.
    """

    name: str
    schema: str | None
    columns: dict[str, str]
    order: tuple[OrderKey, ...] = ()
    is_table: bool = False


@dataclass(frozen=True)
class Source:
    """One item of FROM. Terms name it by its `number`, unique in a statement; `alias` is the name it would like.
    `how` and `on` say how it is joined to those before it."""

    number: int
    stored: Stored
    alias: str
    how: str = ""
    on: tuple[Term, ...] = ()


@dataclass(frozen=True)
class OrderTerm:
    """One key of ORDER BY. `nulls` is "" for the dialect's own place."""

    term: Term
    descending: bool
    nulls: Nulls


@dataclass
class Block:
    """`columns` maps each logical column that somebody still asks for to its value. `equals` are pairs of columns that
    hold the same integer in every row, the second one being unique in its own source.

    `group` is None until the block aggregates, then the values grouped by; `sealed` says that no expression may read
    what it aggregates before it is finished. `body` is a set operation that takes the place of everything else; its
    columns then have the names of `columns`.
    """

    sources: list[Source]
    columns: dict[str, Term]
    where: list[Term] = field(default_factory=list)
    group: list[Term] | None = None
    sealed: bool = False
    having: list[Term] = field(default_factory=list)
    distinct: bool = False
    order: tuple[OrderTerm, ...] = ()
    limit: int | None = None
    offset: int = 0
    body: exp.Query | None = None
    equals: list[tuple[Ref, Ref]] = field(default_factory=list)

    @classmethod
    def over(cls, source: Source, wanted: Iterable[str]) -> Block:
        """A block that does nothing yet but read the `wanted` columns of `source`."""
        stored, number = source.stored, source.number
        columns: dict[str, Term] = {name: ref(number, stored.columns[name]) for name in wanted}
        order = tuple(OrderTerm(ref(number, key.column), key.descending, key.nulls) for key in stored.order)
        return cls([source], columns, order=order)

    @property
    def bare(self) -> bool:
        """Whether it still only reads columns of one source, so that it may as well be written out twice."""
        untouched = not (self.where or self.distinct or self.order) and self.group is None and self.limit is None
        plain = all(isinstance(term, Ref) for term in self.columns.values())
        return untouched and plain and self.body is None and len(self.sources) == 1

    def grouped_by_key(self, keys: list[Term]) -> list[Term]:
        """`keys`, with the unique column in the place of its equal where other keys are of the same source: by it the
        database knows that they depend on it."""
        return [self._unique_equal(key, keys) or key for key in keys]

    def _unique_equal(self, key: Term, keys: list[Term]) -> Ref | None:
        if not isinstance(key, Ref):
            return None
        sources = {ref.source for other in keys for ref in other.refs()}
        place = (key.source, key.column)
        return next((u for one, u in self.equals if (one.source, one.column) == place and u.source in sources), None)

    def forget_repeats(self) -> None:
        """How often a row is there no longer matters: drop DISTINCT, and a GROUP BY that is there for nothing else."""
        if self.limit is not None:
            return
        self.distinct = False
        counts = self.having or self.windows or any(term.aggregate for term in self.columns.values())
        if self.group and not counts:
            self.group = None

    @property
    def row_wise(self) -> bool:
        """Whether it only joins, filters and computes: work that is no more costly than reading its rows again."""
        terms = [*self.columns.values(), *self.where, *(term for source in self.sources for term in source.on)]
        plain = self._open() and self.group is None and not self.windows
        return plain and not any(term.volatile or term.query for term in terms)

    @property
    def windows(self) -> bool:
        """Whether it computes over windows: for a column, or for an order by one that nobody asks for."""
        return any(term.window for term in (*self.columns.values(), *(key.term for key in self.order)))

    def _open(self) -> bool:
        """Whether row-wise work may still be added: nothing has cut or merged rows for good."""
        return self.limit is None and not self.distinct and self.body is None and not self.sealed

    def _readable(self, terms: Iterable[Term]) -> bool:
        """Whether `terms` may be written into another expression of this block.

        A volatile value must be evaluated once. After grouping, an expression that was grouped by must be read as a
        whole, which databases recognise only in places.
        """
        grouped = {id(term) for term in self.group or () if not isinstance(term, Ref)}
        return not any(term.volatile or id(term) in grouped for term in terms)

    def takes_filter(self, read: list[Term]) -> bool:
        return self._open() and not self.windows and self._readable(read)

    def takes_expression(self, read: list[Term], size: int) -> bool:
        return self._open() and self._readable(read) and (size <= MAX_INLINED or all(isinstance(t, Ref) for t in read))

    def takes_window(self, read: list[Term]) -> bool:
        return self._open() and self._readable(read) and not any(term.window for term in read)

    def takes_group(self, keys: list[Term], read: list[Term]) -> bool:
        """A key without a column would be read as a position; aggregates do not nest."""
        fixed = any(key.constant for key in keys)
        fresh = self._open() and self.group is None and not fixed
        return fresh and self._readable([*keys, *read]) and not any(term.window for term in (*keys, *read))

    def takes_order(self, read: list[Term]) -> bool:
        return self.limit is None and self.body is None and not any(term.volatile for term in read)

    def takes_projection(self, names: list[str]) -> bool:
        """Under DISTINCT only a new arrangement of all columns is harmless; a volatile value must not be doubled."""
        if self.body is not None or (self.distinct and sorted(names) != sorted(self.columns)):
            return False
        doubled = {name for name in names if names.count(name) > 1}
        return not any(self.columns[name].volatile for name in doubled)

    def takes_distinct(self) -> bool:
        return self.limit is None and self.body is None

    def takes_limit(self) -> bool:
        return self.body is None

    def takes_set_operation(self, names: list[str]) -> bool:
        """A side of a set operation has no LIMIT of its own, and under DISTINCT every column counts."""
        return self.limit is None and self.body is None and not (self.distinct and len(names) != len(self.columns))

    def becomes_query(self) -> bool:
        """Whether it may stand after IN. Queries are not nested any deeper: parsers bear few levels."""
        return self.limit is None and not any(term.query for term in (*self.where, *self.having))

    def joins_on_the_left(self) -> bool:
        plain = self.group is None and not self.windows
        return self._open() and plain and self._readable([*self.columns.values(), *self.where])

    def joins_on_the_right(self, how: str) -> bool:
        """Under a left join a computed value would not become NULL where nothing matches, and conditions go into ON."""
        if how == "left":
            computed = not all(isinstance(term, Ref) for term in self.columns.values())
            if computed or any(term.query for term in self.where):
                return False
        return self.joins_on_the_left() and len(self.sources) == 1
