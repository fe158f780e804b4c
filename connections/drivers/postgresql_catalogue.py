"""What a PostgreSQL database holds, from its system catalogues.

A handful of statements for the whole database, whatever its size: SQLAlchemy's reflection asks more and says less
(foreign and materialised tables, partitions, estimates, privileges).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import psycopg

from connections.catalogue import Catalogue, Column, ForeignKey, SemanticType, Table, TableKind
from connections.contracts import Progress, silent
from connections.types import semantic_type

KINDS: dict[str, TableKind] = {
    "r": "table", "v": "view", "m": "materialized view", "f": "foreign table", "p": "partitioned table",
}  # fmt: skip
LABELS_SHOWN = 30

# Partitions are left out (the parent stands for them), and so is what an extension brought along.
_RELATIONS = """
SELECT c.oid::int8, n.nspname::text, c.relname::text, c.relkind::text, c.reltuples::float8,
       COALESCE(d.description, ''), has_schema_privilege(n.oid, 'USAGE') AS inside,
       has_table_privilege(c.oid, 'SELECT') AS whole, has_any_column_privilege(c.oid, 'SELECT') AS partly
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  AND (%(schemas)s::text[] = '{}' OR n.nspname = ANY(%(schemas)s))
  AND NOT EXISTS (SELECT 1 FROM pg_depend e
                  WHERE e.objid = c.oid AND e.classid = 'pg_class'::regclass AND e.deptype = 'e')
ORDER BY n.nspname, c.relname
"""

_COLUMNS = """
SELECT a.attrelid::int8, a.attnum::int4, a.attname::text, format_type(a.atttypid, a.atttypmod),
       NOT (a.attnotnull OR t.typnotnull), COALESCE(d.description, ''), t.typtype::text,
       CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod) END, t.oid::int8,
       (SELECT b.typtype::text FROM pg_type b WHERE b.oid = t.typbasetype),
       a.attrelid = ANY(%(partly)s) AND NOT has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum
WHERE a.attrelid = ANY(%(oids)s) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
"""

_KEYS = """
SELECT i.indrelid::int8, i.indisprimary, (i.indkey::int2[])[0 : i.indnkeyatts - 1]
FROM pg_index i
WHERE i.indrelid = ANY(%(oids)s) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
ORDER BY i.indrelid, i.indexrelid
"""

_FOREIGN_KEYS = """
SELECT conrelid::int8, conkey, confrelid::int8, confkey FROM pg_constraint
WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY(%(oids)s) ORDER BY conrelid, oid
"""

_LABELS = """
SELECT enumtypid::int8, array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum GROUP BY enumtypid
"""

_PARTITION_ROWS = """
SELECT c.oid::int8, CASE WHEN BOOL_AND(l.reltuples < 0) THEN -1 ELSE SUM(GREATEST(l.reltuples, 0))::float8 END
FROM pg_class c CROSS JOIN LATERAL pg_partition_tree(c.oid) p JOIN pg_class l ON l.oid = p.relid
WHERE c.relkind = 'p' AND p.isleaf AND c.oid = ANY(%(oids)s) GROUP BY c.oid
"""

Names = Mapping[int, Mapping[int, str]]  # relation -> column number -> column name


def read_catalogue(
    connection: psycopg.Connection[Any], schemas: tuple[str, ...], progress: Progress = silent
) -> Catalogue:
    """All that the role may read in `schemas` (none given: in all but the system's own)."""
    progress("Reading tables")
    found = connection.execute(_RELATIONS, {"schemas": list(schemas)}).fetchall()
    relations = {row[0]: row for row in found if row[6] and row[8]}
    hidden = [f"{row[1]}.{row[2]}" for row in found if row[0] not in relations]
    partly = [oid for oid, row in relations.items() if not row[7]]
    scope = {"oids": list(relations), "partly": partly}
    progress(f"Reading columns of {len(relations):,} tables")
    columns, names, unreadable = _columns(connection, scope)
    closed = [f"{relations[oid][1]}.{relations[oid][2]}.{name}" for oid, name in unreadable]
    progress(f"Reading keys of {len(relations):,} tables")
    primary, unique = _keys(connection, scope, names)
    foreign = _foreign_keys(connection, scope, names, relations)
    estimates = dict(connection.execute(_PARTITION_ROWS, scope).fetchall())
    schema, version = _one(connection, "SELECT current_schema()::text, current_setting('server_version')")
    tables = tuple(
        Table(
            name=row[2], schema=row[1], kind=KINDS[row[3]], columns=tuple(columns[oid]), comment=row[5],
            primary_key=primary.get(oid, ()), unique=tuple(unique[oid]), foreign_keys=tuple(foreign[oid]),
            row_estimate=_estimate(row[3], estimates.get(oid, row[4])),
        )
        for oid, row in relations.items()
    )  # fmt: skip
    return Catalogue("postgresql", tables, schema, version, _warnings(hidden, closed, schemas, found))


def _columns(
    connection: psycopg.Connection[Any], scope: Mapping[str, Any]
) -> tuple[dict[int, list[Column]], dict[int, dict[int, str]], list[tuple[int, str]]]:
    """Columns by relation; all names by number (keys may use a column that cannot be read); what was left out."""
    labels = dict(connection.execute(_LABELS).fetchall())
    columns: dict[int, list[Column]] = defaultdict(list)
    names: dict[int, dict[int, str]] = defaultdict(dict)
    closed: list[tuple[int, str]] = []
    for row in connection.execute(_COLUMNS, scope):
        relation, number, name, type_name, nullable, comment, kind, base, oid, base_kind, unreadable = row
        names[relation][number] = name
        if unreadable:
            closed.append((relation, name))
            continue
        meaning: SemanticType = "enum" if "e" in (kind, base_kind) else semantic_type(base or type_name, "postgresql")
        if kind in ("r", "m", "c"):
            meaning = "struct" if kind == "c" else "range"
        words = "; ".join(part for part in (comment, _one_of(labels.get(oid))) if part)
        columns[relation].append(Column(name, type_name, meaning, nullable, words))
    return columns, names, closed


def _one_of(labels: list[str] | None) -> str:
    if not labels:
        return ""
    more = f" and {len(labels) - LABELS_SHOWN} more" if len(labels) > LABELS_SHOWN else ""
    return "one of: " + ", ".join(labels[:LABELS_SHOWN]) + more


def _keys(
    connection: psycopg.Connection[Any], scope: Mapping[str, Any], names: Names
) -> tuple[dict[int, tuple[str, ...]], dict[int, list[tuple[str, ...]]]]:
    primary: dict[int, tuple[str, ...]] = {}
    unique: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for relation, is_primary, numbers in connection.execute(_KEYS, scope):
        key = tuple(names[relation][number] for number in numbers if number in names[relation])
        if is_primary:
            primary[relation] = key
        elif len(key) == len(numbers):
            unique[relation].append(key)
    return primary, unique


def _foreign_keys(
    connection: psycopg.Connection[Any], scope: Mapping[str, Any], names: Names, relations: Mapping[int, Any]
) -> dict[int, list[ForeignKey]]:
    """Keys whose target can be read, too."""
    found: dict[int, list[ForeignKey]] = defaultdict(list)
    for relation, numbers, target, target_numbers in connection.execute(_FOREIGN_KEYS, scope):
        if target in relations:
            here = tuple(names[relation][number] for number in numbers)
            there = tuple(names[target][number] for number in target_numbers)
            found[relation].append(ForeignKey(here, relations[target][1], relations[target][2], there))
    return found


def _estimate(kind: str, rows: float) -> int | None:
    """What the last ANALYZE or VACUUM counted; -1 says that there was none."""
    return None if kind == "v" or rows < 0 else round(rows)


def _one(connection: psycopg.Connection[Any], sql: str) -> Any:
    return connection.execute(sql).fetchone()


def _warnings(
    hidden: list[str], closed: Iterable[str], schemas: tuple[str, ...], found: Iterable[Any]
) -> tuple[str, ...]:
    warnings = [f"{name} cannot be read by this role and is left out." for name in hidden]
    if columns := sorted(set(closed)):
        warnings.append(f"Columns that this role cannot read are left out: {', '.join(columns)}.")
    present = {row[1] for row in found}
    warnings += [f"The schema {name} holds no tables, or does not exist." for name in schemas if name not in present]
    return tuple(warnings)
