from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, argument, integer
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Relation, Scope


@dataclass(frozen=True)
class Limit(RelationOperation):
    """The first `n` rows after skipping `offset` (0). Order first: without an order, which rows come is arbitrary."""

    name: ClassVar[str] = "limit"
    example: ClassVar[str] = '{"rel": "sorted", "n": 10}'

    rel: str = argument(HANDLE)
    n: int = argument(integer(0))
    offset: int = argument(integer(0), default=0)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        return Relation(
            operation=self,
            handle=scope.handle,
            inputs=inputs,
            columns=source.columns,
            unique=source.unique if self.n > 1 else (frozenset(),),
            ordered=source.ordered,
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        return (Need(asked.columns, relation.ordered),)
