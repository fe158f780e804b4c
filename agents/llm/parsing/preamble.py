"""The parts of a reply that are not its answer: thoughts before it, and turns that the model only invented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.spans import Span, find_brackets

# <think> and its relatives, in the brackets of each family of models, and the channels in which one family writes when
# its server leaves them in.
_THOUGHT = (
    r"(?:\w{1,20}:)?(?:think|thinking|thoughts?|thought_?process|(?:inner|internal)_?(?:thoughts?|monologue)|ant_?thinking"
    r"|reason|reasoning|rationale|analysis|scratch_?pad|reflection|reflect|cot|chain_of_thought|plan|planning)"
)
_ATTRIBUTES = r"""(?:\s+\w+\s*=\s*["'][^"'<>]{0,80}["'])*"""
_CHANNEL = r"(?:<\|end\|>\s*)?(?:<\|start\|>assistant)?<\|channel\|>"
_OPEN_TAG = (
    rf"<\s*{_THOUGHT}{_ATTRIBUTES}\s*>|\[think(?:ing)?\]|◁{_THOUGHT}▷"
    rf"|<\|(?:begin_of_{_THOUGHT}|start_{_THOUGHT}|{_THOUGHT}_start|{_THOUGHT}_begin|{_THOUGHT}|inner_prefix)\|>"
    rf"|{_CHANNEL}analysis\s*<\|message\|>"
)
_CLOSE_TAG = (
    rf"<\s*/\s*{_THOUGHT}\s*>|\[/think(?:ing)?\]|◁/{_THOUGHT}▷"
    rf"|<\|(?:end_of_{_THOUGHT}|end_{_THOUGHT}|{_THOUGHT}_end|/{_THOUGHT}|inner_suffix)\|>"
    rf"|{_CHANNEL}final[^<|]{{0,40}}(?:<\|constrain\|>[^<|]{{0,40}})?<\|message\|>"
)
_TAG = re.compile(f"(?P<open>{_OPEN_TAG})|(?P<close>{_CLOSE_TAG})", re.IGNORECASE)
_GAP = "\n…\n"  # where a thought was taken out, so that what stood around it is not joined
# What begins a turn that is not the model's to write.
_INVENTED = re.compile(
    r"^[ \t>#*\[]*observations?\b[\]* \t]*:|<\s*observation\s*>|<\s*tool_response\s*>"
    r"|<\|(?:im_start|start_header_id|start|user|observation)\|>|\[INST\]",
    re.IGNORECASE | re.MULTILINE,
)
_SPECIAL_TOKENS = re.compile(
    rf"(?!{_OPEN_TAG}|{_CLOSE_TAG})(?:<\|(?!(?:start|channel|message)\|)[A-Za-z_]{{1,30}}\|>|</s>|<end_of_turn>"
    r"|<｜[^｜>]{1,40}｜>)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Preamble:
    """`rest` is what follows the thought. `open` means that the thought never ended, and `rest` is all of it."""

    thought: str
    rest: str
    open: bool = False


def split_thought(text: str) -> Preamble:
    """Take off thoughts: between tags, or before a closing tag whose opening one is missing. A tag inside the text of
    a call stays where it is."""
    text = text.strip()
    thoughts: list[str] = []
    kept: list[str] = []
    position, inside = 0, False
    for tag in outside_json(_TAG, text, 0):
        piece = text[position : tag.start()]
        if tag["close"] and not inside:
            thoughts, kept = [*thoughts, *kept, piece], []
        else:
            (thoughts if inside else kept).append(piece)
        position, inside = tag.end(), tag["close"] is None
    rest = text[position:]
    if inside and not any("[" in piece or "{" in piece for piece in kept):
        return Preamble(_joined([*kept, *thoughts, rest]), rest, open=True)
    if inside:
        thoughts.append(rest)
    else:
        kept.append(rest)
    return Preamble(_joined(thoughts), _GAP.join(piece for piece in kept if piece.strip()))


def _joined(pieces: Sequence[str]) -> str:
    return "\n".join(piece.strip() for piece in pieces if piece.strip())


def cut_invention(text: str) -> tuple[str, bool]:
    """`text` up to the first observation or turn that the model made up, and whether there was one."""
    invented = next(outside_json(_INVENTED, text, 1 if text.startswith("<|") else 0), None)
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


def outside_json(pattern: re.Pattern[str], text: str, start: int) -> Iterator[re.Match[str]]:
    """The matches that do not stand inside a readable piece of JSON."""
    if pattern.search(text, start):
        spans = find_brackets(text).spans
        yield from (match for match in pattern.finditer(text, start) if not _in_json(match.start(), text, spans))


def _in_json(position: int, text: str, spans: tuple[Span, ...]) -> bool:
    around = next((span for span in spans if span.start < position < span.end), None)
    if around is None:
        return False
    try:
        load(around.of(text))
    except UnreadableJSONError:
        return False
    return True
