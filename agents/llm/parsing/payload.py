"""Which JSON of a reply counts: fenced pieces before others, calls before a final signal, the first before the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from agents.llm.parsing.calls import is_call, is_final, is_known_call, items_of
from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.spans import Span, find_brackets

_KEY = r"""["'“”]?(?:{})["'“”]?\s*:"""
# JSON that is plainly meant as calls or as a final signal must be readable; other JSON in prose need not be.
_MEANT = re.compile(r"[\[{,]\s*" + _KEY.format("op|tool|final|final_answer|calls|tool_calls"))
_MAYBE = re.compile(_KEY.format("action|operation|function|name|clarify|unanswerable|actions|operations"))
_MEANT_OPENING = re.compile(r"(?:\[\s*)*\{\s*" + _KEY.format("op|tool|action|name|function|final|calls|tool_calls"))
_FENCE = re.compile(r"```[ \t]*[\w+-]*")
_JOINT = re.compile(r"(?:[\s,;]|</?tool_call>)*")


@dataclass(frozen=True, slots=True)
class Batch:
    """JSON objects that were sent together, and where they stand in the text."""

    start: int
    end: int
    items: tuple[Any, ...]
    fenced: bool
    mended: bool

    def asks(self, operations: Set[str]) -> bool:
        return any(is_call(item, operations) for item in self.items)

    def asks_known(self, operations: Set[str]) -> bool:
        return any(is_known_call(item, operations) for item in self.items)

    @property
    def ends(self) -> bool:
        return any(is_final(item) for item in self.items)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A piece that was meant as calls or as a final signal but is no JSON."""

    start: int
    fenced: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Payload:
    """What was found: `batches` fenced ones first, then by position."""

    batches: tuple[Batch, ...]
    unreadable: tuple[Unreadable, ...]

    def calls(self, operations: Set[str]) -> Batch | None:
        """The first batch that holds a known operation, else the first that asks for any."""
        asking = [batch for batch in self.batches if batch.asks(operations)]
        return next((batch for batch in asking if batch.asks_known(operations)), asking[0] if asking else None)

    def final(self) -> Batch | None:
        return next((batch for batch in self.batches if batch.ends), None)

    def broken_before(self, chosen: Batch | None) -> Unreadable | None:
        """The unreadable piece that makes `chosen` doubtful: it may be the rest of it. Behind it, none does."""
        if chosen is None:
            return self.unreadable[0] if self.unreadable else None
        return next((u for u in self.unreadable if u.start < chosen.start and u.fenced >= chosen.fenced), None)


def find_payload(text: str, *, only_at_end: bool = False) -> Payload:
    """The JSON of `text` that may be calls or a final signal. `only_at_end`: just an array that ends the text."""
    brackets = find_brackets(text)
    fences = _fences(text, brackets.spans)
    unreadable = [
        Unreadable(at, _fenced(at, fences), f"the JSON that begins with {text[at : at + 40]!r} is never closed")
        for at in brackets.broken
        if _MEANT_OPENING.match(text, at)
    ]
    pieces: list[Batch] = []
    for span in _ending(text, brackets.spans) if only_at_end else brackets.spans:
        outcome = _read(text, span, _fenced(span.start, fences))
        if isinstance(outcome, Unreadable):
            unreadable.append(outcome)
        elif outcome is not None:
            pieces.append(outcome)
    batches = sorted(_joined(text, pieces), key=lambda batch: (not batch.fenced, batch.start))
    return Payload(tuple(batches), tuple(sorted(unreadable, key=lambda piece: piece.start)))


def _read(text: str, span: Span, fenced: bool) -> Batch | Unreadable | None:
    source = span.of(text)
    meant = _MEANT.search(source) is not None
    if not meant and not _MAYBE.search(source):
        return None
    try:
        value, mended = load(source)
    except UnreadableJSONError as error:
        return Unreadable(span.start, fenced, f"the JSON cannot be read ({error})") if meant else None
    return Batch(span.start, span.end, tuple(items_of(value)), fenced, mended)


def _joined(text: str, pieces: Sequence[Batch]) -> list[Batch]:
    """Objects that follow each other without an array around them are one batch."""
    batches: list[Batch] = []
    for piece in pieces:
        last = batches[-1] if batches else None
        if last and text[piece.start] == "{" == text[last.start] and _JOINT.fullmatch(text, last.end, piece.start):
            both = (*last.items, *piece.items)
            batches[-1] = Batch(last.start, piece.end, both, last.fenced, last.mended or piece.mended)
        else:
            batches.append(piece)
    return batches


def _ending(text: str, spans: Sequence[Span]) -> list[Span]:
    last = spans[-1] if spans else None
    return [last] if last and text[last.start] == "[" and not text[last.end :].strip(" \t\r\n`") else []


def _fences(text: str, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Where the fenced blocks stand; one that never closes runs to the end."""
    marks = [mark for mark in _FENCE.finditer(text) if not any(s.start < mark.start() < s.end for s in spans)]
    ends = [mark.start() for mark in marks[1::2]] + [len(text)]
    return [(mark.end(), end) for mark, end in zip(marks[::2], ends, strict=False)]


def _fenced(position: int, fences: Sequence[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in fences)
