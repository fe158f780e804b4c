"""ORDER BY, LIMIT and OFFSET: a sort key is an output or an expression, a limit is a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from agents.engine.lift.query import Node, Output, SortKey, Tail
from agents.engine.lift.refusals import refuse
from agents.engine.lift.scope import Scope, same_name
from connections.catalogue import DialectName
from connections.guard import sqlglot_dialect

if TYPE_CHECKING:
    from agents.engine.lift.binding import Binder
    from agents.engine.lift.binding_sources import Ctes


class TailBinder:
    """Binds what follows the rows of a query."""

    def __init__(self, binder: Binder, scope: Scope, ctes: Ctes, windows: Mapping[str, exp.Window]) -> None:
        self.binder, self.scope, self.ctes, self.windows = binder, scope, ctes, windows

    def bind(self, node: Node, outputs: Sequence[Output]) -> Tail:
        keys = tuple(
            SortKey(key, bool(term.args.get("desc")), nulls_of(term, self.binder.dialect))
            for term in _terms(node)
            for key in self._keys(term.this, outputs)
        )
        return Tail(keys, self._limit(node), self._offset(node))

    def bind_set(self, node: Node, names: Sequence[str], also: Sequence[str]) -> Tail:
        """Behind a set operation only outputs can be sort keys; SQLite knows them by the names of either side."""
        keys: list[SortKey] = []
        for term in _terms(node):
            position = _ordinal(term.this, len(names))
            if position is None and isinstance(term.this, exp.Column) and not term.this.table:
                found = [i for side in (names, also) for i in self._positions(term.this.this, side)]
                position = found[0] if found else None
            if position is None:
                raise refuse("ORDER BY an expression behind a set operation", term, self.binder.text)
            keys.append(SortKey(position, bool(term.args.get("desc")), nulls_of(term, self.binder.dialect)))
        return Tail(tuple(keys), self._limit(node), self._offset(node))

    def _keys(self, term: Node, outputs: Sequence[Output]) -> Sequence[int | Node]:
        if self.binder.dialect == "duckdb" and isinstance(term, exp.Var) and term.name.upper() == "ALL":
            return range(len(outputs))
        key = self._key(term, outputs)
        return () if key is None else (key,)

    def _key(self, term: Node, outputs: Sequence[Output]) -> int | Node | None:
        position = _ordinal(term, len(outputs))
        if position is not None:
            return position
        if isinstance(term, exp.Column) and not term.table:
            aliased = same_name(list(self.scope.aliases), str, term.this, self.binder.dialect)
            if aliased:
                node = self.scope.aliases[aliased[0]]
                return next(i for i, output in enumerate(outputs) if output.node is node)
        bound = self.binder.expression(term, self.scope, self.ctes, self.windows).unnest()
        if isinstance(bound, exp.Literal | exp.Null):
            return None  # a constant sorts nothing
        return next((i for i, output in enumerate(outputs) if output.node == bound), bound)

    def _positions(self, word: exp.Identifier, names: Sequence[str]) -> list[int]:
        found = same_name(list(names), str, word, self.binder.dialect)
        return [i for i, name in enumerate(names) if name in found]

    def _limit(self, node: Node) -> int | None:
        clause = node.args.get("limit")
        if clause is None:
            return None
        if isinstance(clause, exp.Fetch):
            options = clause.args.get("limit_options")
            if options is not None and (options.args.get("with_ties") or options.args.get("percent")):
                raise refuse("FETCH … WITH TIES or PERCENT", clause, self.binder.text)
            return self._number(clause.args.get("count") or exp.Literal.number(1), clause)
        options = clause.args.get("limit_options")
        if options is not None and options.args.get("percent"):
            raise refuse("LIMIT in percent", clause, self.binder.text)
        return self._number(clause.expression, clause)

    def _offset(self, node: Node) -> int:
        clause = node.args.get("offset")
        return (self._number(clause.expression, clause) or 0) if clause is not None else 0

    def _number(self, node: Node, clause: Node) -> int | None:
        """The constant, or None for what means "no limit"."""
        node = node.unnest()
        negative = isinstance(node, exp.Neg)
        literal = node.this if negative else node
        if isinstance(literal, exp.Literal) and str(literal.this).isdigit():
            return None if negative else int(literal.this)
        if isinstance(node, exp.Null) or node.name.upper() == "ALL":
            return None
        raise refuse("a limit that is no number", clause, self.binder.text)


def nulls_of(term: exp.Ordered, dialect: DialectName) -> Literal["nulls_first", "nulls_last"] | None:
    """Where NULLs go, when that is not the dialect's own way."""
    order = sqlglot_dialect(dialect).NULL_ORDERING
    small, large = order == "nulls_are_small", order == "nulls_are_large"
    usual = large if term.args.get("desc") else small
    first = bool(term.args.get("nulls_first"))
    if first == usual:
        return None
    return "nulls_first" if first else "nulls_last"


def _terms(node: Node) -> list[exp.Ordered]:
    clause = node.args.get("order")
    return list(clause.expressions) if clause is not None else []


def _ordinal(term: Node, width: int) -> int | None:
    if isinstance(term, exp.Literal) and not term.is_string and str(term.this).isdigit():
        return int(term.this) - 1 if 0 < int(term.this) <= width else None
    return None
