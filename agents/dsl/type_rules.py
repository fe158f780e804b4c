"""Which types fit together, and what aggregates make of them. What is not known is never refused."""

from __future__ import annotations

from agents.dsl.names import quoted
from agents.dsl.relation import RelColumn
from agents.errors import TypeMismatchError
from connections.catalogue import DialectName, SemanticType

NUMERIC: frozenset[SemanticType] = frozenset({"integer", "decimal", "float"})
TEMPORAL: frozenset[SemanticType] = frozenset({"date", "timestamp", "timestamptz"})

_CLASS: dict[SemanticType, str] = {
    **dict.fromkeys(NUMERIC, "number"), **dict.fromkeys(TEMPORAL, "date or time"), "text": "text", "boolean": "boolean",
}  # fmt: skip
# These compare a text column with a number or a date only after a cast; the others convert by themselves.
_STRICT: frozenset[DialectName] = frozenset({"postgresql", "duckdb"})

# What sums, averages and spreads can be taken of. SQLite and MySQL keep booleans as numbers.
_SUMMABLE = NUMERIC | {"interval"}
_NOT_SUMMABLE: frozenset[SemanticType] = frozenset(
    {"text", "enum", "uuid", "bytes", "json", "array", "struct", "range", "network", "date", "timestamp", "timestamptz"}
)
_ARITHMETIC = frozenset({"sum", "avg", "median", "stddev", "variance"})


def meets_one(one: SemanticType, other: SemanticType) -> bool:
    """Whether a value of `one` equals one value of `other` at most: a number equals both texts '1' and '01', and
    a date, a time or a truth value may be written in several ways, too. What is not known may be text."""
    return other not in ("text", "unknown") or one in ("text", "enum", "unknown")


def is_comparable(one: SemanticType, other: SemanticType, dialect: DialectName) -> bool:
    """Whether columns of these types may be compared as they are."""
    left, right = _CLASS.get(one), _CLASS.get(other)
    if left is None or right is None or left == right:
        return True
    nonsense = {left, right} == {"number", "date or time"}
    return not nonsense and (dialect not in _STRICT or "boolean" in (left, right))


def check_comparable(one: RelColumn, other: RelColumn, dialect: DialectName, signature: str) -> None:
    """Refuse two columns of which the database could not compare any values. Raises TypeMismatchError."""
    if not is_comparable(one.semantic, other.semantic, dialect):
        raise TypeMismatchError(
            f"{_told(one)} and {_told(other)} cannot be compared: a {_CLASS[one.semantic]} and a "
            f"{_CLASS[other.semantic]}. Convert one of them first (derive_column with CAST). Signature: {signature}."
        )


def check_aggregate(fn: str, column: RelColumn, dialect: DialectName, signature: str) -> None:
    """Refuse arithmetic over what is no number. Raises TypeMismatchError."""
    refused = _NOT_SUMMABLE | ({"boolean"} if dialect == "postgresql" else set())
    if fn == "median" and dialect == "duckdb":
        refused = refused - TEMPORAL
    if fn in _ARITHMETIC and column.semantic in refused:
        raise TypeMismatchError(
            f"{fn} needs numbers, but {_told(column)} is {column.semantic}. Convert it first with derive_column, e.g. "
            f"expr {_conversion(column, dialect)}. Signature: {signature}."
        )


def aggregated(fn: str, column: RelColumn | None, name: str) -> RelColumn:
    """The column that aggregate `fn` makes of `column` (None: all rows)."""
    if fn in ("count", "count_distinct"):
        return RelColumn(name, semantic="integer", nullable=False)
    if fn == "string_agg":
        return RelColumn(name, semantic="text")
    if fn in ("min", "max", "any_value") and column is not None:
        return RelColumn(name, column.type, column.semantic)
    semantic: SemanticType = "unknown"
    if column is not None and column.semantic in _SUMMABLE:
        semantic = column.semantic
        if fn != "sum" and semantic == "integer":
            semantic = "decimal"
    return RelColumn(name, semantic=semantic)


def _told(column: RelColumn) -> str:
    return f"{quoted(column.name)} ({column.shown_type})" if column.shown_type else quoted(column.name)


def _conversion(column: RelColumn, dialect: DialectName) -> str:
    if column.semantic == "boolean":
        return f"CASE WHEN {quoted(column.name)} THEN 1 ELSE 0 END"
    quote = "`" if dialect == "mysql" else '"'
    name = quote + column.name.replace(quote, quote * 2) + quote
    target = {"sqlite": "REAL", "mysql": "DECIMAL(30, 6)"}.get(dialect, "NUMERIC")
    return f"CAST({name} AS {target})"
