"""The part of a catalogue that a question needs: chosen columns, and the keys on the way between their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agents.engine.misplaced import join_path
from connections.catalogue import Catalogue, ForeignKey, Table

Columns = Mapping[str, frozenset[str]]
"""Column names by qualified table name."""

Key = tuple[ForeignKey, str]  # and the qualified name of the table that it points at


def narrowed(catalogue: Catalogue, wanted: Columns) -> Catalogue:
    """The tables of `wanted` and those that lie on the way between them, in the catalogue's order. Of each table the
    wanted columns stay, its primary key, and what joins it to another table that stays."""
    chosen = [table for table in catalogue.tables if table.qualified in wanted]
    kept = [*chosen, *_between(chosen, catalogue)]
    within = {table.qualified: _keys_within(table, kept, catalogue) for table in kept}
    joining = _joining(kept, within)
    parts: dict[str, Table] = {}
    for table in kept:
        columns = joining[table.qualified] | wanted.get(table.qualified, frozenset())
        parts[table.qualified] = _part(table, columns, [key for key, _ in within[table.qualified]])
    return replace(catalogue, tables=tuple(parts[t.qualified] for t in catalogue.tables if t.qualified in parts))


def _between(chosen: Iterable[Table], catalogue: Catalogue) -> list[Table]:
    """Tables that are not chosen, but that a join of those that are has to pass through."""
    reached: dict[str, Table] = {}
    passed: dict[str, Table] = {}
    for table in chosen:
        path = join_path(reached.values(), table, catalogue) or []
        passed.update({step.qualified: step for step, _ in path})
        reached.update({step.qualified: step for step, _ in path})
        reached[table.qualified] = table
    names = {table.qualified for table in chosen}
    return [table for name, table in passed.items() if name not in names]


def _keys_within(table: Table, kept: Iterable[Table], catalogue: Catalogue) -> list[Key]:
    """The foreign keys of `table` that point at one of `kept`, each with that table's name."""
    names = {one.qualified for one in kept}
    targets = ((key, target.qualified) for key in table.foreign_keys for target in catalogue.find(key.target)[:1])
    return [(key, name) for key, name in targets if name in names]


def _joining(kept: Iterable[Table], within: Mapping[str, Iterable[Key]]) -> dict[str, set[str]]:
    """By table, the columns of its primary key and of the foreign keys `within` the part, on both sides."""
    joining = {table.qualified: set(table.primary_key) for table in kept}
    for name, keys in within.items():
        for key, target in keys:
            joining[name] |= set(key.columns)
            joining[target] |= set(key.target_columns)
    return joining


def _part(table: Table, columns: Iterable[str], keys: Iterable[ForeignKey]) -> Table:
    """`table` with only `columns` and `keys`."""
    stays = set(columns)
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name in stays),
        unique=tuple(names for names in table.unique if stays.issuperset(names)),
        foreign_keys=tuple(keys),
    )
