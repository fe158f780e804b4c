from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agents.dsl.arguments import EXPRESSION, HANDLE, NAME, Kind, UnfitError, argument, choice, list_of
from agents.dsl.expressions import parse_predicate
from agents.dsl.names import quoted
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Columns, Relation, RelColumn, Scope, collected
from agents.dsl.type_rules import check_comparable, meets_one
from agents.errors import InvalidArgumentError

Pair = tuple[str, str]


def _read_pair(value: Any) -> Pair:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise UnfitError
    return NAME.read(value[0]), NAME.read(value[1])


PAIR = Kind("[left column, right column]", _read_pair)


@dataclass(frozen=True)
class JoinTable(RelationOperation):
    """Left's columns, then right's. `how` is inner, left or cross; `on` is `[[left column, right column], …]`.

    A right column whose name exists on the left becomes `<right handle>_<name>`. `condition` is an expression over the
    columns of the result, put in ON; with it `on` may be `[]`. `cross` takes neither. The order is dropped. There is no
    right join: swap the two relations of a left join.
    """

    name: ClassVar[str] = "join_table"
    example: ClassVar[str] = '{"left": "o", "right": "c", "how": "inner", "on": [["customer_id", "id"]]}'

    left: str = argument(HANDLE)
    right: str = argument(HANDLE)
    how: str = argument(choice("inner", "left", "cross"))
    on: tuple[Pair, ...] = argument(list_of(PAIR), default=())
    condition: str | None = argument(EXPRESSION, default=None)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        if self.condition is not None and not self.condition.strip():  # of a model that fills in every argument
            return replace(self, condition=None).derive(inputs, scope)
        self._check_shape()
        left, right = inputs
        on, notes = self._resolve_pairs(left, right, scope)
        columns, renamed = self._columns(left, right, scope)
        found = collected(columns, f"Signature: {self.signature()}.")
        condition = self.condition and parse_predicate(self.condition, found, scope.dialect, argument="condition")
        expressions = (condition,) if condition else ()
        return Relation(
            operation=replace(self, on=on),
            handle=scope.handle,
            inputs=inputs,
            columns=found,
            expressions=expressions,
            unique=self._unique(left, right, on, found),
            notes=(*notes, *renamed, *(note for e in expressions for note in e.notes)),
        )

    def _check_shape(self) -> None:
        given = bool(self.on) or self.condition is not None
        if self.how == "cross" and given:
            raise InvalidArgumentError(
                f"A cross join takes neither 'on' nor 'condition'; use how 'inner' for them. "
                f"Signature: {self.signature()}."
            )
        if self.how != "cross" and not given:
            raise InvalidArgumentError(
                f"A join with how {self.how!r} needs 'on' ([[left column, right column], …]) or a 'condition'; use how "
                f"'cross' to pair every row with every row. Signature: {self.signature()}."
            )

    def _resolve_pairs(self, left: Relation, right: Relation, scope: Scope) -> tuple[tuple[Pair, ...], list[str]]:
        lefts, rights = Columns(left), Columns(right)
        pairs = []
        for left_name, right_name in self.on:
            one, other = lefts[left_name], rights[right_name]
            check_comparable(one, other, scope.dialect, self.signature())
            pairs.append((one.name, other.name))
        return tuple(pairs), [*lefts.notes, *rights.notes]

    def _columns(self, left: Relation, right: Relation, scope: Scope) -> tuple[list[RelColumn], list[str]]:
        taken = set(left.columns) | set(right.columns)
        columns, renamed = list(left.columns.values()), []
        for column in right.columns.values():
            name = column.name
            if name in left.columns:
                name = _free(f"{self.right}_{column.name}", taken, scope)
                taken.add(name)
                renamed.append(f"{quoted(column.name)} of {quoted(self.right)} is named {quoted(name)} here")
            nullable = column.nullable or self.how == "left"
            columns.append(replace(column, name=name, nullable=nullable))
        return columns, renamed

    def _unique(
        self, left: Relation, right: Relation, on: tuple[Pair, ...], columns: dict[str, RelColumn]
    ) -> tuple[frozenset[str], ...]:
        """A side's keys stay keys when each of its rows meets at most one row of the other side. Under a left join the
        right's do not: several rows may be padded with the same NULLs, where the right has one row at most."""
        new_names = dict(zip(right.columns, list(columns)[len(left.columns) :], strict=True))
        rights = tuple(frozenset(new_names[name] for name in key) for key in right.unique)
        left_stays = self.finds_one(left, right, on)
        right_stays = self.how != "left" and self.finds_one(right, left, tuple((other, one) for one, other in on))
        pairs = tuple(one | other for one in left.unique for other in rights)[:8]
        return (left.unique if left_stays else ()) + (rights if right_stays else ()) + pairs

    @staticmethod
    def finds_one(seeking: Relation, sought: Relation, on: tuple[Pair, ...]) -> bool:
        """Whether a row of `seeking` meets one row of `sought` at most, as far as is known. Pairs are (of `seeking`, of
        `sought`)."""
        telling = (b for a, b in on if meets_one(seeking.semantic_of(a), sought.semantic_of(b)))
        return sought.is_unique(frozenset(telling))

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        left, right = relation.inputs
        wanted = asked.columns | {name for e in relation.expressions for name in e.columns}
        names = list(relation.columns)
        right_names = dict(zip(names[len(left.columns) :], right.columns, strict=True))
        from_left = {name for name in wanted if name in left.columns} | {one for one, _ in self.on}
        from_right = {right_names[name] for name in wanted if name in right_names} | {other for _, other in self.on}
        return Need(frozenset(from_left)), Need(frozenset(from_right))


def _free(name: str, taken: set[str], scope: Scope) -> str:
    candidate, count = scope.generated_name(name), 1
    while candidate in taken:
        count += 1
        candidate = scope.generated_name(f"{name}_{count}")
    return candidate
