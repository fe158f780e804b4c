from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import EXPRESSION, HANDLE, argument
from agents.dsl.expressions import parse_predicate
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Relation, Scope


@dataclass(frozen=True)
class FilterExpr(RelationOperation):
    """The rows for which `predicate`, an expression over the columns, is true. The order stays."""

    name: ClassVar[str] = "filter_expr"
    example: ClassVar[str] = '''{"rel": "o", "predicate": "status = 'paid' AND total > 5"}'''

    rel: str = argument(HANDLE)
    predicate: str = argument(EXPRESSION)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        predicate = parse_predicate(self.predicate, source.columns, scope.dialect)
        return Relation(
            operation=self,
            handle=scope.handle,
            inputs=inputs,
            columns=source.columns,
            expressions=(predicate,),
            unique=source.unique,
            ordered=source.ordered,
            notes=predicate.notes,
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        (predicate,) = relation.expressions
        return (Need(asked.columns | set(predicate.columns), asked.ordered),)
