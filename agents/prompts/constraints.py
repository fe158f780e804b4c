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
from agents.dsl.operations.base import Operation, ProbeOperation
from agents.dsl.operations.execute import Execute
from agents.dsl.operations.join_table import PAIR
from agents.dsl.operations.order_by import ORDER_KEY
from agents.dsl.operations.select_columns import COLUMN
from agents.dsl.relation import Relation
from connections.catalogue import Catalogue

Schema = dict[str, Any]

LONGEST_THOUGHT = 600
_TEXT: Schema = {"type": "string"}


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
        tables = dict.fromkeys(name for table in catalogue.tables for name in (table.name, table.qualified))
        new = tuple(name for name in fresh if name not in handles)[:calls]
        return cls(tuple(tables), tuple(dict.fromkeys(columns)), tuple(handles), new)


def reply_schema(names: Names, results: int, *, calls: int = 8, paper_mode: bool = False) -> Schema:
    """A thought with at most `calls` calls, or with a final signal, which is offered from the first result on."""
    operations = offered(paper_mode=paper_mode).values()
    batch = {"type": "array", "items": {"anyOf": [_call(operation, names) for operation in operations]},
             "minItems": 1, "maxItems": calls}  # fmt: skip
    thought = {"type": "string", "maxLength": LONGEST_THOUGHT}
    ends: list[Schema] = [
        _object({"thought": thought, "final": _TEXT, "clarify": _object({"options": _list(_TEXT, 2, 5)})}),
        _object({"thought": thought, "final": _TEXT, "unanswerable": {"const": True}}),
    ]
    if results:
        ends.insert(0, _object({"thought": thought, "final": _TEXT}))
    return {"anyOf": [_object({"thought": thought, "calls": batch}), *ends]}


def _call(operation: type[Operation], names: Names) -> Schema:
    arguments = {name_in_call(item): _kind(item.metadata["kind"], names) for item in fields(operation)}
    required = [name_in_call(item) for item in fields(operation) if item.default is MISSING]
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
        return {"anyOf": [column, {"const": "*"}]}
    return {"type": "integer"} if kind.expects.startswith("a whole number") else _TEXT


def _record(cls: type[Any], names: Names) -> Schema:
    items: tuple[Field[Any], ...] = fields(cls)
    parts = {name_in_call(item): _kind(item.metadata["kind"], names) for item in items}
    return _object(parts, [name_in_call(item) for item in items if item.default is MISSING])


def _object(parts: Mapping[str, Schema], required: list[str] | None = None) -> Schema:
    return {"type": "object", "properties": dict(parts), "required": list(parts) if required is None else required,
            "additionalProperties": False}  # fmt: skip


def _list(item: Schema, least: int, most: int | None) -> Schema:
    return {"type": "array", "items": item, "minItems": least, **({} if most is None else {"maxItems": most})}


def _one_of(names: Iterable[str]) -> Schema:
    """One of `names`; where there is none, nothing fits."""
    return {"enum": list(names) or ["(there is none yet)"]}
