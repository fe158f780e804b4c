from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, argument
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Relation, Scope


@dataclass(frozen=True)
class Distinct(RelationOperation):
    """Each different row once, over all columns. The order is dropped."""

    name: ClassVar[str] = "distinct"
    example: ClassVar[str] = '{"rel": "cities"}'

    rel: str = argument(HANDLE)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        return Relation(
            operation=self,
            handle=scope.handle,
            inputs=inputs,
            columns=source.columns,
            unique=(*source.unique, frozenset(source.columns)),
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        return (Need(frozenset(relation.columns)),)
