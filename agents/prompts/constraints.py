"""What a reply may be, as a JSON schema: for servers that let a model write nothing else.

Generated from the operations, the catalogue and the live handles, so a weak model cannot name what does not exist.
Handles and columns that a batch makes itself are known with the next turn; the new handles that it may give are
listed, so later calls of the same batch can use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from agents.dsl.arguments import BOOLEAN, SCALAR, Kind, name_in_call
from agents.dsl.operations import offered
from agents.dsl.operations.aggregate import Aggregation
from agents.dsl.operations.base import Operation, ProbeOperation
from agents.dsl.operations.execute import Execute
from agents.dsl.operations.join_table import PAIR
from agents.dsl.operations.order_by import ORDER_KEY
from agents.dsl.operations.select_columns import COLUMN
from agents.dsl.operations.window_column import WindowColumn
from agents.dsl.relation import Relation
from connections.catalogue import Catalogue, Table

Schema = dict[str, Any]

LONGEST_THOUGHT = 600
_TEXT: Schema = {"type": "string"}
_ALL_ROWS: Schema = {"const": "*"}


@dataclass(frozen=True, slots=True)
class Names:
    """All names that a call may use, and the handles that it may give."""

    tables: tuple[str, ...]
    columns: tuple[str, ...]
    handles: tuple[str, ...]
    new_handles: tuple[str, ...]

    @classmethod
    def of(cls, catalogue: Catalogue, shown: Iterable[str], handles: Mapping[str, Relation], calls: int) -> Names:
        """`shown` are the tables whose columns the model was told; those of others are known once they are live."""
        told = set(shown)
        columns = [c.name for table in catalogue.tables if table.qualified in told for c in table.columns]
        columns += [name for relation in handles.values() for name in relation.columns]
        fresh = (f"r{number}" for number in range(1, len(handles) + calls + 1))
        tables = dict.fromkeys(name for table in catalogue.tables for name in _names(table, catalogue))
        new = tuple(name for name in fresh if name not in handles)[:calls]
        return cls(tuple(tables), tuple(dict.fromkeys(columns)), tuple(handles), new)


def reply_schema(names: Names, results: int, *, calls: int = 8, paper_mode: bool = False) -> Schema:
    """A thought with at most `calls` calls, or with a final signal, which is offered from the first result on."""
    operations = [one for one in offered(paper_mode=paper_mode).values() if _can_be_written(one, names)]
    batch = _list({"anyOf": [_call(operation, names) for operation in operations]}, 1, calls)
    thought = {"type": "string", "maxLength": LONGEST_THOUGHT}
    ends: list[Schema] = [
        _object({"thought": thought, "final": _TEXT, "clarify": _object({"options": _list(_TEXT, 2, 5)})}),
        _object({"thought": thought, "final": _TEXT, "unanswerable": {"const": True}}),
    ]
    if results:
        ends.insert(0, _object({"thought": thought, "final": _TEXT}))
    return {"anyOf": [_object({"thought": thought, "calls": batch}), *ends]}


def _names(table: Table, catalogue: Catalogue) -> tuple[str, ...]:
    """What the table is called: by its bare name only where that means one table."""
    return (table.name, table.qualified) if len(catalogue.find(table.name)) == 1 else (table.qualified,)


def _can_be_written(operation: type[Operation], names: Names) -> bool:
    """Whether there are names for its arguments: a grammar would force a model to write one that is none."""
    kinds = [item.metadata["kind"] for item in fields(operation)]
    if any(kind.names == "table" for kind in kinds) and not names.tables:
        return False
    return bool(names.columns) or not any(_takes_columns(kind) for kind in kinds)


def _takes_columns(kind: Kind) -> bool:
    if kind in (PAIR, ORDER_KEY, COLUMN) or kind.names == "column" or kind.fields is not None:
        return True
    return kind.item is not None and _takes_columns(kind.item)


def _call(operation: type[Operation], names: Names) -> Schema:
    arguments = {name_in_call(item): _kind(item.metadata["kind"], names) for item in fields(operation)}
    required = [name_in_call(item) for item in fields(operation) if item.default is MISSING]
    if operation is WindowColumn:
        arguments["column"] = {"anyOf": [arguments["column"], _ALL_ROWS]}
    parts = {"op": {"const": operation.name}, "args": _object(arguments, required)}
    if issubclass(operation, ProbeOperation) or operation is Execute:
        return _object(parts)
    return _object({**parts, "out": _one_of(names.new_handles)})


def _kind(kind: Kind, names: Names) -> Schema:
    column = _one_of(names.columns)
    special: dict[Kind, Schema] = {
        PAIR: _list(column, 2, 2),
        ORDER_KEY: _list({"anyOf": [column, _one_of(("asc", "desc", "nulls_first", "nulls_last"))]}, 1, 3),
        COLUMN: {"anyOf": [column, _object({"column": column, "as": _TEXT})]},
        BOOLEAN: {"type": "boolean"},
        SCALAR: {"anyOf": [_TEXT, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]},
    }
    if kind in special:
        return special[kind]
    if kind.is_handle:
        return _one_of((*names.handles, *names.new_handles))
    if kind.options:
        return _one_of(kind.options)
    if kind.item is not None:
        return _list(_kind(kind.item, names), 0, None)
    if kind.fields is not None:
        return _record(kind.fields, names)
    if kind.names == "table":
        return _one_of(names.tables)
    if kind.names == "column":
        return column
    return {"type": "integer"} if kind.expects.startswith("a whole number") else _TEXT


def _record(cls: type[Any], names: Names) -> Schema:
    items: tuple[Field[Any], ...] = fields(cls)
    parts = {name_in_call(item): _kind(item.metadata["kind"], names) for item in items}
    required = [name_in_call(item) for item in items if item.default is MISSING]
    of_a_column = _object(parts, required)
    if cls is not Aggregation:
        return of_a_column
    of_all_rows = {"fn": {"const": "count"}, "column": _ALL_ROWS, "as": parts["as"], "filter": parts["filter"]}
    return {"anyOf": [of_a_column, _object(of_all_rows, required)]}


def _object(parts: Mapping[str, Schema], required: list[str] | None = None) -> Schema:
    return {"type": "object", "properties": dict(parts), "required": list(parts) if required is None else required,
            "additionalProperties": False}  # fmt: skip


def _list(item: Schema, least: int, most: int | None) -> Schema:
    return {"type": "array", "items": item, "minItems": least, **({} if most is None else {"maxItems": most})}


def _one_of(names: Iterable[str]) -> Schema:
    return {"enum": list(names)}
