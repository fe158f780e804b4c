"""The parts of a reply that are not its answer: thoughts before it, and turns that the model only invented."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.spans import Span, find_brackets

_OPEN = re.compile(r"<\s*(?:think|thinking)\s*>", re.IGNORECASE)
_CLOSE = re.compile(r"<\s*/\s*(?:think|thinking)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<\s*/?\s*(?:think|thinking)\s*>", re.IGNORECASE)
# What begins a turn that is not the model's to write.
_INVENTED = re.compile(
    r"^[ \t>#*\[]*observations?\b[\]* \t]*:|<\s*observation\s*>|<\s*tool_response\s*>"
    r"|<\|(?:im_start|start_header_id|start|user|observation)\|>|\[INST\]",
    re.IGNORECASE | re.MULTILINE,
)
_SPECIAL_TOKENS = re.compile(r"<\|[A-Za-z_]{1,30}\|>|</s>|<end_of_turn>|<｜[^｜>]{1,40}｜>")


@dataclass(frozen=True, slots=True)
class Preamble:
    """`rest` is what follows the thought. `open` means that the thought never ended, and `rest` is all of it."""

    thought: str
    rest: str
    open: bool = False


def split_thought(text: str) -> Preamble:
    """Take off an anchored `<think>` block, closed, or with its opening tag missing. Only a preamble is taken:
    a tag inside the text of a call stays where it is."""
    thoughts: list[str] = []
    rest = text.strip()
    while opening := _OPEN.match(rest):
        closing = _first_outside_json(_CLOSE, rest, opening.end())
        if closing is None:
            return Preamble("\n".join([*thoughts, rest[opening.end() :].strip()]), rest[opening.end() :], open=True)
        thoughts.append(rest[opening.end() : closing.start()].strip())
        rest = rest[closing.end() :].lstrip()
    if not thoughts:
        tag = _first_outside_json(_TAG, rest, 0)
        if tag and _CLOSE.fullmatch(tag.group()):
            return Preamble(rest[: tag.start()].strip(), rest[tag.end() :].lstrip())
    return Preamble("\n".join(filter(None, thoughts)), rest)


def cut_invention(text: str) -> tuple[str, bool]:
    """`text` up to the first observation or turn that the model made up, and whether there was one."""
    invented = _first_outside_json(_INVENTED, text, 1 if text.startswith("<|") else 0)
    return (text[: invented.start()], True) if invented else (text, False)


def without_special_tokens(text: str) -> str:
    """`text` without the control tokens that some servers leave at its ends."""
    previous = None
    while previous != text:
        previous = text
        text = text.strip()
        if leading := _SPECIAL_TOKENS.match(text):
            text = text[leading.end() :]
        trailing = None
        for trailing in _SPECIAL_TOKENS.finditer(text, max(0, len(text) - 50)):  # noqa: B007
            continue
        if trailing and trailing.end() == len(text):
            text = text[: trailing.start()]
    return text


def _first_outside_json(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    """The first match that does not stand inside a readable piece of JSON."""
    if not pattern.search(text, start):
        return None
    spans = find_brackets(text).spans
    return next((match for match in pattern.finditer(text, start) if not _in_json(match.start(), text, spans)), None)


def _in_json(position: int, text: str, spans: tuple[Span, ...]) -> bool:
    around = next((span for span in spans if span.start < position < span.end), None)
    if around is None:
        return False
    try:
        load(around.of(text))
    except UnreadableJSONError:
        return False
    return True
