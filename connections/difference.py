"""What changed between two catalogues of the same database, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from connections.catalogue import Catalogue, Column, Table

# Of a schema that was replaced as a whole, the names of the first ones say enough.
NAMED = 100
CHANGES_OF_A_TABLE = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """Qualified names of tables; of those in both catalogues, what is another now. All complete."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[tuple[str, tuple[str, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        """The counts, and of each kind the first NAMED."""
        return {
            "counts": {"added": len(self.added), "removed": len(self.removed), "changed": len(self.changed)},
            "added": list(self.added[:NAMED]), "removed": list(self.removed[:NAMED]),
            "changed": [[name, _first(words)] for name, words in self.changed[:NAMED]],
        }  # fmt: skip


def _first(words: Sequence[str]) -> list[str]:
    """The first CHANGES_OF_A_TABLE, and how many more there are."""
    more = len(words) - CHANGES_OF_A_TABLE
    return [*words[:CHANGES_OF_A_TABLE], *([f"and {more:,} more"] if more > 0 else [])]


def difference(before: Catalogue, after: Catalogue) -> Difference:
    """Row estimates do not count, as they always move."""
    old = {table.qualified: table for table in before.tables}
    new = {table.qualified: table for table in after.tables}
    both = ((name, tuple(_changes(old[name], table))) for name, table in new.items() if name in old)
    return Difference(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        changed=tuple((name, words) for name, words in both if words),
    )


def _changes(old: Table, new: Table) -> Iterator[str]:
    if old.kind != new.kind:
        yield f"was a {old.kind}, is a {new.kind}"
    yield from (f"{column.name} is gone" for column in old.columns if column.name not in new.by_name)
    for column in new.columns:
        yield from _column_changes(old.by_name.get(column.name), column)
    if old.primary_key != new.primary_key:
        yield f"primary key is ({', '.join(new.primary_key)})" if new.primary_key else "has no primary key any more"
    if old.unique != new.unique:
        yield "other unique keys"
    if old.foreign_keys != new.foreign_keys:
        yield "other references"
    if old.comment != new.comment:
        yield "another comment"
    if old.columns != new.columns and set(old.columns) == set(new.columns):
        yield "columns in another order"


def _column_changes(old: Column | None, new: Column) -> Iterator[str]:
    if old is None:
        yield f"{new.name} is new ({new.type})"
        return
    if old.type != new.type:
        yield f"{new.name} was {old.type}, is {new.type}"
    if old.nullable != new.nullable:
        yield f"{new.name} may {'now' if new.nullable else 'no longer'} be NULL"
    if old.comment != new.comment:
        yield f"{new.name} has another comment"
