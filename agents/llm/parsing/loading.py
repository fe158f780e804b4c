"""From the text of one span to a JSON value: strictly, else mended without losing or inventing a character."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import json_repair

from agents.llm.parsing.spans import find_brackets

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_EMPTY_TEXT = re.compile(r"\"\"|''|“”|‘’")
_WHITE_ESCAPES = "nrtbf"
_STRUCTURE = re.compile(r"""[\s\[\]{},:"'“”„‘’\\`]+""")
_LITERALS = {True: "true", False: "false", None: "null"}
_PYTHON_LITERALS = (
    (re.compile(r"\bTrue\b"), "true"),
    (re.compile(r"\bFalse\b"), "false"),
    (re.compile(r"\bNone\b"), "null"),
)


class UnreadableJSONError(ValueError):
    """Neither JSON nor mendable; `str(error)` says where and why."""


def load(text: str) -> tuple[Any, bool]:
    """The value of `text` and whether it had to be mended. Raises UnreadableJSONError.

    Raw line ends inside texts are taken as they are. A key that stands twice in one object is refused: either value
    could be the one that was meant.
    """
    try:
        value, mended = _strictly(text), False
    except _RefusedError as error:
        raise UnreadableJSONError(str(error)) from error
    except (ValueError, RecursionError) as error:
        value, mended = _mended(text, str(error)), True
    _refuse_unstorable(value)
    return value, mended


class _RefusedError(ValueError):
    """JSON, or nearly, whose meaning is in doubt: no mending helps."""


def _strictly(text: str) -> Any:
    return json.loads(
        text, strict=False, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite_float
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError(f'the key "{twice}" stands twice in one object')
    return found


def _no_constant(name: str) -> Any:
    raise _RefusedError(f"{name} is not JSON")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _RefusedError(f"{digits} is too large for a number")
    return value


def _mended(text: str, why: str) -> Any:
    """What json-repair makes of `text`, if it accounts for every character that carries meaning."""
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, KeyError, TypeError) as error:
        raise UnreadableJSONError(why) from error
    if not _accounts_for(value, text):
        raise UnreadableJSONError(why)
    return value


def _accounts_for(value: Any, text: str) -> bool:
    """Whether `value` holds the characters of `text` in their order, with nothing made up: `text` is closed, each key
    was written as a key, and each empty text as one."""
    if [span.of(text) for span in find_brackets(text).spans] != [text]:
        return False
    source = text
    for spelling, literal in _PYTHON_LITERALS:
        source = spelling.sub(literal, source)
    leaves = list(_leaves(value))
    if _STRUCTURE.sub("", _unescape(source)) != _STRUCTURE.sub("", "".join(leaf for leaf, _ in leaves)):
        return False
    if sum(not leaf for leaf, _ in leaves) > len(_EMPTY_TEXT.findall(text)):
        return False
    return all(_written_as_key(leaf, text) for leaf, is_key in leaves if is_key)


def _written_as_key(key: str, text: str) -> bool:
    return re.search(rf"""(?<!\w){re.escape(key)}["'”’]?\s*:""", text) is not None


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code, plain = match.groups()
        if code:
            return chr(int(code, 16))
        return " " if plain in _WHITE_ESCAPES else plain

    return _ESCAPE.sub(character, text)


def _leaves(value: Any) -> Iterator[tuple[str, bool]]:
    """Every key (True) and scalar (False) of a JSON value as text, in order."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, True
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value, False
    else:
        yield (_LITERALS[value] if value is None or isinstance(value, bool) else repr(value)), False


def _refuse_unstorable(value: Any) -> None:
    """Neither a database nor UTF-8 can hold these, and no honest reply does."""
    for leaf, _ in _leaves(value):
        if "\x00" in leaf or any("\ud800" <= character <= "\udfff" for character in leaf):
            raise UnreadableJSONError("a text holds a character that cannot be stored (NUL or half a surrogate pair)")
