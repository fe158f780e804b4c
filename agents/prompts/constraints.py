"""What a reply may be, as a JSON schema: for servers that let a model write nothing else.

Generated from the operations, the catalogue and the live handles, so a weak model cannot name what does not exist: each
handle comes with its own columns. A small model uses what a batch makes from the next turn on. A capable one may go on
in the same batch with the handles that it gives there; their columns are known with the next turn, so until then any
column may be written that it was told of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from itertools import product
from typing import Any

from agents.dsl.arguments import BOOLEAN, SCALAR, Kind, name_in_call
from agents.dsl.operations import offered
from agents.dsl.operations.aggregate import Aggregation
from agents.dsl.operations.base import Operation, ProbeOperation
from agents.dsl.operations.execute import Execute
from agents.dsl.operations.join_table import PAIR
from agents.dsl.operations.order_by import ORDER_KEY
from agents.dsl.operations.select_columns import COLUMN
from agents.dsl.operations.table_ref import TableRef
from agents.dsl.operations.window_column import WindowColumn
from agents.dsl.relation import Relation
from connections.catalogue import Catalogue, Table

Schema = dict[str, Any]

LONGEST_THOUGHT = 600
MOST_GROUPS = 8
"""So many sets of columns are told apart by their handles (a join takes two). The oldest ones become one set."""

_TEXT: Schema = {"type": "string"}
_ALL_ROWS: Schema = {"const": "*"}
_DIRECTIONS = ("asc", "desc")
_NULLS = ("nulls_first", "nulls_last")


@dataclass(frozen=True, slots=True)
class Names:
    """All names that a call may use, and the handles that it may give. `relations` are the columns by handle."""

    tables: tuple[str, ...]
    relations: Mapping[str, tuple[str, ...]]
    new_handles: tuple[str, ...]

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        shown: Iterable[str],
        handles: Mapping[str, Relation],
        calls: int,
        *,
        step_by_step: bool = False,
    ) -> Names:
        """`shown` are the tables whose columns the model was told; those of others are known once they are live.

        `step_by_step`: what a call makes can be used from the next turn on, and a table that is live already is not
        offered once more (it can be joined with itself): small models open the same one for ever.
        """
        relations = {handle: tuple(relation.columns) for handle, relation in handles.items()}
        fresh = (f"r{number}" for number in range(1, len(handles) + calls + 1))
        new = tuple(name for name in fresh if name not in handles)[:calls]
        if not step_by_step:
            told = set(shown)
            columns = [c.name for table in catalogue.tables if table.qualified in told for c in table.columns]
            columns += [name for known in relations.values() for name in known]
            relations |= dict.fromkeys(new, tuple(dict.fromkeys(columns)))
        live = {one.operation.table for one in handles.values() if isinstance(one.operation, TableRef)}
        offered_tables = [table for table in catalogue.tables if not (step_by_step and table.qualified in live)]
        tables = dict.fromkeys(name for table in offered_tables for name in _names(table, catalogue))
        return cls(tuple(tables), relations, new)

    def groups(self) -> list[Group]:
        """Handles that have the same columns."""
        found: dict[tuple[str, ...], list[str]] = {}
        for handle, columns in self.relations.items():
            found.setdefault(columns, []).append(handle)
        groups = [Group(tuple(handles), columns) for columns, handles in found.items()]
        while len(groups) > MOST_GROUPS:
            first, second, *others = groups
            columns = tuple(dict.fromkeys(first.columns + second.columns))
            groups = [Group(first.handles + second.handles, columns), *others]
        return groups


@dataclass(frozen=True, slots=True)
class Group:
    """Handles of relations, and the columns that they have."""

    handles: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """What one argument that takes a handle may be, and the columns that go with it: None where none is known."""

    handle: Schema
    column: Schema | None


def reply_schema(names: Names, results: int, *, calls: int = 8, paper_mode: bool = False) -> Schema:
    """A thought with at most `calls` calls, or with a final signal, which is offered from the first result on.

    The other two ends begin with what they are: a model that means to answer must not find itself refusing.
    """
    groups = names.groups()
    definitions = {f"columns_{n}": _one_of(group.columns) for n, group in enumerate(groups) if group.columns}
    sources = [
        Source(_one_of(group.handles), {"$ref": f"#/$defs/columns_{n}"} if group.columns else None)
        for n, group in enumerate(groups)
    ]
    operations = offered(paper_mode=paper_mode).values()
    offers = [one for operation in operations for one in _calls(operation, names, sources)]
    thought = {"type": "string", "maxLength": LONGEST_THOUGHT}
    replies: list[Schema] = [
        _object({"thought": thought, "clarify": _object({"options": _list(_TEXT, 2, 5)}), "final": _TEXT}),
        _object({"thought": thought, "unanswerable": {"const": True}, "final": _TEXT}),
    ]
    if results:
        replies.insert(0, _object({"thought": thought, "final": _TEXT}))
    if offers:
        replies.insert(0, _object({"thought": thought, "calls": _list({"anyOf": offers}, 1, calls)}))
    return {"anyOf": replies, "$defs": definitions}


def _names(table: Table, catalogue: Catalogue) -> tuple[str, ...]:
    """What the table is called: by its bare name only where that means one table."""
    return (table.name, table.qualified) if len(catalogue.find(table.name)) == 1 else (table.qualified,)


def _calls(operation: type[Operation], names: Names, sources: list[Source]) -> Iterator[Schema]:
    """The operation once for each choice of sources whose columns it takes, and once if it takes none."""
    kinds = [item.metadata["kind"] for item in fields(operation)]
    if any(kind.names == "table" for kind in kinds) and not names.tables:
        return  # a grammar would force a model to write a name that is none
    taken = sum(kind.is_handle for kind in kinds)
    if not any(_takes_columns(kind) for kind in kinds):
        if names.relations or not taken:
            yield _call(operation, names, (Source(_one_of(names.relations), None),) * taken)
        return
    for chosen in product([one for one in sources if one.column], repeat=taken):
        yield _call(operation, names, chosen)


def _takes_columns(kind: Kind) -> bool:
    if kind in (PAIR, ORDER_KEY, COLUMN) or kind.names == "column" or kind.fields is not None:
        return True
    return kind.item is not None and _takes_columns(kind.item)


def _call(operation: type[Operation], names: Names, sources: Sequence[Source]) -> Schema:
    handles = iter(sources)
    arguments = {
        name_in_call(item): next(handles).handle if kind.is_handle else _kind(kind, names, sources)
        for item in fields(operation) for kind in (item.metadata["kind"],)
    }  # fmt: skip
    required = [name_in_call(item) for item in fields(operation) if item.default is MISSING]
    if operation is WindowColumn:
        arguments["column"] = {"anyOf": [arguments["column"], _ALL_ROWS]}
    parts = {"op": {"const": operation.name}, "args": _object(arguments, required)}
    if issubclass(operation, ProbeOperation) or operation is Execute:
        return _object(parts)
    return _object({**parts, "out": _one_of(names.new_handles)})


def _kind(kind: Kind, names: Names, sources: Sequence[Source]) -> Schema:
    if _takes_columns(kind):
        return _of_columns(kind, names, sources)
    special: dict[Kind, Schema] = {
        BOOLEAN: {"type": "boolean"},
        SCALAR: {"anyOf": [_TEXT, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]},
    }
    if kind in special:
        return special[kind]
    if kind.options:
        return _one_of(kind.options)
    if kind.names == "table":
        return _one_of(names.tables)
    return {"type": "integer"} if kind.expects.startswith("a whole number") else _TEXT


def _of_columns(kind: Kind, names: Names, sources: Sequence[Source]) -> Schema:
    """Columns of the first source; a pair takes one of each."""
    columns = [source.column for source in sources if source.column]
    column = columns[0]
    if kind == PAIR:
        return _tuple(*columns)
    if kind == ORDER_KEY:
        ways = _one_of(_DIRECTIONS)
        return {"anyOf": [_tuple(column), _tuple(column, ways), _tuple(column, ways, _one_of(_NULLS))]}
    if kind == COLUMN:
        return {"anyOf": [column, _object({"column": column, "as": _TEXT})]}
    if kind.item is not None:
        return _list(_kind(kind.item, names, sources), 0, None)
    return column if kind.fields is None else _record(kind.fields, names, sources)


def _record(cls: type[Any], names: Names, sources: Sequence[Source]) -> Schema:
    items: tuple[Field[Any], ...] = fields(cls)
    parts = {name_in_call(item): _kind(item.metadata["kind"], names, sources) for item in items}
    required = [name_in_call(item) for item in items if item.default is MISSING]
    of_a_column = _object(parts, required)
    if cls is not Aggregation:
        return of_a_column
    of_all_rows = {"fn": {"const": "count"}, "column": _ALL_ROWS, "as": parts["as"], "filter": parts["filter"]}
    return {"anyOf": [of_a_column, _object(of_all_rows, required)]}


def _tuple(*items: Schema) -> Schema:
    return {"type": "array", "prefixItems": list(items), "minItems": len(items), "maxItems": len(items)}


def _object(parts: Mapping[str, Schema], required: list[str] | None = None) -> Schema:
    return {"type": "object", "properties": dict(parts), "required": list(parts) if required is None else required,
            "additionalProperties": False}  # fmt: skip


def _list(item: Schema, least: int, most: int | None) -> Schema:
    return {"type": "array", "items": item, "minItems": least, **({} if most is None else {"maxItems": most})}


def _one_of(names: Iterable[str]) -> Schema:
    return {"enum": list(names)}
