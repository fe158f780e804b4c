"""From a JSON value to calls and a final signal: key names and wrappers.

Which arguments an operation takes, and "10" for 10, is the language's to judge: its errors can show the signature.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from agents.errors import MalformedReplyError
from agents.llm.parsing.loading import UnreadableJSONError, load

OPERATION_KEYS = (
    "op", "tool", "tool_name", "action", "operation", "function", "function_call", "tool_call", "name",
)  # fmt: skip
ARGUMENT_KEYS = ("args", "arguments", "parameters", "params", "input", "action_input")
_HANDLE_KEYS = ("out", "output", "handle")
BATCH_KEYS = ("calls", "tool_calls", "function_calls", "actions", "operations")
_BATCH_IF_LIST = ("action", "function_call", "tool_call")
_FINAL_KEYS = ("final", "final_answer")
ENDING_KEYS = (*_FINAL_KEYS, "clarify", "unanswerable")
_DENIALS = ("false", "no", "none", "null")
_REMARK_KEYS = frozenset({
    "thought", "comment", "reason", "reasoning", "rationale", "explanation", "description", "note", "notes", "step",
    "index", "id", "call_id", "tool_call_id",
})  # fmt: skip
_WIRE_TYPES = frozenset({"function", "tool_use", "tool_call", "function_call"})
_NAMESPACE = re.compile(r"(?:functions|tools|default_api)[.:]")

_NULL_MEANS_NULL = frozenset({"value"})


@dataclass(frozen=True, slots=True)
class Offer:
    """What a JSON value offers as one batch. `is_round`: it is a whole turn (a wrapper, or a call with a thought of
    its own), so it is no part of what stands before it. `more`: further batches stood beside it."""

    items: tuple[Any, ...] = ()
    is_wrapper: bool = False
    is_round: bool = False
    more: bool = False


def offer_of(value: Any) -> Offer:
    """The objects that `value` offers: an array, one object, or an object that wraps an array. Of several arrays or
    wrappers in an array, the first: the others were written without its results."""
    if isinstance(value, list):
        if value and (isinstance(value[0], list) or _wrapped(value[0]) is not None):
            first = offer_of(value[0])
            return Offer(first.items, first.is_wrapper, first.is_round, first.more or len(value) > 1)
        return Offer(tuple(value))
    if not isinstance(value, dict):
        return Offer()
    wrapped = _wrapped(value)
    if wrapped is None:
        return Offer((value,), is_round=_is_told(value.get("thought")))
    inner = offer_of(wrapped)
    signal = {key: value[key] for key in ENDING_KEYS if _is_ending(key, value.get(key))}
    return Offer((*inner.items, *([signal] if signal else ())), is_wrapper=True, is_round=True, more=inner.more)


def _wrapped(value: Any) -> list[Any] | None:
    """The calls that `value` wraps; None when it is no wrapper."""
    if not isinstance(value, dict) or _is_call_shaped(value):
        return None
    for key in BATCH_KEYS:
        if isinstance(value.get(key), list):
            return list(value[key])
        if isinstance(value.get(key), dict):
            return [value[key]]
    return next((list(value[key]) for key in _BATCH_IF_LIST if isinstance(value.get(key), list)), None)


def is_call(item: Any, operations: Set[str]) -> bool:
    """Whether `item` asks for an operation: by a key that means nothing else, a known name, or arguments beside."""
    if not isinstance(item, dict) or is_final(item):
        return False
    name = _operation(item)[0]
    return bool(name) and (name in operations or _is_call_shaped(item))


def is_known_call(item: Any, operations: Set[str]) -> bool:
    return isinstance(item, dict) and not is_final(item) and _operation(item)[0] in operations


def _is_call_shaped(item: Mapping[str, Any]) -> bool:
    argued = any(key in item for key in ARGUMENT_KEYS)
    return "op" in item or any(
        key in item and (argued or (isinstance(item[key], dict) and _is_call_shaped(item[key])))
        for key in OPERATION_KEYS
    )


def is_final(item: Any) -> bool:
    """Whether `item` is a final signal, also one written as a call of `final`; never a call with a final beside it."""
    if not isinstance(item, dict):
        return False
    name = _operation(item)[0]
    if name in ENDING_KEYS:
        return True
    if name and (_is_call_shaped(item) or not _tells_end(item)):
        return False
    return any(key in item for key in ENDING_KEYS)


def ends(item: Any) -> bool:
    """Whether `item` is or holds a final signal."""
    return is_final(item) or (isinstance(item, dict) and _tells_end(item))


def _tells_end(item: Mapping[str, Any]) -> bool:
    return any(_is_ending(key, item.get(key)) for key in ENDING_KEYS)


def _is_told(value: Any) -> bool:
    """Whether a key was filled for a reason: models that fill every key write null, false or an empty value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(_is_told, value))
    return value is not None and value is not False and value != ""


def _is_ending(key: str, value: Any) -> bool:
    """Whether an ending key was filled for a reason: models that write every value as a text write "false", too."""
    denied = key not in _FINAL_KEYS and isinstance(value, str) and value.strip().casefold() in _DENIALS
    return _is_told(value) and not denied


def final_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """`item` as {"final", "clarify"?, "unanswerable"?}, of which only what was told."""
    name, _, rest = _operation(item)
    if name in ENDING_KEYS:
        beside = {k: v for k, v in rest.items() if k not in _REMARK_KEYS and k != "type"}
        item = _ending(name, next((rest[key] for key in ARGUMENT_KEYS if key in rest), beside))
    final = next((item[key] for key in _FINAL_KEYS if _is_told(item.get(key))), None)
    said = {key: item[key] for key in ("clarify", "unanswerable") if _is_ending(key, item.get(key))}
    return {"final": final, **said}


def _ending(name: str, said: Any) -> Mapping[str, Any]:
    """The signal of a call of `final`, `clarify` or `unanswerable` with the arguments `said`."""
    if isinstance(said, str) and said.lstrip().startswith("{"):
        try:
            said, _ = load(said.strip())
        except UnreadableJSONError as error:
            raise MalformedReplyError(f"The arguments of {name} cannot be read as a JSON object: {error}.") from error
    if not isinstance(said, dict):
        return {"clarify": said} if name == "clarify" else {"final": said, "unanswerable": name == "unanswerable"}
    if name == "clarify":
        return {"clarify": said, "final": said.get("final")}
    texts = [value for value in said.values() if isinstance(value, str)]
    signal = said if any(key in said for key in ENDING_KEYS) else {"final": texts[0] if len(texts) == 1 else None}
    return {**signal, "unanswerable": True} if name == "unanswerable" else signal


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
        if isinstance(value, str) and (name := _NAMESPACE.sub("", value.strip(), count=1)):
            return name, key, {k: v for k, v in item.items() if k != key}
        if isinstance(value, dict):
            name, _, inner = _operation(value)
            if name:
                return name, key, {**{k: v for k, v in item.items() if k != key}, **inner}
    return "", "", dict(item)


def _take_handle(rest: dict[str, Any]) -> Any:
    for key in _HANDLE_KEYS:
        if key in rest:
            return rest.pop(key)
    return None


def _arguments(name: str, rest: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """The arguments object, joined with arguments that stand beside it (flat)."""
    key = next((key for key in ARGUMENT_KEYS if key in rest), None)
    args = _as_object(name, rest.pop(key), notes) if key else {}
    if key not in (None, "args"):
        notes.append(f"`{key}` was read as `args`")
    if isinstance(rest.get("type"), str) and rest["type"] in _WIRE_TYPES:
        del rest["type"]
    flat = {k: v for k, v in rest.items() if k not in _REMARK_KEYS and k not in ENDING_KEYS}
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
