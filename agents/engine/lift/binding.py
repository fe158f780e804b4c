"""Names: every word of the SQL is resolved once, before anything is planned.

The rules are those of the database: a bare word is a column of FROM, else an alias of the SELECT list, else a column of
the query around. ORDER BY looks at the aliases first, and so does HAVING in MySQL and DuckDB; elsewhere PostgreSQL and
MySQL have them in GROUP BY only. In SQLite a double-quoted word that is none of these is a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from agents.engine.lift.binding_groups import GroupBinder
from agents.engine.lift.binding_order import TailBinder
from agents.engine.lift.binding_outputs import OutputBinder
from agents.engine.lift.binding_sources import Ctes, SourceBinder, renamed
from agents.engine.lift.binding_values import constants
from agents.engine.lift.calls import aggregates_of, gives_rows, is_unit
from agents.engine.lift.named_windows import written_out
from agents.engine.lift.query import (
    Bound,
    Constants,
    Cte,
    From,
    Node,
    Output,
    Query,
    Select,
    SetKind,
    SetQuery,
    Source,
    Tail,
    column,
    conjuncts,
    free_of,
    sources_of,
)  # fmt: skip
from agents.engine.lift.refusals import refuse, start_of
from agents.engine.lift.scope import Scope, Visible, given_name
from agents.errors import StatementNotAllowedError
from connections.catalogue import Catalogue, DialectName
from connections.guard import sqlglot_dialect

_SELECT_PARTS = frozenset({
    "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_",
    "windows", "qualify", "laterals", "operation_modifiers", "hint",
})  # fmt: skip
_SET_PARTS = frozenset({"this", "expression", "distinct", "order", "limit", "offset", "with_"})


class Binder:
    """Binds one statement. `strict` refuses what SQLite reads as a text because it found no such column."""

    def __init__(self, catalogue: Catalogue, dialect: DialectName, text: str, *, strict: bool = False) -> None:
        self.catalogue, self.dialect, self.text, self.strict = catalogue, dialect, text, strict
        self.queries: dict[str, Query] = {}
        self.warnings: list[str] = []
        self._ids: set[str] = set()
        self._seen: dict[tuple[str, int], tuple[str, Ctes]] = {}

    def statement(self, root: Node) -> Bound:
        parameter = root.find(exp.Placeholder, exp.Parameter, exp.SessionParameter)
        if parameter is not None:
            written = parameter.sql(dialect=sqlglot_dialect(self.dialect))
            raise refuse(f"the parameter {written}", parameter.parent, self.text, "write a value in its place")
        query = self.query(root, {}, None)
        return Bound(query, self.queries, tuple(dict.fromkeys(self.warnings)))

    def new_id(self, label: str) -> str:
        name, number = label, 1
        while name in self._ids:
            number += 1
            name = f"{label}#{number}"
        self._ids.add(name)
        return name

    def query(self, node: Node, ctes: Ctes, outer: Scope | None) -> Query:
        ctes = self._with(node, ctes, outer)
        if isinstance(node, exp.Subquery):
            tail = any(node.args.get(part) for part in ("order", "limit", "offset"))
            return self._wrapped(node, ctes, outer) if tail else self.query(node.this, ctes, outer)
        if isinstance(node, exp.SetOperation):
            return self._set_query(node, ctes, outer)
        if isinstance(node, exp.Select):
            return self._select(node, ctes, outer)
        if isinstance(node, exp.Values):
            return constants(self, node, ctes, outer)
        raise StatementNotAllowedError(f"Only SELECT can be lifted, not {type(node).__name__.upper()}.")

    def expression(self, node: Node, scope: Scope, ctes: Ctes, windows: Mapping[str, exp.Window] | None = None) -> Node:
        """A copy with columns and sub-queries resolved."""

        def resolved(part: Node) -> Node:
            if isinstance(part, exp.Column):
                return exp.Var(this=part.name) if is_unit(part) else self._word(part, scope)
            if isinstance(part, exp.Query) and isinstance(part.parent, exp.Array):
                raise refuse("an ARRAY of a sub-query", part.parent, self.text, "no operation collects rows")
            if isinstance(part, exp.Query):
                return self._subquery(part, ctes, scope)
            if isinstance(part, exp.Window) and part.args.get("alias"):
                return written_out(part, windows or {}, self.text)
            if gives_rows(part, self.dialect):
                raise refuse(f"the function {part.name}", part, self.text, "it makes rows that come from no table")
            if isinstance(part, exp.In) and part.args.get("field") is not None:
                raise refuse("IN a table", part, self.text, "write IN (SELECT …)")
            if isinstance(part, exp.In) and [type(item) for item in part.expressions] == [exp.Values]:
                part.set("query", exp.Subquery(this=part.expressions[0].pop()))
                part.set("expressions", None)
            return part

        return node.transform(resolved)

    def _with(self, node: Node, ctes: Ctes, outer: Scope | None) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        known = dict(ctes)
        for item in clause.expressions:
            name = given_name(item.args["alias"].this, self.dialect)
            if (clause.args.get("recursive") or self.dialect == "sqlite") and _reads(item.this, name):
                raise refuse(f"the recursive CTE {name}", item, self.text, "a program has no loops")
            if not isinstance(item.this, exp.Query):
                kind = type(item.this).__name__.upper()
                raise StatementNotAllowedError(f"Only SELECT may stand in WITH, not {kind}.")
            query = self.query(item.this, known, outer)
            given = item.args["alias"].args.get("columns") or []
            known = {other: cte for other, cte in known.items() if other.casefold() != name.casefold()}
            known[name] = Cte(name, self._renamed(query, given, name) if given else query)
        return known

    def _renamed(self, query: Query, given: Sequence[exp.Identifier], label: str) -> Query:
        """`query` with the column list of its CTE."""
        return _everything(Source(self.new_id(label), label, renamed(query.names, given, label, self.dialect), query))

    def _word(self, word: exp.Column, scope: Scope) -> Node:
        if isinstance(word.this, exp.Star):
            raise refuse("a star inside an expression", word, self.text)
        found = scope.find(word)
        if found is not None:
            return found
        start = start_of(word)
        quoted = start is not None and self.text[start] == '"' and not word.table
        if self.dialect == "sqlite" and quoted and not self.strict:
            self.warnings.append(f'"{word.name}" is no column, so SQLite reads it as a text; write \'{word.name}\'.')
            return exp.Literal.string(word.name)
        raise scope.unknown(word)

    def _subquery(self, node: exp.Query, ctes: Ctes, scope: Scope) -> Node:
        """A placeholder for the sub-query; one that reads nothing from around it is the same wherever it is written."""
        text = (node.sql(), id(ctes))
        name, _ = self._seen.get(text) or (self.new_id("query"), ctes)
        if name not in self.queries:
            self.queries[name] = self.query(node, ctes, scope)
        if not self.queries[name].free:
            self._seen[text] = name, ctes  # kept, so that no other mapping ever has its id
        return exp.Placeholder(this=name)

    def exists(self, source: From, conditions: Sequence[Node]) -> Node:
        """EXISTS (SELECT … FROM source WHERE conditions)."""
        name = self.new_id("query")
        free = self._free(source, conditions)
        self.queries[name] = Select(source, tuple(conditions), None, (), (), (), False, (), Tail(), free)
        return exp.Exists(this=exp.Placeholder(this=name))

    def _select(self, node: exp.Select, ctes: Ctes, outer: Scope | None) -> Query:
        self._only(node, _SELECT_PARTS)
        if node.args.get("hint") is not None and "set_var" in node.args["hint"].sql().lower():
            raise refuse("the hint SET_VAR", node, self.text, "it may change what the SQL means")
        scope = Scope(self.dialect, outer, near=self.dialect in ("sqlite", "duckdb"))
        source, late = self._from(node, scope, ctes)
        windows = {w.name.casefold(): w for w in node.args.get("windows") or []}
        outputs = OutputBinder(self, scope, ctes, windows).bind(node.expressions)
        keys_of = GroupBinder(self, replace(scope, near=True), ctes, tuple(o.node for o in outputs))
        groups = keys_of.keys(node.args.get("group"))
        where = (*late, *self._conjuncts(node.args.get("where"), scope, ctes, windows))
        having = self._conjuncts(node.args.get("having"), scope.of_having(groups or ()), ctes, windows)
        qualify = self._conjuncts(node.args.get("qualify"), scope, ctes, windows)
        tails = TailBinder(self, replace(scope, near=self.dialect != "postgresql"), ctes, windows)
        tail, on = tails.bind(node, outputs), tails.distinct_on(node, outputs)
        parts = [*where, *having, *qualify, *(o.node for o in outputs), *(groups or ()), *on]
        parts += [key.key for key in tail.order if isinstance(key.key, exp.Expr)]
        self._check_aggregates(node, source, parts)
        distinct = node.args.get("distinct") is not None and not on
        free = self._free(source, parts)
        select = Select(source, where, groups, having, outputs, qualify, distinct, on, tail, free)
        return keys_of.united(select, node.args.get("group"))

    def _check_aggregates(self, node: exp.Select, source: From | None, parts: Sequence[Node]) -> None:
        """Refuse an aggregate that reads nothing but the query around: it would be computed there."""
        own = {item.id for item in sources_of(source)}
        for call in (call for part in parts for call in aggregates_of(part, self.dialect)):
            read = free_of([call], self.queries)
            if read and all(key[0] not in own for key in read):
                raise refuse("an aggregate of the query around in a sub-query", node, self.text)

    def _from(self, node: exp.Select, scope: Scope, ctes: Ctes) -> tuple[From | None, list[Node]]:
        clause = node.args.get("from_")
        joins = list(node.args.get("joins") or [])
        joins += [exp.Join(this=lateral, kind="CROSS") for lateral in node.args.get("laterals") or []]
        if clause is None:
            return None, []
        binder = SourceBinder(self, scope, ctes)
        return binder.bind(clause.this, joins), binder.late

    def _conjuncts(
        self, clause: Node | None, scope: Scope, ctes: Ctes, windows: Mapping[str, exp.Window]
    ) -> tuple[Node, ...]:
        return conjuncts(self.expression(clause.this, scope, ctes, windows)) if clause is not None else ()

    def _set_query(self, node: exp.SetOperation, ctes: Ctes, outer: Scope | None) -> SetQuery:
        self._only(node, _SET_PARTS)
        left, right = self.query(node.this, ctes, outer), self.query(node.expression, ctes, outer)
        if len(left.names) != len(right.names):
            raise refuse(f"a set operation of {len(left.names)} and {len(right.names)} columns", node, self.text)
        distinct = node.args.get("distinct")
        kind: SetKind
        if isinstance(node, exp.Union):
            kind = "union" if distinct else "union_all"
        else:
            kind = "intersect" if isinstance(node, exp.Intersect) else "except"
        tail = TailBinder(self, Scope(self.dialect, outer), ctes, {}).bind_set(node, left.names, right.names)
        counted = distinct is False and not isinstance(node, exp.Union)
        return SetQuery(kind, left, right, tail, counted, left.free | right.free)

    def _wrapped(self, node: exp.Subquery, ctes: Ctes, outer: Scope | None) -> Select:
        """`(SELECT …) ORDER BY … LIMIT …`: the parentheses are a table of their own."""
        query = self.query(node.this, ctes, outer)
        source = Source(self.new_id("derived"), "derived", query.names, query)
        whole = _everything(source)
        visible = [Visible(o.name, o.node, source) for o in whole.outputs]
        scope = Scope(self.dialect, outer, visible, [source])
        tail = TailBinder(self, scope, ctes, {}).bind(node, whole.outputs)
        return _everything(source, tail)

    def _free(self, source: From | None, parts: Sequence[Node]) -> frozenset[tuple[str, str]]:
        own = {s.id for s in sources_of(source)}
        read = free_of([*parts, *joined_on(source)], self.queries)
        for item in sources_of(source):
            query = item.origin.query if isinstance(item.origin, Cte) else item.origin
            if isinstance(query, Select | SetQuery | Constants):
                read |= query.free
        return frozenset(key for key in read if key[0] not in own)

    def _only(self, node: Node, known: frozenset[str]) -> None:
        for part, value in node.args.items():
            if value and part not in known:
                raise refuse(_CLAUSES.get(part, part.strip("_").upper()), node, self.text)


_CLAUSES = {"into": "SELECT INTO", "locks": "FOR UPDATE or FOR SHARE", "by_name": "UNION BY NAME"}


def joined_on(item: From | None) -> list[Node]:
    """Every conjunct of ON below `item`."""
    if item is None or isinstance(item, Source):
        return []
    return [*item.on, *joined_on(item.left), *joined_on(item.right)]


def _everything(source: Source, tail: Tail | None = None) -> Select:
    """`SELECT *` from `source`."""
    outputs = tuple(Output(column(source.id, name), name) for name in source.columns)
    query = source.origin
    free = query.free if isinstance(query, Select | SetQuery | Constants) else frozenset()
    return Select(source, (), None, (), outputs, (), False, (), tail or Tail(), free)


def _reads(node: Node, name: str) -> bool:
    return any(t.name.casefold() == name.casefold() and not t.db for t in node.find_all(exp.Table))
