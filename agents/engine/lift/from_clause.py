"""FROM: table references, and joins of every kind out of inner, left and cross joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift import constants
from agents.engine.lift.conditions import where
from agents.engine.lift.correlation import Domain, Link
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.lateral import lateral
from agents.engine.lift.program import logical
from agents.engine.lift.query import (
    Cte,
    From,
    Join,
    Node,
    Source,
    all_of,
    free_of,
    sources_of,
    subqueries_of,
)  # fmt: skip
from agents.engine.lift.refusals import refuse
from connections.catalogue import Table

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


class FromPlanner:
    """Plans the FROM clause of one SELECT.

    `pool` are the conjuncts of WHERE: equalities that link the items of a comma join are taken out of it as join keys,
    and conjuncts of ON that are better filters are put into it.
    """

    def __init__(self, planner: Planner, pool: list[Node], link: Link | None = None) -> None:
        self.planner, self.pool = planner, pool
        self.domain = link.frame if isinstance(link, Domain) else None
        self._used: set[str] = set()

    def plan(self, item: From | None) -> Frame:
        if item is None:
            return self.domain or constants.one_row(self.planner)
        if self.domain is None:
            return self._item(item)
        if self._reads_domain(item):
            return self._item(_with_first(item, self.domain))
        return self.combine(self._item(item), self.domain, "cross", ())

    def _reads_domain(self, item: From) -> bool:
        """Whether FROM itself, not only WHERE, needs the columns of the query around."""
        assert self.domain is not None
        on = free_of(_all_on(item), self.planner.queries)
        inner = {key for source in sources_of(item) for key in _free(source)}
        return any(key in self.domain.names for key in on | inner)

    def _item(self, item: From | _Given) -> Frame:
        if isinstance(item, _Given):
            return item.frame
        if isinstance(item, Join):
            return self._join(item)
        planned = self._source(item)
        names = {(item.id, name): column for name, column in zip(item.columns, planned.columns, strict=True)}
        return Frame(planned.relation, names, planned.carried)

    def _source(self, source: Source) -> Planned:
        origin = source.origin
        if isinstance(origin, Table):
            return self._table(origin, source.label)
        if isinstance(origin, Cte):
            return self.planner.rows(origin.query, ordered=True, label=origin.name)
        return self.planner.rows(origin, ordered=True, label=source.label)

    def _table(self, table: Table, alias: str) -> Planned:
        """A table met twice in one FROM is referred to twice, so that its columns get telling names."""
        known = self.planner.tables.get(table)
        if known is None:
            known = self.planner.tables[table] = self.planner.program.table(table)
        relation = known
        if table.qualified in self._used:
            relation = self.planner.program.table(table, alias)
        self._used.add(table.qualified)
        return Planned(relation, tuple(relation.names))

    def _join(self, join: Join) -> Frame:
        if join.how in ("right", "full"):
            left = self._side(join.left)
            right = self._side(join.right)
            return self._right(left, right, join.on) if join.how == "right" else self._full(left, right, join.on)
        left = self._item(join.left)
        if isinstance(join.right, Source) and any(key in left.names for key in _free(join.right)):
            if join.how != "left":
                self.pool += join.on
            return lateral(self.planner, left, join.right, join.how, join.on)
        right = self._side(join.right) if join.how == "left" else self._item(join.right)
        return self.combine(left, right, join.how, join.on)

    def _side(self, item: From) -> Frame:
        """A side that a join may pad with NULLs: no condition of WHERE may move into it, and its own stay inside."""
        outside, self.pool = self.pool, []
        frame = self._item(item)
        frame = where(self.planner, frame, self.pool)
        self.pool = outside
        return frame

    def combine(self, left: Frame, right: Frame, how: str, on: Sequence[Node]) -> Frame:
        """An inner, left or cross join."""
        left, right, parts = self._prepared(left, right, how, on)
        if how != "left" and not on:
            linking = [part for part in self.pool if _pair(part, left, right)]
            self.pool[:] = [part for part in self.pool if part not in linking]
            parts += linking
        pairs = [pair for part in parts if (pair := _pair(part, left, right))]
        rest = [part for part in parts if not _pair(part, left, right)]
        names = self.planner.program.joined_names(left.relation, right.relation)
        merged = {**left.names, **{key: names[column] for key, column in right.names.items()}}
        carried = (*left.carried, *(replace(item, column=names[item.column]) for item in right.carried))
        frame = Frame(left.relation, merged, carried, left.attached)
        condition = frame.resolved(all_of(rest)) if rest else None
        if how != "left":
            how = "inner" if pairs or rest else "cross"
        elif not pairs and not rest:
            condition = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
        return frame.on(self.planner.program.join(left.relation, right.relation, how, pairs, condition))

    def _prepared(
        self, left: Frame, right: Frame, how: str, on: Sequence[Node]
    ) -> tuple[Frame, Frame, list[Node]]:
        """Conjuncts of ON that a join condition cannot hold are filtered before the join, or after an inner one."""
        kept: list[Node] = []
        for part in on:
            reads = free_of([part], self.planner.queries)
            both = all(key in left.names or key in right.names for key in reads)
            if both and not subqueries_of(part):
                kept.append(part)
            elif how != "left":
                self.pool.append(part)
            elif all(key in right.names for key in reads):
                right = where(self.planner, right, [part])
            elif both:
                left, part = self._with_values(left, part)
                kept.append(part)
            else:
                raise refuse("a table from outside in ON of an outer join", part, self.planner.text)
        return left, right, kept

    def _with_values(self, left: Frame, part: Node) -> tuple[Frame, Node]:
        """`part` of ON with the values of its sub-queries, where they depend on the left side alone."""
        part = exp.paren(part.copy(), copy=False)
        for found in list(part.find_all(exp.Exists, exp.Placeholder)):
            if isinstance(found.parent, exp.Exists):
                continue
            alone = all(key in left.names for key in free_of([found], self.planner.queries))
            if not alone or isinstance(found.parent, exp.In | exp.Any | exp.All):
                raise refuse("a sub-query in ON of an outer join", part.this, self.planner.text)
            left, value = self.planner.attach(left, found)
            found.replace(value)
        return left, part.this

    def _right(self, left: Frame, right: Frame, on: Sequence[Node]) -> Frame:
        return self.combine(right, left, "left", on)

    def _full(self, left: Frame, right: Frame, on: Sequence[Node]) -> Frame:
        """A left join, and below it the right rows that match nothing, padded by the same left join turned round."""
        if subqueries_of(all_of(on)):
            raise refuse("a sub-query in ON of a full join", all_of(on), self.planner.text)
        program = self.planner.program
        pairs = [pair for part in on if (pair := _pair(part, left, right))]
        marker = pairs[0][0] if pairs else left.relation.free_name("matched")
        if not pairs:
            left = left.on(program.derive(left.relation, marker, exp.Literal.number(1)))
        both = self.combine(left, right, "left", on)
        turned = self.combine(right, left, "left", on)
        back = self.planner.program.joined_names(right.relation, left.relation)
        lonely = program.filter(turned.relation, exp.Is(this=logical(back[marker]), expression=exp.Null()))
        ahead = self.planner.program.joined_names(left.relation, right.relation)
        columns = [(back[name], name) for name in left.relation.names]
        columns += [(name, ahead[name]) for name in right.relation.names]
        aligned = program.select(lonely, columns, f"{right.relation.label}_only")
        return both.on(program.set_operation(both.relation, aligned, "union_all", f"{both.relation.label}_all"))


class _Given:
    """A leaf that is planned already."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame


def _with_first(item: From, frame: Frame) -> From:
    """`item` with `frame` joined in front of its first leaf."""
    if isinstance(item, Join) and item.how in ("inner", "left", "cross"):
        return replace(item, left=_with_first(item.left, frame))
    if isinstance(item, Join):
        raise refuse(f"a {item.how.upper()} JOIN that reads a column of the query around it")
    return Join(_Given(frame), item, "cross")  # type: ignore[arg-type]


def _pair(part: Node, left: Frame, right: Frame) -> tuple[str, str] | None:
    """The join key that an equality of two columns is, whichever way round it is written.

    SQLite compares texts by the collation of the column in front, so where they differ the order counts.
    """
    if not isinstance(part, exp.EQ):
        return None
    one, other = part.this.unnest(), part.expression.unnest()
    for a, b in ((one, other), (other, one)):
        left_column, right_column = left.column(a), right.column(b)
        if left_column is not None and right_column is not None:
            turned = a is other and left.collation(left_column) != right.collation(right_column)
            return None if turned else (left_column, right_column)
    return None


def _free(source: Source) -> frozenset[tuple[str, str]]:
    origin = source.origin.query if isinstance(source.origin, Cte) else source.origin
    return frozenset() if isinstance(origin, Table) else origin.free


def _all_on(item: From) -> list[Node]:
    return [*item.on, *_all_on(item.left), *_all_on(item.right)] if isinstance(item, Join) else []


