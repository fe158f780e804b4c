"""FROM: which tables, CTEs and sub-queries a SELECT reads, how they join, and which columns they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from agents.dsl.names import listed, nearest_hint, quoted
from agents.engine.lift.query import Cte, From, Join, Node, Query, Source, column, conjuncts
from agents.engine.lift.refusals import refuse
from agents.engine.lift.scope import Scope, Visible, given_name, same_name, unique_names
from agents.errors import UnknownColumnError, UnknownTableError
from connections.catalogue import DialectName, Table

if TYPE_CHECKING:
    from agents.engine.lift.binding import Binder

Ctes = Mapping[str, Cte]
How = Literal["inner", "left", "right", "full", "cross"]
_JOIN_PARTS = frozenset({"this", "on", "using", "method", "side", "kind"})
_JOIN_KINDS = frozenset({"", "INNER", "OUTER", "CROSS", "STRAIGHT_JOIN"})
_TABLE_PARTS = frozenset({"this", "db", "alias", "joins", "hints"})


class SourceBinder:
    """Binds the FROM clause of one SELECT into `scope`. `late` are conjuncts of ON that belong into WHERE."""

    def __init__(self, binder: Binder, scope: Scope, ctes: Ctes) -> None:
        self.binder, self.scope, self.ctes = binder, scope, ctes
        self.late: list[Node] = []
        self._unread: list[Node] = []

    def bind(self, first: Node, joins: list[exp.Join]) -> From:
        item, visible = self._chain(first, joins)
        self.scope.visible = visible
        for node in self._unread:
            self.late += conjuncts(self.binder.expression(node, self.scope, self.ctes))
        return item

    def _chain(self, first: Node, joins: list[exp.Join]) -> tuple[From, list[Visible]]:
        if self._commas_matter(joins):
            return self._by_commas(first, joins)
        item, visible = self._item(first)
        for join in joins:
            item, visible = self._join(item, visible, join)
        return item, visible

    def _commas_matter(self, joins: list[exp.Join]) -> bool:
        """A comma binds weaker than JOIN (not in SQLite), which shows only when a right or full join follows one."""
        outer = [index for index, join in enumerate(joins) if join.side in ("RIGHT", "FULL")]
        return self.binder.dialect != "sqlite" and any(_is_comma(join) for join in joins[: max(outer, default=0)])

    def _by_commas(self, first: Node, joins: list[exp.Join]) -> tuple[From, list[Visible]]:
        commas = [index for index, join in enumerate(joins) if _is_comma(join)]
        item, visible = self._chain(first, joins[: commas[0]])
        for index, end in zip(commas, [*commas[1:], len(joins)], strict=True):
            try:
                right, also = self._chain(joins[index].this, joins[index + 1 : end])
            except UnknownColumnError:
                raise refuse("ON that reads a table before the comma", joins[index], self.binder.text) from None
            item, visible = Join(item, right, "cross"), [*visible, *also]
        return item, visible

    def _item(self, node: Node) -> tuple[From, list[Visible]]:
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table | exp.Subquery) and not node.alias:
            return self._chain(node.this, node.args.get("joins") or [])
        if node.args.get("joins"):
            bare = node.copy()
            bare.set("joins", None)
            return self._chain(bare, node.args["joins"])
        if isinstance(node, exp.Table):
            return self._shown(self._table(node))
        if isinstance(node, exp.Subquery | exp.Values | exp.Lateral):
            return self._shown(self._derived(node))
        raise refuse("a table function", node, self.binder.text, "only tables, views and sub-queries can be read")

    def _shown(self, source: Source) -> tuple[Source, list[Visible]]:
        shown = [Visible(name, column(source.id, name), source) for name in source.columns]
        self.scope.sources.append(source)
        self.scope.visible.extend(shown)
        return source, shown

    def _table(self, node: exp.Table) -> Source:
        strange = [part for part, value in node.args.items() if value and part not in _TABLE_PARTS]
        if not isinstance(node.this, exp.Identifier):
            raise refuse(f"the table function {node.name}", node, self.binder.text, "it is no table of the catalogue")
        if strange:
            raise refuse(f"{strange[0].upper()} of a table", node, self.binder.text)
        origin = self._cte(node) or self._find(node)
        names = origin.query.names if isinstance(origin, Cte) else tuple(c.name for c in origin.columns)
        return self._source(node, origin.name, names, origin)

    def _cte(self, node: exp.Table) -> Cte | None:
        found = [] if node.db else same_name(list(self.ctes), str, node.this, self.binder.dialect)
        return self.ctes[found[0]] if found else None

    def _find(self, node: exp.Table) -> Table:
        identifier = node.this
        plain = self.binder.dialect == "postgresql" and not identifier.args.get("quoted")
        schema = "" if self.binder.dialect == "sqlite" and node.db.casefold() == "main" else node.db
        name = ".".join(part for part in (schema, identifier.name.lower() if plain else identifier.name) if part)
        found = self.binder.catalogue.find(name)
        if schema:
            there = self.binder.catalogue.candidates(name)
            found = tuple(table for table in there if (table.schema or "").casefold() == schema.casefold())
        if len(found) == 1:
            return found[0]
        every = [table.qualified if node.db else table.name for table in self.binder.catalogue.tables]
        if found:
            raise UnknownTableError(f"{quoted(name)} may mean {listed(t.qualified for t in found)}; write the schema.")
        hint = nearest_hint(name, every)
        raise UnknownTableError(f"There is no table {quoted(name)}.{hint} Tables: {listed(every)}.")

    def _derived(self, node: exp.Subquery | exp.Values | exp.Lateral) -> Source:
        inner = node.this if isinstance(node, exp.Subquery | exp.Lateral) else node
        if isinstance(node, exp.Lateral) and not isinstance(inner, exp.Query):
            raise refuse("a table function", node, self.binder.text)
        outer = self.scope if isinstance(node, exp.Lateral) else self.scope.outer
        query = self.binder.query(_with_tail(node, inner), self.ctes, outer)
        return self._source(node, "derived", query.names, query)

    def _source(self, node: Node, label: str, names: tuple[str, ...], origin: Table | Cte | Query) -> Source:
        alias = node.args.get("alias")
        given = alias.args.get("columns") or [] if alias is not None else []
        if alias is not None and alias.this is not None:
            label = given_name(alias.this, self.binder.dialect)
        columns = unique_names(renamed(names, given, label, self.binder.dialect))
        return Source(self.binder.new_id(label), label, columns, origin)

    def _join(self, left: From, shown: list[Visible], join: exp.Join) -> tuple[From, list[Visible]]:
        if join.kind in ("SEMI", "ANTI") and not join.side and not join.method:
            return self._matching(left, shown, join)
        strange = [part for part, value in join.args.items() if value and part not in _JOIN_PARTS]
        natural = join.method == "NATURAL"
        if strange or (join.method and not natural) or join.kind not in _JOIN_KINDS:
            name = " ".join(part for part in (join.method, join.side, join.kind) if part) or strange[0].upper()
            raise refuse(f"{name} JOIN", join, self.binder.text)
        right, also = self._item(join.this)
        using = [word.name for word in join.args.get("using") or []]
        if natural:
            names = [v.name for v in also]
            using = [v.name for v in shown if same_name(names, str, v.name, self.binder.dialect)]
        how = self._how(join, bool(using))
        on = list(self._on(join.args.get("on"), [*shown, *also], how))
        pairs = [(self._one(shown, name), self._one(also, name)) for name in using]
        if self.binder.dialect == "mysql":
            pairs.sort(key=lambda pair: _place(also, pair[1]) if how == "right" else _place(shown, pair[0]))
        on += [exp.EQ(this=a.node.copy(), expression=b.node.copy()) for a, b in pairs]
        return Join(left, right, how, tuple(on)), self._merged(shown, also, pairs, how)

    def _matching(self, left: From, shown: list[Visible], join: exp.Join) -> tuple[From, list[Visible]]:
        """SEMI and ANTI JOIN: EXISTS and NOT EXISTS."""
        sources, visible = list(self.scope.sources), list(self.scope.visible)
        right, also = self._item(join.this)
        on = list(self._on(join.args.get("on"), [*shown, *also], "left"))
        for word in join.args.get("using") or []:
            one, other = self._one(shown, word.name), self._one(also, word.name)
            on.append(exp.EQ(this=one.node.copy(), expression=other.node.copy()))
        self.scope.sources[:], self.scope.visible[:] = sources, visible
        test: Node = self.binder.exists(right, on)
        self.late.append(exp.Not(this=test) if join.kind == "ANTI" else test)
        return left, shown

    def _how(self, join: exp.Join, using: bool) -> How:
        side: dict[str, How] = {"LEFT": "left", "RIGHT": "right", "FULL": "full"}
        if join.side:
            return side[join.side]
        return "inner" if join.args.get("on") is not None or using else "cross"

    def _on(self, node: Node | None, visible: list[Visible], how: How) -> tuple[Node, ...]:
        """ON sees the items that it joins; in SQLite that of an inner join sees the rest of FROM, too, like WHERE."""
        if node is None:
            return ()
        here = Scope(self.scope.dialect, self.scope.outer, visible, self.scope.sources)
        try:
            return conjuncts(self.binder.expression(node, here, self.ctes))
        except UnknownColumnError:
            if self.binder.dialect != "sqlite" or how != "inner":
                raise
            self._unread.append(node)
            return ()

    def _one(self, visible: list[Visible], name: str) -> Visible:
        found = same_name(visible, lambda v: v.name, name, self.binder.dialect)
        if len(found) != 1:
            problem = "is ambiguous" if found else "is missing"
            raise UnknownColumnError(f"The column {quoted(name)} of USING {problem} on one side of the join.")
        return found[0]

    def _merged(
        self, left: list[Visible], right: list[Visible], pairs: list[tuple[Visible, Visible]], how: How
    ) -> list[Visible]:
        """What a star shows after the join: columns of USING once, in front where the dialect puts them there.

        MySQL takes a right join for a left join with its sides swapped, and USING in the order of the left side.
        """
        merged = {id(a): Visible(a.name, _merge(a.node, b.node, how), a.source) for a, b in pairs}
        hidden = {id(b) for _, b in pairs}
        rest = [v for v in right if id(v) not in hidden]
        if self.binder.dialect in ("postgresql", "mysql"):
            others = [v for v in left if id(v) not in merged]
            swapped = self.binder.dialect == "mysql" and how == "right" and pairs
            return [*merged.values(), *rest, *others] if swapped else [*merged.values(), *others, *rest]
        return [*(merged.get(id(v), v) for v in left), *rest]


def renamed(
    names: Sequence[str], given: Sequence[exp.Identifier], label: str, dialect: DialectName
) -> tuple[str, ...]:
    """The columns `names` of `label`, the first ones as its column list calls them. Raises UnknownColumnError."""
    if len(given) > len(names):
        asked, known = listed(identifier.name for identifier in given), listed(names)
        raise UnknownColumnError(f"{quoted(label)} has fewer columns than names ({asked}). Its columns: {known}.")
    return (*(given_name(identifier, dialect) for identifier in given), *names[len(given) :])


def _place(items: Sequence[Visible], wanted: Visible) -> int:
    return next(place for place, item in enumerate(items) if item is wanted)


def _is_comma(join: exp.Join) -> bool:
    return not (join.kind or join.side or join.method or join.args.get("on") or join.args.get("using"))


def _merge(left: Node, right: Node, how: How) -> Node:
    if how == "full":
        return exp.Anonymous(this="coalesce", expressions=[left.copy(), right.copy()])
    return (right if how == "right" else left).copy()


def _with_tail(wrapper: Node, inner: Node) -> Node:
    """A sub-query in parentheses may have ORDER BY and LIMIT of its own behind them: keep the parentheses then."""
    return wrapper if any(wrapper.args.get(part) for part in ("order", "limit", "offset", "with_")) else inner
