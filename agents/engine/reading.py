"""Reading a call from JSON: its shape, its operation, its arguments, and the relations that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.dsl.names import listed, nearest_hint, quoted
from agents.dsl.operations import Operation
from agents.dsl.relation import Relation
from agents.engine.outcomes import Call
from agents.errors import InvalidArgumentError, UnknownOperationError, UnknownRelationError

_SHAPE = '{"op": name, "args": {…}, "out": handle}'


@dataclass(frozen=True)
class ReadCall:
    """`handle` is "" where the call leaves the name to the engine."""

    call: Call
    operation: Operation
    handle: str


def read_call(call: Any, operations: Mapping[str, type[Operation]]) -> ReadCall:
    """Raises UnknownOperationError or InvalidArgumentError."""
    if not isinstance(call, Mapping):
        raise InvalidArgumentError(f"A call is an object {_SHAPE}, not {_short(call)}.")
    name = call.get("op")
    if not isinstance(name, str):
        raise InvalidArgumentError(f"A call names its operation as text under 'op': {_SHAPE}, not {_short(call)}.")
    _check_texts(call)
    if name not in operations:
        raise UnknownOperationError(
            f"There is no operation {quoted(name)}.{nearest_hint(name, operations)} Operations: {listed(operations)}."
        )
    handle = call.get("out")
    if handle is not None and not (isinstance(handle, str) and handle):
        raise InvalidArgumentError(f"'out' must be the name of the new handle, not {_short(handle)}.")
    return ReadCall(call, operations[name].read(call.get("args", {})), handle or "")


def named_relation(handle: str, handles: Mapping[str, Relation]) -> Relation:
    """Raises UnknownRelationError."""
    if handle not in handles:
        raise UnknownRelationError(
            f"There is no relation {quoted(handle)}.{nearest_hint(handle, handles)} "
            f"Relations: {listed(handles)}. table_ref makes one from a table."
        )
    return handles[handle]


def _check_texts(value: Any) -> None:
    """No database takes NUL or half a surrogate pair, wherever it stands."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if "\0" in item or not _encodes(item):
                raise InvalidArgumentError(f"The text {_short(item)} holds a character that no database can store.")
        elif isinstance(item, Mapping):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple):
            waiting += item


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "…"
