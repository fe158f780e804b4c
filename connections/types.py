"""What a column's declared type means: from the database's own spelling to a `SemanticType`.

A type that is not listed is "unknown", which never refuses anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from connections.catalogue import DialectName, SemanticType

# Base names (lower case, without length, sign and array marks) that mean the same in every dialect.
COMMON: Mapping[str, SemanticType] = {
    "bigint": "integer", "int": "integer", "int2": "integer", "int4": "integer", "int8": "integer",
    "integer": "integer", "mediumint": "integer", "smallint": "integer", "tinyint": "integer", "year": "integer",
    "bigserial": "integer", "serial": "integer", "smallserial": "integer", "oid": "integer",
    "dec": "decimal", "decimal": "decimal", "fixed": "decimal", "numeric": "decimal", "number": "decimal",
    "double": "float", "double precision": "float", "float": "float", "float4": "float", "float8": "float",
    "real": "float",
    "bool": "boolean", "boolean": "boolean",
    "bpchar": "text", "char": "text", "character": "text", "character varying": "text", "citext": "text",
    "clob": "text", "longtext": "text", "mediumtext": "text", "name": "text", "nchar": "text", "nvarchar": "text",
    "string": "text", "text": "text", "tinytext": "text", "varchar": "text", "xml": "text",
    "enum": "enum", "uuid": "uuid", "date": "date",
    "time": "time", "time with time zone": "time", "time without time zone": "time", "timetz": "time",
    "datetime": "timestamp", "timestamp": "timestamp", "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz", "timestamptz": "timestamptz",
    "interval": "interval",
    "binary": "bytes", "blob": "bytes", "bytea": "bytes", "longblob": "bytes", "mediumblob": "bytes",
    "tinyblob": "bytes", "varbinary": "bytes",
    "json": "json", "jsonb": "json",
}  # fmt: skip

# What a dialect calls differently or on its own.
PARTICULAR: Mapping[DialectName, Mapping[str, SemanticType]] = {
    "sqlite": {},
    "duckdb": {
        "bignum": "integer", "hugeint": "integer", "uhugeint": "integer", "ubigint": "integer",
        "uinteger": "integer", "usmallint": "integer", "utinyint": "integer", "varint": "integer",
        "timestamp_s": "timestamp", "timestamp_ms": "timestamp", "timestamp_ns": "timestamp",
        "struct": "struct", "map": "struct", "list": "array", "bit": "unknown",
    },
    "postgresql": {
        "record": "struct", "inet": "network", "cidr": "network", "macaddr": "network", "macaddr8": "network",
        "int4range": "range", "int8range": "range", "numrange": "range", "daterange": "range", "tsrange": "range",
        "tstzrange": "range", "int4multirange": "range", "int8multirange": "range", "nummultirange": "range",
        "datemultirange": "range", "tsmultirange": "range", "tstzmultirange": "range", "xml": "unknown",
    },
    # TIMESTAMP is shown in the session's zone without an offset, so to a reader it has none; SET is a text list.
    "mysql": {"bit": "integer", "set": "text", "inet4": "network", "inet6": "network"},
}  # fmt: skip


def semantic_type(raw_type: str, dialect: DialectName) -> SemanticType:
    """The meaning of `raw_type`, e.g. `NUMERIC(10, 2)` is "decimal" and `text[]` is "array"."""
    lowered = " ".join(raw_type.strip().lower().split())
    if lowered.endswith("]"):
        return "array"
    base = base_name(lowered)
    return PARTICULAR[dialect].get(base) or COMMON.get(base) or _by_affinity(lowered, dialect)


def base_name(lowered: str) -> str:
    """`timestamp(3) with time zone` becomes `timestamp with time zone`, `int unsigned` becomes `int`."""
    head, _, rest = lowered.partition("(")
    tail = rest.rpartition(")")[2] if rest else ""
    words = [word for word in f"{head} {tail}".split() if word not in ("unsigned", "signed", "zerofill")]
    return " ".join(words)


def _by_affinity(lowered: str, dialect: DialectName) -> SemanticType:
    """SQLite's own rules for free spellings (https://www.sqlite.org/datatype3.html, 3.1), as far as they say much."""
    if dialect != "sqlite":
        return "unknown"
    if "int" in lowered:
        return "integer"
    if any(word in lowered for word in ("char", "clob", "text")):
        return "text"
    if "blob" in lowered:
        return "bytes"
    return "float" if any(word in lowered for word in ("real", "floa", "doub")) else "unknown"
