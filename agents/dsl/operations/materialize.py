from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, argument
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Relation, Scope


@dataclass(frozen=True)
class Materialize(RelationOperation):
    """The same rows, computed once and kept for the run: for an expensive relation that is read again.

    The order stays.
    """

    name: ClassVar[str] = "materialize"
    example: ClassVar[str] = '{"rel": "sums"}'
    resets_depth: ClassVar[bool] = True

    rel: str = argument(HANDLE)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        return Relation(
            operation=self,
            handle=scope.handle,
            inputs=inputs,
            columns=source.columns,
            unique=source.unique,
            ordered=source.ordered,
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        return (asked,)
