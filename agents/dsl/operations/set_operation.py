from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from agents.dsl.arguments import HANDLE, argument, choice
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Relation, RelColumn, Scope
from agents.dsl.type_rules import check_comparable
from agents.errors import InvalidArgumentError


@dataclass(frozen=True)
class SetOperation(RelationOperation):
    """The rows of both (`union_all`), without repeats (`union`), in both (`intersect`), or only in left (`except`).

    Columns are matched by position and named as on the left; the order is dropped. Without it, two relations could not
    be put under one another when none at hand has two rows.
    """

    name: ClassVar[str] = "set_operation"
    example: ClassVar[str] = '{"left": "a", "right": "b", "kind": "union"}'
    extension: ClassVar[bool] = True

    left: str = argument(HANDLE)
    right: str = argument(HANDLE)
    kind: str = argument(choice("union", "union_all", "intersect", "except"))

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        left, right = inputs
        if len(left.columns) != len(right.columns):
            raise InvalidArgumentError(
                f"{self.left} has {len(left.columns)} columns and {self.right} has {len(right.columns)}; "
                f"a set_operation needs as many on both sides. Signature: {self.signature()}."
            )
        columns = {}
        for one, other in zip(left.columns.values(), right.columns.values(), strict=True):
            if scope.dialect == "postgresql":  # the others put values of any types into one column
                check_comparable(one, other, scope.dialect, self.signature())
            columns[one.name] = _merged(one, other)
        return Relation(
            operation=self,
            handle=scope.handle,
            inputs=inputs,
            columns=columns,
            unique=() if self.kind == "union_all" else (frozenset(columns),),
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        left, right = relation.inputs
        if self.kind != "union_all":
            return Need(frozenset(left.columns)), Need(frozenset(right.columns))
        kept = [name in asked.columns for name in relation.columns]
        right_names = [name for name, keep in zip(right.columns, kept, strict=True) if keep]
        return Need(asked.columns), Need(frozenset(right_names))


def _merged(one: RelColumn, other: RelColumn) -> RelColumn:
    same = one.semantic == other.semantic
    return replace(
        one,
        type=one.type if one.type == other.type else "",
        semantic=one.semantic if same else "unknown",
        nullable=one.nullable or other.nullable,
        origin=one.origin if one.origin == other.origin else None,
    )
