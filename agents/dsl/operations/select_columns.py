from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agents.dsl.arguments import HANDLE, NAME, NEW_NAME, Kind, argument, list_of, record
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Columns, Relation, Scope, collected


@dataclass(frozen=True, slots=True)
class Renamed:
    """`{"column": c, "as": n}`."""

    column: str = argument(NAME)
    as_: str = argument(NEW_NAME)


_SHAPE = 'a column name or {"column": name, "as": new name}'
_RENAMED = record(Renamed, _SHAPE)


def _read_item(value: Any) -> Renamed:
    if isinstance(value, dict):
        item: Renamed = _RENAMED.read(value)
        return item
    name = NAME.read(value)
    return Renamed(name, "")


COLUMN = Kind(_SHAPE, _read_item)


@dataclass(frozen=True)
class SelectColumns(RelationOperation):
    """Exactly these columns, in this order. Each item is a name or `{"column": name, "as": new name}`.

    Rows stay as many as they are, equal ones too, and the order stays even when the key is no longer among the columns.
    """

    name: ClassVar[str] = "select_columns"
    example: ClassVar[str] = '{"rel": "o", "columns": ["city", {"column": "total", "as": "revenue"}]}'

    rel: str = argument(HANDLE)
    columns: tuple[Renamed, ...] = argument(list_of(COLUMN, at_least=1))

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        available = Columns(source)
        items = []
        for item in self.columns:
            column = available[item.column]
            if item.as_ and item.as_ != column.name:
                scope.new_name(item.as_, "The new name")
            items.append(Renamed(column.name, item.as_ or column.name))
        columns = [replace(source.columns[item.column], name=item.as_) for item in items]
        new_names = {item.column: item.as_ for item in items}
        return Relation(
            operation=replace(self, columns=tuple(items)),
            handle=scope.handle,
            inputs=inputs,
            columns=collected(columns, f"Signature: {self.signature()}."),
            unique=tuple(frozenset(new_names[n] for n in key) for key in source.unique if key <= new_names.keys()),
            ordered=source.ordered,
            notes=tuple(available.notes),
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        return (Need(frozenset(item.column for item in self.columns if item.as_ in asked.columns), asked.ordered),)
