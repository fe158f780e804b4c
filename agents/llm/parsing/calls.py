"""From a JSON value to calls and a final signal: key names and wrappers.

Which arguments an operation takes, and "10" for 10, is the language's to judge: its errors can show the signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from agents.errors import MalformedReplyError
from agents.llm.parsing.loading import UnreadableJSONError, load

OPERATION_KEYS = ("op", "tool", "action", "operation", "function", "name")
_ARGUMENT_KEYS = ("args", "arguments", "parameters", "params", "input", "action_input")
_HANDLE_KEYS = ("out", "output", "handle")
_BATCH_KEYS = ("calls", "tool_calls", "actions", "operations")
_FINAL_KEYS = ("final", "final_answer")
_REMARK_KEYS = frozenset({"thought", "comment", "reason", "explanation", "call_id", "id"})
_WIRE_TYPES = frozenset({"function", "tool_use", "tool_call"})

_NULL_MEANS_NULL = frozenset({"value"})


def items_of(value: Any) -> list[Any]:
    """The objects that `value` offers as one batch: an array, one object, or an object that wraps an array."""
    if isinstance(value, list):
        return items_of(value[0]) if value and isinstance(value[0], list) else value
    if isinstance(value, dict):
        wrapped = next((value[key] for key in _BATCH_KEYS if isinstance(value.get(key), list)), None)
        return [value] if wrapped is None or _is_call_shaped(value) else wrapped
    return []


def is_call(item: Any, operations: Set[str]) -> bool:
    """Whether `item` asks for an operation: by a key that means nothing else, a known name, or arguments beside."""
    if not isinstance(item, dict) or is_final(item):
        return False
    name = _operation(item)[0]
    return bool(name) and (name in operations or _is_call_shaped(item))


def is_known_call(item: Any, operations: Set[str]) -> bool:
    return isinstance(item, dict) and not is_final(item) and _operation(item)[0] in operations


def _is_call_shaped(item: Mapping[str, Any]) -> bool:
    return "op" in item or any(
        key in item and any(argument in item or _holds(item[key], argument) for argument in _ARGUMENT_KEYS)
        for key in OPERATION_KEYS
    )


def _holds(value: Any, key: str) -> bool:
    return isinstance(value, dict) and key in value


def is_final(item: Any) -> bool:
    return isinstance(item, dict) and any(key in item for key in (*_FINAL_KEYS, "clarify", "unanswerable"))


def final_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """`item` with the final text under `final`."""
    key = next((key for key in _FINAL_KEYS if key in item), None)
    return item if key in (None, "final") else {**item, "final": item[key]}


def call_of(item: Any, notes: list[str]) -> dict[str, Any]:
    """One call as {"op", "args", "out"?}. Raises MalformedReplyError when the item is no call or its arguments
    cannot be read; adds to `notes` what was understood differently from how it was written."""
    name, key, rest = _operation(item) if isinstance(item, dict) else ("", "", {})
    if not name:
        raise MalformedReplyError(f"An item of the array is no call: {_short(item)}. A call names its operation: `op`.")
    if key != "op":
        notes.append(f"`{key}` was read as `op`")
    handle = _take_handle(rest)
    args = _arguments(name, rest, notes)
    if handle is None and isinstance(args.get("out"), str):
        handle = args.pop("out")
    call: dict[str, Any] = {"op": name, "args": {k: _without_nulls(v) for k, v in args.items() if _is_given(k, v)}}
    return call if handle in (None, "") else {**call, "out": handle}


def _operation(item: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The operation's name, the key it stood under, and everything else. ("", "", …) when there is none."""
    for key in OPERATION_KEYS:
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip(), key, {k: v for k, v in item.items() if k != key}
        if key == "function" and isinstance(value, dict):
            name, _, inner = _operation(value)
            return name, key, {**{k: v for k, v in item.items() if k != key}, **inner}
    return "", "", dict(item)


def _take_handle(rest: dict[str, Any]) -> Any:
    for key in _HANDLE_KEYS:
        if key in rest:
            return rest.pop(key)
    return None


def _arguments(name: str, rest: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """The arguments object, joined with arguments that stand beside it (flat)."""
    key = next((key for key in _ARGUMENT_KEYS if key in rest), None)
    args = _as_object(name, rest.pop(key), notes) if key else {}
    if key not in (None, "args"):
        notes.append(f"`{key}` was read as `args`")
    if rest.get("type") in _WIRE_TYPES:
        del rest["type"]
    flat = {k: v for k, v in rest.items() if k not in _REMARK_KEYS or (key is None and k in _NULL_MEANS_NULL)}
    if clash := sorted(flat.keys() & args.keys()):
        raise MalformedReplyError(f"`{clash[0]}` of {name} stands both inside and beside `args`: give it once.")
    if flat:
        notes.append(f"arguments of {name} beside `args` were read as arguments")
    return {**args, **flat}


def _as_object(name: str, value: Any, notes: list[str]) -> dict[str, Any]:
    if isinstance(value, str) and value.strip():
        try:
            value, _ = load(value.strip())
        except UnreadableJSONError as error:
            raise MalformedReplyError(f"The arguments of {name} cannot be read as a JSON object: {error}.") from error
        notes.append(f"the arguments of {name} were a text that held JSON")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedReplyError(f"The arguments of {name} must be a JSON object, not {_short(value)}.")
    return dict(value)


def _is_given(key: str, value: Any) -> bool:
    """null stands for an argument that was left out, save where it is a value."""
    return value is not None or key in _NULL_MEANS_NULL


def _without_nulls(value: Any) -> Any:
    """The same for objects inside a list, such as aggregates."""
    if isinstance(value, list):
        return [{k: v for k, v in i.items() if v is not None} if isinstance(i, dict) else i for i in value]
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
