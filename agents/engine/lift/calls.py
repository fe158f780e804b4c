"""Which function calls are aggregates: their names, and where they stand in an expression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from agents.engine.lift.query import Node
from connections.allowed import AGGREGATES, UNIT_FIRST
from connections.catalogue import DialectName

_SET_RETURNING: Mapping[str, frozenset[str]] = {
    "postgresql": frozenset({
        "generate_series", "generate_subscripts", "unnest", "regexp_split_to_table", "regexp_matches",
        "string_to_table", "json_array_elements", "json_array_elements_text", "jsonb_array_elements",
        "jsonb_array_elements_text", "json_each", "json_each_text", "jsonb_each", "jsonb_each_text",
        "json_object_keys", "jsonb_object_keys", "jsonb_path_query",
    }),
    "duckdb": frozenset({"unnest"}),
}  # fmt: skip
_AROUND_CALL = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)


def call_name(node: Node) -> str:
    """The lower-case name of a function call, "" when `node` is none."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return "group_concat" if isinstance(node, exp.GroupConcat) else ""


def is_unit(word: exp.Column) -> bool:
    """Whether `word` is the unit of a call such as TIMESTAMPDIFF(HOUR, …), and so no column."""
    call = word.parent
    return call is not None and call_name(call) in UNIT_FIRST and call.expressions[0] is word


def gives_rows(node: Node, dialect: DialectName) -> bool:
    """Whether `node` calls a function that makes rows of its own: no operation does."""
    return call_name(node) in _SET_RETURNING.get(dialect, frozenset())


def is_aggregate(node: Node, dialect: DialectName) -> bool:
    """Whether `node` is an aggregate call, with its FILTER or WITHIN GROUP around it.

    SQLite's `min` and `max` of several arguments are scalar.
    """
    if isinstance(node, exp.Filter | exp.WithinGroup):
        return is_aggregate(node.this, dialect)
    name = call_name(node)
    if name in ("min", "max") and len(node.expressions) != 1:
        return False
    return name in AGGREGATES[dialect]


def aggregates_of(node: Node, dialect: DialectName) -> Iterator[Node]:
    """The outermost aggregate calls in `node`; a window function is none, but its arguments may hold some."""
    if isinstance(node, exp.Window):
        call = node.this
        while isinstance(call, _AROUND_CALL):
            call = call.this
        inside = [part for part in node.iter_expressions() if part is not node.this]
        for part in [*call.iter_expressions(), *inside]:
            yield from aggregates_of(part, dialect)
    elif is_aggregate(node, dialect):
        yield node
    else:
        for part in node.iter_expressions():
            yield from aggregates_of(part, dialect)


def is_windowed(node: Node) -> bool:
    """Whether `node` is the call, with its FILTER, that a window function makes: over a window it is no aggregate."""
    while isinstance(node.parent, _AROUND_CALL) and node.arg_key == "this":
        node = node.parent
    return isinstance(node.parent, exp.Window) and node.arg_key == "this"


def has_aggregate(node: Node, dialect: DialectName) -> bool:
    return next(aggregates_of(node, dialect), None) is not None


def has_window(node: Node) -> bool:
    return node.find(exp.Window) is not None
