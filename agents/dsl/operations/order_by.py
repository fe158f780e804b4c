from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from agents.dsl.arguments import HANDLE, NAME, Kind, UnfitError, argument, choice, list_of
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Columns, Relation, Scope

Nulls = Literal["", "first", "last"]


@dataclass(frozen=True, slots=True)
class OrderKey:
    """`nulls` is "" for the place that the dialect gives NULL by itself."""

    column: str
    descending: bool = False
    nulls: Nulls = ""


_DIRECTION = choice("asc", "desc")
_NULLS = choice("nulls_first", "nulls_last")


def _read_key(value: Any) -> OrderKey:
    if isinstance(value, str):
        return OrderKey(NAME.read(value))
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= 3:
        raise UnfitError
    descending = len(value) > 1 and _DIRECTION.read(value[1]) == "desc"
    nulls: Nulls = ""
    if len(value) == 3:
        nulls = "first" if _NULLS.read(value[2]) == "nulls_first" else "last"
    return OrderKey(NAME.read(value[0]), descending, nulls)


ORDER_KEY = Kind('[column, "asc" or "desc", optionally "nulls_first" or "nulls_last"]', _read_key)


@dataclass(frozen=True)
class OrderBy(RelationOperation):
    """The same rows in order. Each key is `[column, "asc"|"desc"]`, optionally with `"nulls_first"` or `"nulls_last"`.

    A later order_by replaces an earlier one. Without a NULL rule, NULL stands where the dialect puts it.
    """

    name: ClassVar[str] = "order_by"
    example: ClassVar[str] = '{"rel": "o", "keys": [["total", "desc"], ["id", "asc"]]}'

    rel: str = argument(HANDLE)
    keys: tuple[OrderKey, ...] = argument(list_of(ORDER_KEY, at_least=1))

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        available = Columns(source)
        keys = tuple(replace(key, column=available[key.column].name) for key in self.keys)
        return Relation(
            operation=replace(self, keys=keys),
            handle=scope.handle,
            inputs=inputs,
            columns=source.columns,
            unique=source.unique,
            ordered=True,
            notes=tuple(available.notes),
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        keys = {key.column for key in self.keys} if asked.ordered else set()
        return (Need(asked.columns | keys),)
