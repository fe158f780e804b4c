"""A query half planned: the relation so far, and where each SQL column stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from agents.engine.lift.program import logical
from agents.engine.lift.query import ColumnKey, Node, key_of
from agents.engine.lift.refusals import refuse
from agents.engine.lift.relation import Relation


@dataclass(frozen=True, slots=True)
class Carried:
    """A column that ties the rows of a correlated sub-query to those of the query around.

    The rows of `column` belong to the outer rows where `outer` equals it; with `null_safe`, NULL equals NULL.
    """

    outer: Node
    column: str
    null_safe: bool = False


@dataclass(frozen=True)
class Frame:
    """`names` maps each SQL column to the logical column that holds it. `attached` are sub-queries already joined."""

    relation: Relation
    names: Mapping[ColumnKey, str] = field(default_factory=dict)
    carried: tuple[Carried, ...] = ()
    attached: Mapping[tuple[str, str], Node] = field(default_factory=dict)

    def on(self, relation: Relation) -> Frame:
        """The same columns, after an operation that keeps their names."""
        return replace(self, relation=relation)

    def resolved(self, node: Node) -> Node:
        """`node` over logical columns."""

        def named(part: Node) -> Node:
            if isinstance(part, exp.Column) and part.table:
                if key_of(part) not in self.names:
                    raise refuse(f"the use of {part.name} here", None, "", "it belongs to a query further out")
                return logical(self.names[key_of(part)])
            return part

        return node.transform(named)

    def column(self, node: Node) -> str | None:
        """The logical column that `node` is, if it is nothing more."""
        node = node.unnest()
        return self.names.get(key_of(node)) if isinstance(node, exp.Column) else None

    def collation(self, name: str) -> str:
        return self.relation.by_name[name].collation

    @property
    def carried_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.column for item in self.carried))


@dataclass(frozen=True, slots=True)
class Planned:
    """A query planned to its end: `columns` of `relation` are its outputs, in order."""

    relation: Relation
    columns: tuple[str, ...]
    carried: tuple[Carried, ...] = ()
