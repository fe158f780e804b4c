"""Where JSON may stand in a text: the outermost balanced brackets, found with an eye on quoted texts.

Positions only; nothing is parsed here. A bracket that never closes is skipped and remembered: whatever stands behind
a broken beginning may be a piece of it. So is one that holds prose, such as the interval [0, 5): it is no array, but
one may stand in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_DEPTH = 40
_MAX_BROKEN = 60  # an adversarial text of openers would cost the square of its length

_OPENER = re.compile(r"[\[{]")
_OUTSIDE = re.compile(r"""[\[\]{}"']""")
_QUOTE = re.compile("[\"']")
_IN_DOUBLE = re.compile(r'\\.|"', re.DOTALL)
_IN_SINGLE = re.compile(r"\\.|'", re.DOTALL)
_BEFORE_TEXT = re.compile(r"[\[{,:(]\s*\Z")
_AFTER_TEXT = re.compile(r"\s*(?:[,:\]}]|\Z)")
_PAIRS = {"]": "[", "}": "{"}
# What may stand in an array before its first object, array or text: blanks, plain values, comments.
LEAD = (
    r"(?:[\s,]|-?\d[\d.eE+-]{0,40}(?=[\s,\]])|(?:true|false|null|True|False|None)\b"
    r"|//[^\n]{0,300}|\#[^\n]{0,300}|/\*[^*]{0,300}\*/)*+"
)
_ARRAY = re.compile(rf"""\[{LEAD}(?:[\[{{\]"'“„‘`]|[\w$]+\s*:|\Z)""")


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` begins with a bracket and ends with its partner."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Brackets:
    """The outermost spans of a text in order, the openers that found no partner, and the brackets that hold prose."""

    spans: tuple[Span, ...]
    broken: tuple[int, ...]
    prose: tuple[Span, ...]

    def in_prose(self, position: int) -> bool:
        return any(span.start < position < span.end for span in self.prose)


def find_brackets(text: str) -> Brackets:
    """All outermost balanced spans of `text`, nested at most `MAX_DEPTH` deep."""
    spans: list[Span] = []
    broken: list[int] = []
    prose: list[Span] = []
    position = 0
    while len(broken) < _MAX_BROKEN and (opener := _OPENER.search(text, position)):
        start, position = opener.start(), opener.end()
        end = partner(text, start)
        if end is None:
            broken.append(start)
        elif opener.group() == "[" and not _ARRAY.match(text, start):
            prose.append(Span(start, end))
        else:
            spans.append(Span(start, end))
            position = end
    return Brackets(tuple(spans), tuple(broken), tuple(prose))


def find_texts(text: str) -> list[Span]:
    """All quoted texts of `text`, with their quotes."""
    found: list[Span] = []
    position = 0
    while mark := _QUOTE.search(text, position):
        end = end_of_text(text, mark.start())
        if end is not None:
            found.append(Span(mark.start(), end))
        position = end or mark.end()
    return found


def end_of_text(text: str, start: int) -> int | None:
    """The position behind the text whose quote is at `start`, or None where an apostrophe begins none."""
    quote = text[start]
    return _end_of_text(text, start + 1, quote) if quote == '"' or _opens_text(text, start) else None


def partner(text: str, start: int) -> int | None:
    """The position behind the bracket that closes the one at `start`, or None."""
    stack: list[str] = []
    position = start
    while mark := _OUTSIDE.search(text, position):
        character, position = mark.group(), mark.end()
        if character in "\"'":
            position = end_of_text(text, mark.start()) or position
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
