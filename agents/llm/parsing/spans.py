"""Where JSON may stand in a text: the outermost balanced brackets, found with an eye on quoted texts.

Positions only; nothing is parsed here. A bracket that never closes is skipped and remembered: whatever stands behind
a broken beginning may be a piece of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_DEPTH = 40
_MAX_BROKEN = 60  # an adversarial text of openers would cost the square of its length

_OPENER = re.compile(r"[\[{]")
_OUTSIDE = re.compile(r"""[\[\]{}"']""")
_IN_DOUBLE = re.compile(r'\\.|"', re.DOTALL)
_IN_SINGLE = re.compile(r"\\.|'", re.DOTALL)
_BEFORE_TEXT = re.compile(r"[\[{,:(]\s*\Z")
_AFTER_TEXT = re.compile(r"\s*(?:[,:\]}]|\Z)")
_PAIRS = {"]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` begins with a bracket and ends with its partner."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Brackets:
    """The outermost spans of a text in order, and the openers that found no partner."""

    spans: tuple[Span, ...]
    broken: tuple[int, ...]

    def inside(self, position: int) -> bool:
        return any(span.start < position < span.end for span in self.spans)


def find_brackets(text: str) -> Brackets:
    """All outermost balanced spans of `text`, nested at most `MAX_DEPTH` deep."""
    spans: list[Span] = []
    broken: list[int] = []
    position = 0
    while len(broken) < _MAX_BROKEN and (opener := _OPENER.search(text, position)):
        end = _partner(text, opener.start())
        if end is None:
            broken.append(opener.start())
            position = opener.end()
        else:
            spans.append(Span(opener.start(), end))
            position = end
    return Brackets(tuple(spans), tuple(broken))


def _partner(text: str, start: int) -> int | None:
    """The position behind the bracket that closes the one at `start`, or None."""
    stack: list[str] = []
    position = start
    while mark := _OUTSIDE.search(text, position):
        character, position = mark.group(), mark.end()
        if character in "\"'":
            if character == '"' or _opens_text(text, mark.start()):
                position = _end_of_text(text, position, character)
        elif character in "[{":
            stack.append(character)
            if len(stack) > MAX_DEPTH:
                return None
        elif stack.pop() != _PAIRS[character]:
            return None
        elif not stack:
            return position
    return None


def _opens_text(text: str, position: int) -> bool:
    """An apostrophe begins a text only where JSON would have a value or a key."""
    return _BEFORE_TEXT.search(text, max(0, position - 40), position) is not None


def _end_of_text(text: str, position: int, quote: str) -> int:
    """Behind the quote that ends the text: the first unescaped one that something structural follows.

    In valid JSON that is the first unescaped quote; in `"name = "x""` it is the last.
    """
    inside = _IN_DOUBLE if quote == '"' else _IN_SINGLE
    while mark := inside.search(text, position):
        position = mark.end()
        if mark.group() == quote and _AFTER_TEXT.match(text, position):
            return position
    return len(text)
