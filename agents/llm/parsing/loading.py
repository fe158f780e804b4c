"""From the text of one span to a JSON value: strictly, else mended without losing or inventing a character."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import json_repair

from agents.llm.parsing.spans import MAX_DEPTH, end_of_text, find_brackets, find_texts

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_EMPTY_TEXT = re.compile(r"\"\"|''|“”|‘’")
_WHITE_ESCAPES = "nrtbf"
_STRUCTURE = re.compile(r"""[\s\[\]{},:"'“”„‘’\\`]+""")
_LITERALS = {True: "true", False: "false", None: "null"}
_PYTHON_LITERALS = {"True": "true", "False": "false", "None": "null"}
_PYTHON_LITERAL = re.compile(r"\b(?:True|False|None)\b")
_NUMBER = re.compile(r"([\[:,]\s*)(-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,4})?)(?=\s*[,\]}])")
_QUOTE_OR_COMMENT = re.compile(r"""(?P<quote>["'])|//|\#|/\*""")
# Where a comment may begin: behind structure, a text or a plain value; elsewhere `//` is part of an unquoted value.
_BEFORE_COMMENT = re.compile(
    r"""(?:\A|[\[{,:\]}"'\n])[ \t]*(?:-?\d[\d.eE+-]{0,40}|true|false|null|True|False|None)?[ \t]*\Z"""
)
_OTHER_QUOTES = re.compile("[“”„‘’`]")  # texts between these are not told apart from what is around them


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
        value, mended = _mended(_without_comments(text), str(error)), True
    _refuse_deep(value)
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
    leaves = list(_leaves(value))
    if _STRUCTURE.sub("", _unescape(_as_json(text))) != _STRUCTURE.sub("", "".join(leaf for leaf, _ in leaves)):
        return False
    if sum(not leaf for leaf, _ in leaves) > len(_EMPTY_TEXT.findall(text)):
        return False
    return all(_written_as_key(leaf, text) for leaf, is_key in leaves if is_key)


def _as_json(text: str) -> str:
    """`text` with Python's literals and with numbers as a JSON value shows them; what is quoted stays as it is."""
    pieces: list[str] = []
    for piece, is_text in _pieces(text):
        if not is_text:
            piece = _NUMBER.sub(_shown_number, piece)
            piece = _PYTHON_LITERAL.sub(lambda literal: _PYTHON_LITERALS[literal.group()], piece)
        pieces.append(piece)
    return "".join(pieces)


def _shown_number(match: re.Match[str]) -> str:
    before, written = match.groups()
    try:
        value = json.loads(written)
    except ValueError:  # such as 007
        return match.group()
    return before + repr(value) if math.isfinite(value) else match.group()


def _without_comments(text: str) -> str:
    """`text` without the comments that stand between its values. Their content is no part of what was meant."""
    if _OTHER_QUOTES.search(text):
        return text
    kept: list[str] = []
    begin = at = 0
    while mark := _QUOTE_OR_COMMENT.search(text, at):
        at = mark.end()
        if mark["quote"]:
            at = end_of_text(text, mark.start()) or at
        elif _BEFORE_COMMENT.search(text, max(0, mark.start() - 120), mark.start()):
            kept += [text[begin : mark.start()], " "]
            begin = at = _end_of_comment(text, mark)
    return "".join([*kept, text[begin:]])


def _end_of_comment(text: str, mark: re.Match[str]) -> int:
    end = text.find("*/", mark.end()) + 2 if mark.group() == "/*" else text.find("\n", mark.end())
    return end if end > mark.start() else len(text)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """`text` in pieces: what is quoted (True), and what stands between."""
    position = 0
    for span in find_texts(text):
        yield text[position : span.start], False
        yield span.of(text), True
        position = span.end
    yield text[position:], False


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


def _refuse_deep(value: Any) -> None:
    """A text inside a text may hide any depth, which whatever walks through the value would fail at."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        held = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in held for part in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return
    raise UnreadableJSONError(f"it is nested more than {MAX_DEPTH} levels deep")


def _refuse_unstorable(value: Any) -> None:
    """Neither a database nor UTF-8 can hold these, and no honest reply does."""
    for leaf, _ in _leaves(value):
        if "\x00" in leaf or any("\ud800" <= character <= "\udfff" for character in leaf):
            raise UnreadableJSONError("a text holds a character that cannot be stored (NUL or half a surrogate pair)")
