"""Which JSON of a reply counts: fenced pieces before others, calls before a final signal, the first before the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from agents.llm.parsing.calls import (
    ARGUMENT_KEYS,
    BATCH_KEYS,
    ENDING_KEYS,
    OPERATION_KEYS,
    ends,
    is_call,
    is_final,
    is_known_call,
    offer_of,
)
from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.spans import LEAD, Brackets, Span, find_brackets

_KEY = r"""["'“”]?(?:{})["'“”]?\s*:"""
_OPERATION = _KEY.format("|".join(OPERATION_KEYS))
# JSON that is plainly meant as calls or as a final signal must be readable; other JSON in prose need not be.
_MEANT = re.compile(r"[\[{,\n]\s*" + _KEY.format("op|tool|final|final_answer|calls|tool_calls"))
_MAYBE = re.compile(_KEY.format("|".join((*OPERATION_KEYS, *BATCH_KEYS, *ENDING_KEYS))))
_NAMED = re.compile(_OPERATION + r"""\s*["'“]?(?:functions\.)?(?P<name>…|\.\.\.|\w*)""")
_ARGUED = re.compile(_KEY.format("|".join(ARGUMENT_KEYS)))
# A beginning that finds no end: of an object, whatever its first key, or of an array with one in it.
_BROKEN = re.compile(
    rf"""(?:\[{LEAD}(?:(?:"[^"\\\n]{{0,80}}"|\{{\s*\}}|\[\s*\]){LEAD})*)*"""
    rf"""\{{{LEAD}["'“]?[\w$][\w$ -]{{0,60}}["'”]?\s*:"""
)
_FENCE = re.compile(r"```[ \t]*[\w+-]*")
_JOINT = re.compile(r"(?:[\s,;]|</?tool_call>)*")
_ELLIPSES = ("…", "...")


@dataclass(frozen=True, slots=True)
class Batch:
    """JSON objects that were sent together, and where they stand in the text. `is_bare`: without an array or a wrapper
    around them; `more`: another batch stood beside them in one array."""

    start: int
    end: int
    items: tuple[Any, ...]
    fenced: bool
    mended: bool
    is_bare: bool = False
    is_round: bool = False
    more: bool = False

    def asks(self, operations: Set[str]) -> bool:
        return any(is_call(item, operations) for item in self.items)

    def asks_known(self, operations: Set[str]) -> bool:
        return any(is_known_call(item, operations) for item in self.items)

    @property
    def ends(self) -> bool:
        return any(ends(item) for item in self.items)

    @property
    def signal(self) -> Mapping[str, Any] | None:
        """The first final signal, apart from one that stands beside a call."""
        return next((item for item in self.items if is_final(item)), None)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A piece that was meant as calls or as a final signal but is no JSON. `follows`: where the bare object ends that
    it would have been joined to."""

    start: int
    fenced: bool
    reason: str
    follows: int | None = None


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
        return next((batch for batch in self.batches if batch.signal), None)

    def broken_around(self, chosen: Batch | None) -> Unreadable | None:
        """The unreadable piece that makes `chosen` doubtful: `chosen` may be the rest of it, or it the rest of
        `chosen`. Further behind, none does."""
        if chosen is None:
            return self.unreadable[0] if self.unreadable else None
        return next(
            (
                piece
                for piece in self.unreadable
                if (piece.start < chosen.start and piece.fenced >= chosen.fenced) or piece.follows == chosen.end
            ),
            None,
        )


def find_payload(text: str, operations: Set[str], *, only_at_end: bool = False) -> Payload:
    """The JSON of `text` that may be calls or a final signal. `only_at_end`: just an array that ends the text."""
    brackets = find_brackets(text)
    fences = _fences(text, brackets.spans)
    unreadable = [
        Unreadable(at, _fenced(at, fences), f"the JSON that begins with {text[at : at + 40]!r} is never closed")
        for at in brackets.broken
        if _BROKEN.match(text, at)
    ]
    pieces: list[Batch] = []
    for span in _ending(text, brackets.spans) if only_at_end else brackets.spans:
        outcome = _read(text, span, _fenced(span.start, fences), operations, brackets)
        if isinstance(outcome, Unreadable):
            unreadable.append(outcome)
        elif outcome is not None:
            pieces.append(outcome)
    joined = _joined(text, pieces)
    unreadable = [replace(piece, follows=_followed(text, joined, piece.start)) for piece in unreadable]
    batches = sorted(joined, key=lambda batch: (not batch.fenced, batch.start))
    return Payload(tuple(batches), tuple(sorted(unreadable, key=lambda piece: piece.start)))


def _read(text: str, span: Span, fenced: bool, operations: Set[str], brackets: Brackets) -> Batch | Unreadable | None:
    source = span.of(text)
    if not _MEANT.search(source) and not _MAYBE.search(source):
        return None
    try:
        value, mended = load(source)
    except UnreadableJSONError as error:
        reason = f"the JSON cannot be read ({error})"
        return Unreadable(span.start, fenced, reason) if _is_meant(source, operations) else None
    if text[span.start] == "{" and brackets.in_prose(span.start) and _is_meant(source, operations):
        return Unreadable(span.start, fenced, "the call stands in an array that cannot be read")
    offer = offer_of(value)
    is_bare = text[span.start] == "{" and not offer.is_wrapper
    return Batch(span.start, span.end, offer.items, fenced, mended, is_bare, offer.is_round, offer.more)


def _is_meant(source: str, operations: Set[str]) -> bool:
    """Whether `source` is no JSON of another purpose, and no example with an ellipsis for each name."""
    names = [named["name"] for named in _NAMED.finditer(source)]
    if names and all(name in _ELLIPSES for name in names):
        return False
    if _MEANT.search(source) or any(name in operations for name in names):
        return True
    return bool(names) and _ARGUED.search(source) is not None


def _joined(text: str, pieces: Sequence[Batch]) -> list[Batch]:
    """Objects that follow each other without an array around them are one batch, up to a thought: what follows that
    belongs to a later turn."""
    batches: list[Batch] = []
    for piece in pieces:
        end = None if piece.is_round or not piece.is_bare else _followed(text, batches[-1:], piece.start)
        if end is None:
            batches.append(piece)
        else:
            last = batches[-1]
            items, mended = (*last.items, *piece.items), last.mended or piece.mended
            batches[-1] = replace(last, end=piece.end, items=items, mended=mended)
    return batches


def _followed(text: str, batches: Sequence[Batch], start: int) -> int | None:
    """The end of the batch of bare objects that what begins at `start` directly follows."""
    ends_before = (batch.end for batch in batches if batch.is_bare and batch.end <= start)
    return next((end for end in ends_before if text[start] == "{" and _JOINT.fullmatch(text, end, start)), None)


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
