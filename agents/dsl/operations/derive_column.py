from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import EXPRESSION, HANDLE, NEW_NAME, argument
from agents.dsl.expressions import parse_scalar
from agents.dsl.names import listed, quoted
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Relation, RelColumn, Scope, collected
from agents.errors import DuplicateColumnError


@dataclass(frozen=True)
class DeriveColumn(RelationOperation):
    """All columns plus `name`, computed from the others by the expression `expr`. The order stays."""

    name: ClassVar[str] = "derive_column"
    example: ClassVar[str] = '{"rel": "o", "name": "net", "expr": "total / 1.2"}'

    rel: str = argument(HANDLE)
    name_: str = argument(NEW_NAME)
    expr: str = argument(EXPRESSION)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        name = check_new(self.name_, source, scope, self.signature())
        expression = parse_scalar(self.expr, source.columns, scope.dialect)
        # PostgreSQL makes of a text by itself what its reader wants, such as a date.
        undecided = scope.dialect == "postgresql" and expression.is_quoted_text
        semantic = "unknown" if undecided else expression.semantic
        column = RelColumn(name, expression.type, semantic, expression.nullable)
        return Relation(
            operation=self,
            handle=scope.handle,
            inputs=inputs,
            columns=collected([*source.columns.values(), column], f"Signature: {self.signature()}."),
            expressions=(expression,),
            unique=source.unique,
            ordered=source.ordered,
            notes=expression.notes,
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        (expression,) = relation.expressions
        used = expression.columns if self.name_ in asked.columns else ()
        return (Need((asked.columns - {self.name_}) | set(used), asked.ordered),)


def check_new(name: str, source: Relation, scope: Scope, signature: str) -> str:
    """`name`, if no column of `source` has it. Raises DuplicateColumnError or InvalidArgumentError."""
    if name in source.columns:
        raise DuplicateColumnError(
            f"There is a column {quoted(name)} already; choose another name. "
            f"Columns: {listed(source.columns)}. Signature: {signature}."
        )
    return scope.new_name(name, "The name of the new column")
