"""What a database holds: frozen values without any driver.

A `Catalogue` is a snapshot. Drivers build it (`drivers/*.py`), the Django side stores it as JSON,
the language resolves names in it, and the guard allows only the tables that it lists.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

DialectName = Literal["sqlite", "duckdb", "postgresql", "mysql"]

# The meaning of a column's type, the same over all dialects. "unknown" never refuses anything.
SemanticType = Literal[
    "integer", "decimal", "float", "boolean", "text", "enum", "uuid", "date", "time", "timestamp", "timestamptz",
    "interval", "bytes", "json", "array", "struct", "range", "network", "unknown",
]  # fmt: skip

TableKind = Literal["table", "view", "materialized view", "foreign table", "partitioned table"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column as the database declares it. `type` is the database's own spelling, e.g. `NUMERIC(10, 2)`."""

    name: str
    type: str
    semantic: SemanticType = "unknown"
    nullable: bool = True
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of this table point at `target_columns` of `target_table` (same length, same order)."""

    columns: tuple[str, ...]
    target_schema: str | None
    target_table: str
    target_columns: tuple[str, ...]

    @property
    def target(self) -> str:
        """The table that is pointed at, as `Catalogue.find` takes it."""
        return f"{self.target_schema}.{self.target_table}" if self.target_schema else self.target_table


@dataclass(frozen=True)
class Table:
    """A table or view. `schema` is None where the dialect has no schemas (SQLite)."""

    name: str
    schema: str | None = None
    kind: TableKind = "table"
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    row_estimate: int | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.columns}

    @property
    def qualified(self) -> str:
        """`schema.name`, or the name alone without a schema; for people, not for SQL."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def is_unique(self, columns: Iterable[str]) -> bool:
        """Whether at most one row can hold one combination of values in `columns`."""
        given = frozenset(columns)
        return any(key and given.issuperset(key) for key in (self.primary_key, *self.unique))


@dataclass(frozen=True)
class Catalogue:
    """A snapshot of the tables of one database.

    `default_schema` is where an unqualified name is looked up first; `warnings` tells what could not be read.
    """

    dialect: DialectName
    tables: tuple[Table, ...]
    default_schema: str | None = None
    server_version: str = ""
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        """Changes when a table, column, type or key does; row estimates and notes do not count."""
        rows = [{**table_to_json(table), "row_estimate": None} for table in self.tables]
        return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def _exact(self) -> Mapping[str, tuple[Table, ...]]:
        index: dict[str, list[Table]] = {}
        for table in self.tables:
            for spelling in {table.name, table.qualified}:
                index.setdefault(spelling, []).append(table)
        return {spelling: tuple(found) for spelling, found in index.items()}

    @cached_property
    def _folded(self) -> Mapping[str, tuple[Table, ...]]:
        index: dict[str, list[Table]] = {}
        for spelling, tables in self._exact.items():
            index.setdefault(spelling.casefold(), []).extend(tables)
        return {spelling: tuple(dict.fromkeys(found)) for spelling, found in index.items()}

    def candidates(self, name: str) -> tuple[Table, ...]:
        """Every table that is spelled `name` (`table` or `schema.table`), or else in another letter case. With a dot,
        these may be a table of a schema and one that has the dot in its own name."""
        return self._exact.get(name) or self._folded.get(name.casefold(), ())

    def find(self, name: str) -> tuple[Table, ...]:
        """Every table that `name` (`table` or `schema.table`) may mean: none, one, or several candidates.

        An exact spelling wins over another letter case; among several, the default schema wins.
        """
        found = self.candidates(name)
        if len(found) > 1:
            here = tuple(table for table in found if table.schema == self.default_schema)
            return here if len(here) == 1 else found
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "dialect": self.dialect, "tables": [table_to_json(table) for table in self.tables],
            "default_schema": self.default_schema, "server_version": self.server_version,
            "warnings": list(self.warnings), "notes": dict(self.notes),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Catalogue:
        return cls(
            dialect=data["dialect"],
            tables=tuple(table_from_json(table) for table in data["tables"]),
            default_schema=data.get("default_schema"),
            server_version=data.get("server_version", ""),
            warnings=tuple(data.get("warnings", ())),
            notes=dict(data.get("notes", {})),
        )


def table_to_json(table: Table) -> dict[str, Any]:
    """What `table_from_json` reads. Columns and keys are lists in the order of their fields: there are thousands."""
    return {
        "name": table.name, "schema": table.schema, "kind": table.kind,
        "columns": [[c.name, c.type, c.semantic, c.nullable, c.comment] for c in table.columns],
        "primary_key": list(table.primary_key), "unique": [list(key) for key in table.unique],
        "foreign_keys": [
            [list(k.columns), k.target_schema, k.target_table, list(k.target_columns)] for k in table.foreign_keys
        ],
        "comment": table.comment, "row_estimate": table.row_estimate,
    }  # fmt: skip


def table_from_json(data: Mapping[str, Any]) -> Table:
    return Table(
        name=data["name"], schema=data["schema"], kind=data["kind"],
        columns=tuple(Column(*column) for column in data["columns"]),
        primary_key=tuple(data["primary_key"]), unique=tuple(tuple(key) for key in data["unique"]),
        foreign_keys=tuple(
            ForeignKey(tuple(columns), schema, target, tuple(target_columns))
            for columns, schema, target, target_columns in data["foreign_keys"]
        ),
        comment=data["comment"], row_estimate=data["row_estimate"],
    )  # fmt: skip
