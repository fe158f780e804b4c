"""What a DuckDB file holds, from its `duckdb_…()` functions (SQLAlchemy has no dialect for it that works)."""

from __future__ import annotations

from collections import defaultdict

import duckdb

from connections.catalogue import Catalogue, Column, ForeignKey, Table
from connections.contracts import Progress, silent
from connections.types import semantic_type

_TABLES = """
SELECT schema_name, table_name, 'table', estimated_size, COALESCE(comment, '')
FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal AND NOT temporary
UNION ALL
SELECT schema_name, view_name, 'view', NULL, COALESCE(comment, '')
FROM duckdb_views() WHERE database_name = current_database() AND NOT internal AND NOT temporary
ORDER BY 1, 2
"""

_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable, COALESCE(comment, '')
FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
ORDER BY schema_name, table_name, column_index
"""

_CONSTRAINTS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
FROM duckdb_constraints()
WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
ORDER BY schema_name, table_name, constraint_index
"""

Name = tuple[str, str]  # schema and table


def read_catalogue(
    connection: duckdb.DuckDBPyConnection, schemas: tuple[str, ...], progress: Progress = silent
) -> Catalogue:
    """The tables and views of `schemas` (none given: of all)."""
    progress("Reading columns")
    columns = _columns(connection)
    progress(f"Reading keys of {len(columns):,} tables")
    primary, unique, foreign = _keys(connection)
    tables, warnings = [], []
    for schema, name, kind, estimate, comment in connection.execute(_TABLES).fetchall():
        if schemas and schema not in schemas:
            continue
        if kind == "view" and (reason := _why_unreadable(connection, schema, name)):
            warnings.append(f"{schema}.{name} cannot be read and is left out: {reason}")
            continue
        key = (schema, name)
        tables.append(
            Table(
                name=name, schema=schema, kind=kind, columns=tuple(columns[key]), primary_key=primary.get(key, ()),
                unique=tuple(unique[key]), foreign_keys=tuple(foreign[key]), comment=comment, row_estimate=estimate,
            )
        )  # fmt: skip
    return Catalogue(
        "duckdb", tuple(tables), default_schema="main", server_version=duckdb.__version__, warnings=tuple(warnings)
    )


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[Name, list[Column]]:
    found: dict[Name, list[Column]] = defaultdict(list)
    for schema, table, name, type_name, nullable, comment in connection.execute(_COLUMNS).fetchall():
        column = Column(name, type_name, semantic_type(type_name, "duckdb"), nullable, comment)
        found[schema, table].append(column)
    return found


def _keys(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[dict[Name, tuple[str, ...]], dict[Name, list[tuple[str, ...]]], dict[Name, list[ForeignKey]]]:
    """A foreign key never leaves its schema in DuckDB."""
    primary: dict[Name, tuple[str, ...]] = {}
    unique: dict[Name, list[tuple[str, ...]]] = defaultdict(list)
    foreign: dict[Name, list[ForeignKey]] = defaultdict(list)
    for schema, table, kind, columns, target, target_columns in connection.execute(_CONSTRAINTS).fetchall():
        if kind == "PRIMARY KEY":
            primary[schema, table] = tuple(columns)
        elif kind == "UNIQUE":
            unique[schema, table].append(tuple(columns))
        else:
            foreign[schema, table].append(ForeignKey(tuple(columns), schema, target, tuple(target_columns)))
    return primary, unique, foreign


def _why_unreadable(connection: duckdb.DuckDBPyConnection, schema: str, view: str) -> str:
    """A view over a file or over a table that is gone."""
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in (schema, view))
    try:
        connection.execute(f"DESCRIBE SELECT * FROM {quoted}")
    except duckdb.Error as error:
        return str(error).split("\n\nLINE ")[0].strip()
    return ""
