"""Decoys: tables that are added to a copy of a database to see whether a system is led astray (IESR, section B.4).

L1: tables whose columns have the names of others. L2: also look-alike tables, and links that are a second way to join.
L3: also tables that look right but break a rule: keys that repeat, foreign keys that are lost. What was there before is
not touched, so the gold queries stay right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from agents.evaluation.records import Record
from connections.catalogue import Catalogue, ForeignKey, Table
from connections.copies import changed_copy
from connections.drivers import driver_for

Level = Literal["L1", "L2", "L3"]
LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")

MOST_TABLES = 12
"""Tables of one database that get decoys, the first by name."""


def with_decoys(records: Sequence[Record], level: Level, folder: Path) -> list[Record]:
    """The records on copies in `folder` with decoys of `level`. Raises ConnectionFailedError for what is no SQLite."""
    copies: dict[str, str] = {}
    for record in records:
        if record.url not in copies:
            target = folder / level / f"{sha256(record.url.encode()).hexdigest()[:16]}.sqlite"
            statements = tuple(decoys(driver_for(record.url).catalogue(), level))
            copies[record.url] = changed_copy(record.url, target, statements)
    return [replace(record, url=copies[record.url]) for record in records]


def decoys(catalogue: Catalogue, level: Level) -> Iterator[str]:
    """The statements that make them, in SQLite's SQL. The same catalogue always gives the same statements."""
    taken = {table.name.casefold() for table in catalogue.tables}
    tables = sorted((t for t in catalogue.tables if t.kind == "table" and t.columns), key=lambda t: t.name)
    makers = (_misnamed, _alike, _broken)[: LEVELS.index(level) + 1]
    for table in tables[:MOST_TABLES]:
        for maker in makers:
            for name, select in maker(table):
                if name.casefold() not in taken:
                    taken.add(name.casefold())
                    yield f"CREATE TABLE {_quoted(name)} AS {select}"


def _misnamed(table: Table) -> Iterator[tuple[str, str]]:
    """The same subject, every column but the key under the name of the next."""
    names = [column.name for column in table.columns if column.name not in table.primary_key]
    if len(names) < 2:
        return
    kept = [_quoted(name) for name in table.primary_key]
    turned = [f"{_quoted(a)} AS {_quoted(b)}" for a, b in zip(names, [*names[1:], names[0]], strict=True)]
    yield f"{table.name}_details", f"SELECT {', '.join([*kept, *turned])} FROM {_quoted(table.name)}"


def _alike(table: Table) -> Iterator[tuple[str, str]]:
    """A table of nearly that name with half of the rows and columns that belong to nothing; a link for each key."""
    first = table.columns[0].name
    source = _numbered(table)
    columns = f"{_quoted(first)}, 'n/a' AS source_note, 0 AS revision"
    yield f"{table.name}_info", f'SELECT {columns} FROM {source} WHERE "row in decoy" % 2 = 0'
    for key in table.foreign_keys:
        columns = ", ".join(f"{_quoted(name)} AS {_quoted(f'{table.name}_{name}')}" for name in _ends(table, key))
        yield f"{table.name}_{key.target_table}_link", f'SELECT {columns} FROM {source} WHERE "row in decoy" % 3 > 0'


def _broken(table: Table) -> Iterator[tuple[str, str]]:
    """All columns and rows, a third of them twice, and every foreign key NULL in a fourth."""
    referring = {name for key in table.foreign_keys for name in key.columns}
    columns = ", ".join(
        f'CASE WHEN "row in decoy" % 4 > 0 THEN {_quoted(c.name)} END AS {_quoted(c.name)}'
        if c.name in referring
        else _quoted(c.name)
        for c in table.columns
    )
    select = f"SELECT {columns} FROM {_numbered(table)}"
    yield f"{table.name}_current", f'{select} UNION ALL {select} WHERE "row in decoy" % 3 = 0'


def _ends(table: Table, key: ForeignKey) -> list[str]:
    """The columns that a link holds: the table's own key, and what refers to the other table."""
    return list(dict.fromkeys((*table.primary_key, *key.columns)))


def _numbered(table: Table) -> str:
    """The rows of `table` with their numbers; not every table has a rowid."""
    return f'(SELECT *, ROW_NUMBER() OVER () AS "row in decoy" FROM {_quoted(table.name)})'


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
