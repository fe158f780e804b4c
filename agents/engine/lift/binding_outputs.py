"""The SELECT list: stars written out, aliases known, every output with a name of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.calls import call_name
from agents.engine.lift.query import Node, Output, column
from agents.engine.lift.refusals import refuse
from agents.engine.lift.scope import Scope, given_name, same_name, unique_names
from connections.catalogue import DialectName

if TYPE_CHECKING:
    from agents.engine.lift.binding import Binder
    from agents.engine.lift.binding_sources import Ctes

_STAR_PARTS = ("except_", "except", "replace", "rename")
_LONGEST = 40  # characters of a made-up name


class OutputBinder:
    """Binds the SELECT list, and leaves its aliases in the scope."""

    def __init__(self, binder: Binder, scope: Scope, ctes: Ctes, windows: Mapping[str, exp.Window]) -> None:
        self.binder, self.scope, self.ctes, self.windows = binder, scope, ctes, windows

    def bind(self, items: Sequence[Node]) -> tuple[Output, ...]:
        found: list[tuple[Node, str]] = []
        for item in items:
            if isinstance(item, exp.Star):
                found += self._star(item, None)
            elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                found += self._star(item.this, item.args["table"])
            else:
                found.append(self._output(item))
        names = unique_names(name for _, name in found)
        return tuple(Output(node, name) for (node, _), name in zip(found, names, strict=True))

    def _output(self, item: Node) -> tuple[Node, str]:
        inner = item.this if isinstance(item, exp.Alias) else item
        node = self.binder.expression(inner, self.scope, self.ctes, self.windows).unnest()
        if not isinstance(item, exp.Alias):
            return node, _name_for(inner.unnest(), node, self.binder.dialect)
        name = given_name(item.args["alias"], self.binder.dialect)
        self.scope.aliases.setdefault(name, node)
        return node, name

    def _star(self, star: exp.Star, table: exp.Identifier | None) -> list[tuple[Node, str]]:
        strange = [part for part, value in star.args.items() if value and part not in _STAR_PARTS]
        if strange:
            raise refuse(f"a star with {strange[0].upper()}", star, self.binder.text)
        if table is None:
            shown = [(v.node.copy(), v.name) for v in self.scope.visible]
        else:
            owners = same_name(self.scope.sources, lambda s: s.label, table, self.scope.dialect)
            if not owners:
                raise self.scope.unknown(exp.Column(this=exp.to_identifier("*"), table=table))
            shown = [(column(owners[0].id, name), name) for name in owners[0].columns]
        if not shown:
            raise refuse("a star without FROM", star, self.binder.text)
        return self._rearranged(star, shown)

    def _rearranged(self, star: exp.Star, shown: Sequence[tuple[Node, str]]) -> list[tuple[Node, str]]:
        """`shown` without what EXCLUDE names, and with the values and names of REPLACE and RENAME."""
        left_out = star.args.get("except_") or star.args.get("except") or []
        hidden = {str(word.name).casefold() for word in left_out}
        values = {item.alias.casefold(): item for item in star.args.get("replace") or []}
        names = {str(item.this.name).casefold(): item.alias for item in star.args.get("rename") or []}
        found: list[tuple[Node, str]] = []
        for node, name in shown:
            key = name.casefold()
            if key in hidden:
                continue
            if key in values:
                node = self._output(values[key])[0]
            if key in names:
                self.scope.aliases.setdefault(names[key], node)
            found.append((node, names.get(key, name)))
        return found


def _name_for(node: Node, bound: Node, dialect: DialectName) -> str:
    """A name for an output that has none: the column's, or what is done to which column."""
    if isinstance(node, exp.Column):
        known = isinstance(bound, exp.Column) and bound.name.casefold() == node.name.casefold()
        # MySQL shows a column as it is written, the others as the table spells it.
        return bound.name if known and dialect != "mysql" else given_name(node.this, dialect)
    call = node.this if isinstance(node, exp.Window | exp.Filter | exp.WithinGroup) else node
    words = [call_name(call)] if call_name(call) else []
    found = call.find(exp.Column)
    if found is not None:
        words.append(found.name)
    text = "_".join(words) or "value"
    return "".join(c if c.isalnum() or c == "_" else "_" for c in text)[:_LONGEST]
