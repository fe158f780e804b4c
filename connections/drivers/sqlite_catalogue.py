"""What a SQLite file holds, read with PRAGMA over a connection that has no authorizer yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from connections.catalogue import Catalogue, Column, ForeignKey, Table, TableKind
from connections.contracts import Progress, silent
from connections.types import semantic_type

KINDS: dict[str, TableKind] = {"table": "table", "virtual": "table", "view": "view"}
# table_xinfo, column "hidden": 1 is a hidden column of a virtual table; 2 and 3 are generated columns.
HIDDEN = 1


@dataclass(frozen=True, slots=True)
class _Unreadable:
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} cannot be read and is left out: {self.reason}"


def read_catalogue(connection: sqlite3.Connection, progress: Progress = silent) -> Catalogue:
    """Tables, views and virtual tables; shadow tables of full-text search and SQLite's own tables are left out."""
    progress("Reading tables")
    estimates = _statistics(connection)
    found = [_table(connection, name, kind, estimates) for name, kind in _names(connection)]
    return Catalogue(
        dialect="sqlite",
        tables=tuple(table for table in found if isinstance(table, Table)),
        server_version=sqlite3.sqlite_version,
        warnings=tuple(str(table) for table in found if isinstance(table, _Unreadable)),
    )


def _names(connection: sqlite3.Connection) -> Iterator[tuple[str, TableKind]]:
    for schema, name, kind, *_ in sorted(connection.execute("PRAGMA table_list").fetchall()):
        if schema == "main" and kind in KINDS and not name.lower().startswith("sqlite_"):
            yield name, KINDS[kind]


def _table(
    connection: sqlite3.Connection, name: str, kind: TableKind, estimates: dict[str, int]
) -> Table | _Unreadable:
    table = quoted(name)
    try:
        rows = connection.execute(f"PRAGMA main.table_xinfo({table})").fetchall()
        connection.execute(f"SELECT 1 FROM main.{table} LIMIT 0")
        collations = _collations(connection, name)
        return Table(
            name=name,
            kind=kind,
            columns=tuple(_column(row, _is_rowid(row, rows), collations) for row in rows if row[6] != HIDDEN),
            primary_key=tuple(row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5]),
            unique=_unique(connection, table),
            foreign_keys=_foreign_keys(connection, table),
            row_estimate=None if kind == "view" else estimates.get(name, _highest_rowid(connection, table)),
        )
    except sqlite3.DatabaseError as error:
        return _Unreadable(name, str(error))


_Row = tuple[int, str, str, int, str | None, int, int]


def _is_rowid(row: _Row, rows: Sequence[_Row]) -> bool:
    """Whether the column is another name of the rowid: only such a primary key is never NULL by itself."""
    return bool(row[5]) and row[2].upper() == "INTEGER" and sum(bool(other[5]) for other in rows) == 1


def _column(row: _Row, is_rowid: bool, collations: Mapping[str, str]) -> Column:
    _, name, declared, not_null, *_ = row
    return Column(
        name=name,
        type=f"{declared} COLLATE {collations[name]}".strip() if name in collations else declared,
        semantic=semantic_type(declared, "sqlite"),
        nullable=not not_null and not is_rowid,
    )


def _collations(connection: sqlite3.Connection, name: str) -> Mapping[str, str]:
    """The columns that compare texts in another way than byte by byte, which no PRAGMA tells of a table.

    An index takes the collation of its columns over, so one is made on an empty copy.
    """
    row = connection.execute("SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    made = str(row[0] or "") if row is not None else ""
    if "COLLATE" not in made.upper() or not made.upper().startswith("CREATE TABLE"):
        return {}
    with closing(sqlite3.connect(":memory:")) as copy:
        try:
            copy.execute(made)
            columns = ", ".join(quoted(column[1]) for column in copy.execute(f"PRAGMA table_info({quoted(name)})"))
            copy.execute(f"CREATE INDEX collations ON {quoted(name)} ({columns})")
            found = copy.execute("PRAGMA index_xinfo(collations)").fetchall()
        except sqlite3.DatabaseError:  # a collation of the application's own, with which nothing can be compared here
            return {}
    return {column: collation for _, _, column, _, collation, *_ in found if column and collation != "BINARY"}


def _unique(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], ...]:
    """Unique indexes over plain columns; a partial index or one over an expression proves nothing."""
    keys = []
    for _, index, unique, origin, partial in connection.execute(f"PRAGMA main.index_list({table})").fetchall():
        if unique and not partial and origin != "pk":
            rows = connection.execute(f"PRAGMA main.index_info({quoted(index)})").fetchall()
            if all(row[2] is not None for row in rows):
                keys.append(tuple(row[2] for row in rows))
    return tuple(sorted(keys))


def _foreign_keys(connection: sqlite3.Connection, table: str) -> tuple[ForeignKey, ...]:
    """A key that names no target column points at the primary key of its target."""
    parts: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, _, target, column, target_column, *_ in connection.execute(
        f"PRAGMA main.foreign_key_list({table})"
    ).fetchall():
        parts.setdefault(number, []).append((target, column, target_column))
    return tuple(_foreign_key(connection, rows) for _, rows in sorted(parts.items()))


def _foreign_key(connection: sqlite3.Connection, rows: list[tuple[str, str, str | None]]) -> ForeignKey:
    target = rows[0][0]
    named = tuple(row[2] for row in rows if row[2] is not None)
    if len(named) < len(rows):
        info = connection.execute(f"PRAGMA main.table_info({quoted(target)})").fetchall()
        named = tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5])
    return ForeignKey(tuple(row[1] for row in rows), None, target, named)


def _statistics(connection: sqlite3.Connection) -> dict[str, int]:
    """Row counts that ANALYZE left behind."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'").fetchone():
        return {}
    rows = connection.execute("SELECT tbl, stat FROM sqlite_stat1 WHERE stat IS NOT NULL").fetchall()
    return {table: int(stat.split()[0]) for table, stat in rows if str(stat).split()[:1] and stat.split()[0].isdigit()}


def _highest_rowid(connection: sqlite3.Connection, table: str) -> int | None:
    """An upper bound that costs one look into the tree; tables WITHOUT ROWID and most virtual ones have none."""
    try:
        (highest,) = connection.execute(f"SELECT MAX(rowid) FROM main.{table}").fetchone()
    except sqlite3.DatabaseError:
        return None
    return highest if isinstance(highest, int) and highest >= 0 else 0 if highest is None else None


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
