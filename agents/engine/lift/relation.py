"""What lifting knows of a relation: its columns, and facts that hold for its rows whatever the data.

The facts save operations. They are never guessed: an absent fact costs a step, a wrong one would cost rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from agents.engine.lift.naming import numbered_name
from connections.catalogue import DialectName, SemanticType, Table


@dataclass(frozen=True, slots=True)
class Field:
    """A column by its logical name."""

    name: str
    semantic: SemanticType = "unknown"
    nullable: bool = True
    collation: str = ""  # SQLite: how the column compares texts, "" for byte by byte

    @property
    def type(self) -> str:
        """The SQL type's text: not known."""
        return ""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Rows that agree on `given` agree on `then`."""

    given: frozenset[str]
    then: frozenset[str]


@dataclass(frozen=True)
class Relation:
    """A handle with its columns.

    `label` names what its rows are about, for handles made from it. `keys`: no two rows agree on one of them (an
    empty key: there is at most one row). `never_empty`: there is a row even over empty tables. `sorted_for`: the
    ORDER BY inside an aggregate for which the rows were sorted.
    """

    handle: str
    label: str
    fields: tuple[Field, ...]
    keys: frozenset[frozenset[str]] = frozenset()
    dependencies: tuple[Dependency, ...] = ()
    never_empty: bool = False
    ordered: bool = False
    sorted_for: str = ""

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        return {field.name: field for field in self.fields}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    @property
    def is_one_row(self) -> bool:
        return self.never_empty and frozenset() in self.keys

    def closure(self, given: Iterable[str]) -> frozenset[str]:
        """Every column that is the same for all rows that agree on `given`."""
        known = set(given)
        grew = True
        while grew:
            grew = False
            for rule in self.dependencies:
                if rule.given <= known and not rule.then <= known:
                    known |= rule.then
                    grew = True
        if any(key <= known for key in self.keys):
            known.update(self.names)
        return frozenset(known)

    def is_unique(self, columns: Iterable[str]) -> bool:
        """Whether no two rows agree on `columns`."""
        known = self.closure(columns)
        return any(key <= known for key in self.keys)

    def free_name(self, wanted: str) -> str:
        """`wanted`, or with a number behind it where a column has that name in any letter case."""
        taken = {name.casefold() for name in self.names}
        name, number = wanted, 1
        while name.casefold() in taken:
            number += 1
            name = numbered_name(wanted, number)
        return name

    def renamed(self, names: Mapping[str, str]) -> Relation:
        """The same rows under other column names; what is not in `names` keeps its own."""

        def new(columns: Iterable[str]) -> frozenset[str]:
            return frozenset(names.get(name, name) for name in columns)

        return replace(
            self,
            fields=tuple(replace(field, name=names.get(field.name, field.name)) for field in self.fields),
            keys=frozenset(new(key) for key in self.keys),
            dependencies=tuple(Dependency(new(rule.given), new(rule.then)) for rule in self.dependencies),
        )

    def with_field(self, field: Field, handle: str) -> Relation:
        return replace(self, handle=handle, fields=(*self.fields, field))


def relation_of(table: Table, handle: str, dialect: DialectName) -> Relation:
    """What the catalogue promises of `table`. SQLite lets several NULLs into a primary key of texts or of two columns:
    there it is a key only where no column of it may be NULL, but still what the other columns belong to."""
    known = {column.name for column in table.columns}
    unique = [frozenset(key) for key in (table.primary_key, *table.unique) if key and known.issuperset(key)]
    required = {column.name for column in table.columns if not column.nullable}
    if dialect != "sqlite":
        required |= set(table.primary_key)
    keys = frozenset(key for key in unique if key <= required)
    primary = frozenset(table.primary_key)
    determining = keys | ({primary} if primary in unique else frozenset())
    return Relation(
        handle=handle,
        label=table.name,
        fields=tuple(Field(c.name, c.semantic, c.nullable, _collation(c.type, dialect)) for c in table.columns),
        keys=keys,
        dependencies=tuple(Dependency(key, frozenset(known)) for key in determining),
    )


def _collation(type_name: str, dialect: DialectName) -> str:
    _, written, collation = type_name.upper().partition("COLLATE ")
    return collation.strip() if dialect == "sqlite" and written else ""
