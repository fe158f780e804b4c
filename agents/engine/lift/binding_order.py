"""ORDER BY, LIMIT and OFFSET: a sort key is an output or an expression, a limit is a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from agents.engine.lift.query import Node, Output, SortKey, Tail, of_set
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
            key = self._set_key(node, term.this, names, also)
            if key is None:
                raise refuse("ORDER BY an expression behind a set operation", term, self.binder.text)
            keys.append(SortKey(key, bool(term.args.get("desc")), nulls_of(term, self.binder.dialect)))
        return Tail(tuple(keys), self._limit(node), self._offset(node))

    def distinct_on(self, node: Node, outputs: Sequence[Output]) -> tuple[Node, ...]:
        """The keys of DISTINCT ON, which are read like those of ORDER BY."""
        clause = node.args.get("distinct")
        on = clause.args.get("on") if clause is not None else None
        keys = [(term, self._key(term, outputs)) for term in (on.expressions if on is not None else ())]
        return tuple(outputs[key].node if isinstance(key, int) else key or term for term, key in keys)

    def _set_key(self, node: Node, term: Node, names: Sequence[str], also: Sequence[str]) -> int | Node | None:
        position = ordinal(term, len(names))
        if position is None and isinstance(term, exp.Column) and not term.table:
            found = [i for side in (names, also) for i in self._positions(term.this, side)]
            position = found[0] if found else None
        if position is None and self.binder.dialect == "sqlite":
            position = next((i for arm in _arms(node) for i, item in enumerate(arm) if item.unalias() == term), None)
        if position is None and isinstance(term, exp.Collate):
            inner = self._set_key(node, term.this, names, also)
            if isinstance(inner, int):
                return exp.Collate(this=of_set(names[inner]), expression=term.expression)
        return position

    def _keys(self, term: Node, outputs: Sequence[Output]) -> Sequence[int | Node]:
        if self.binder.dialect == "duckdb" and isinstance(term, exp.Var) and term.name.upper() == "ALL":
            return range(len(outputs))
        key = self._key(term, outputs)
        return () if key is None else (key,)

    def _key(self, term: Node, outputs: Sequence[Output]) -> int | Node | None:
        position = ordinal(term, len(outputs))
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


def _arms(node: Node) -> Iterator[Sequence[Node]]:
    """The SELECT lists of a set operation, from left to right, as far as their items have known positions."""
    if isinstance(node, exp.SetOperation):
        yield from _arms(node.this)
        yield from _arms(node.expression)
    elif isinstance(node, exp.Select) and not node.is_star:
        yield node.expressions


def _terms(node: Node) -> list[exp.Ordered]:
    clause = node.args.get("order")
    return list(clause.expressions) if clause is not None else []


def ordinal(term: Node, width: int) -> int | None:
    """The position, from 0, of the output of `width` that a number names."""
    if isinstance(term, exp.Literal) and not term.is_string and str(term.this).isdigit():
        return int(term.this) - 1 if 0 < int(term.this) <= width else None
    return None
