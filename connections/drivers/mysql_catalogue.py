"""What a MySQL or MariaDB server holds, from its `information_schema`. A schema is what MySQL calls a database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import pymysql

from connections.catalogue import Catalogue, Column, ForeignKey, Table, TableKind
from connections.contracts import Progress, silent
from connections.types import semantic_type

SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
KINDS: dict[str, TableKind] = {"BASE TABLE": "table", "SYSTEM VERSIONED": "table", "VIEW": "view"}

_TABLES = """
SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_ROWS, TABLE_COMMENT
FROM information_schema.TABLES WHERE {scope} ORDER BY TABLE_SCHEMA, TABLE_NAME
"""
_COLUMNS = """
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT, PRIVILEGES
FROM information_schema.COLUMNS WHERE {scope} ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
"""
_KEYS = """
SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME
FROM information_schema.STATISTICS WHERE NON_UNIQUE = 0 AND {scope}
ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
"""
_FOREIGN_KEYS = """
SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME,
       REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_NAME IS NOT NULL AND {scope}
ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
"""

Name = tuple[str, str]  # schema and table
Connection: TypeAlias = "pymysql.Connection[Any]"


def read_catalogue(connection: Connection, schemas: tuple[str, ...], progress: Progress = silent) -> Catalogue:
    """The tables of `schemas` that the user may read (none given: of all but the server's own)."""
    progress("Reading columns")
    columns, closed = _columns(connection, schemas)
    progress(f"Reading keys of {len(columns):,} tables")
    primary, unique = _keys(connection, schemas)
    foreign = _foreign_keys(connection, schemas)
    tables: list[Table] = []
    warnings: list[str] = []
    for schema, name, kind, rows, comment in _ask(connection, _TABLES, schemas):
        key = (schema, name)
        if kind not in KINDS:
            continue
        if kind == "VIEW" and "references invalid" in comment:
            warnings.append(f"{schema}.{name} cannot be read and is left out: {comment}")
        elif not columns[key]:
            warnings.append(f"{schema}.{name} cannot be read by this user and is left out.")
        else:
            tables.append(
                Table(
                    name=name, schema=schema, kind=KINDS[kind], columns=tuple(columns[key]),
                    primary_key=primary.get(key, ()), unique=tuple(unique[key]), foreign_keys=tuple(foreign[key]),
                    comment="" if kind == "VIEW" else comment, row_estimate=None if kind == "VIEW" else rows,
                )
            )  # fmt: skip
    if closed:
        warnings.append(f"Columns that this user cannot read are left out: {', '.join(sorted(closed))}.")
    ((current, version),) = _ask(connection, "SELECT DATABASE(), VERSION()", ())
    return Catalogue("mysql", tuple(tables), current, version, tuple(warnings))


def _ask(connection: Connection, sql: str, schemas: Sequence[str]) -> Iterable[Any]:
    names = schemas or SYSTEM
    marks = ", ".join(["%s"] * len(names))
    scope = f"TABLE_SCHEMA {'IN' if schemas else 'NOT IN'} ({marks})"
    with connection.cursor() as cursor:
        cursor.execute(sql.format(scope=scope), tuple(names) if "{scope}" in sql else None)
        return list(cursor.fetchall())


def _columns(connection: Connection, schemas: Sequence[str]) -> tuple[dict[Name, list[Column]], set[str]]:
    """Readable columns by table, and the names of the others."""
    found: dict[Name, list[Column]] = defaultdict(list)
    closed: set[str] = set()
    for schema, table, name, type_name, nullable, comment, privileges in _ask(connection, _COLUMNS, schemas):
        if "select" not in privileges.lower().split(","):
            closed.add(f"{table}.{name}")
            continue
        found[schema, table].append(
            Column(name, type_name, semantic_type(type_name, "mysql"), nullable == "YES", comment)
        )
    return found, closed


def _keys(
    connection: Connection, schemas: Sequence[str]
) -> tuple[dict[Name, tuple[str, ...]], dict[Name, list[tuple[str, ...]]]]:
    """Primary and unique keys; one over an expression has no column name and proves nothing about columns."""
    parts: dict[tuple[str, str, str], list[str | None]] = defaultdict(list)
    for schema, table, index, column in _ask(connection, _KEYS, schemas):
        parts[schema, table, index].append(column)
    primary: dict[Name, tuple[str, ...]] = {}
    unique: dict[Name, list[tuple[str, ...]]] = defaultdict(list)
    for (schema, table, index), names in parts.items():
        key = tuple(name for name in names if name is not None)
        if index == "PRIMARY":
            primary[schema, table] = key
        elif len(key) == len(names):
            unique[schema, table].append(key)
    return primary, unique


def _foreign_keys(connection: Connection, schemas: Sequence[str]) -> dict[Name, list[ForeignKey]]:
    parts: dict[tuple[str, str, str], list[tuple[str, str, str, str]]] = defaultdict(list)
    for schema, table, constraint, *rest in _ask(connection, _FOREIGN_KEYS, schemas):
        parts[schema, table, constraint].append(tuple(rest))
    found: dict[Name, list[ForeignKey]] = defaultdict(list)
    for (schema, table, _), rows in parts.items():
        here, there = tuple(row[0] for row in rows), tuple(row[3] for row in rows)
        found[schema, table].append(ForeignKey(here, rows[0][1], rows[0][2], there))
    return found
