"""Reading a reply: from what a model wrote to one batch of calls or one final signal.

The steps stand in `read_reply` in the order in which they are taken. Whatever was mended or dropped is told in
`notes`; what cannot be read is a MalformedReplyError whose words are meant for the model. Nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from typing import Any

from agents.errors import MalformedReplyError
from agents.llm.parsing.calls import call_of, final_of, is_final
from agents.llm.parsing.final import Final, read_final
from agents.llm.parsing.native import as_json
from agents.llm.parsing.payload import Batch, Payload, find_payload
from agents.llm.parsing.preamble import Preamble, cut_invention, split_thought, without_special_tokens

HOW_TO_REPLY = (
    'Reply with <think>…</think> and then either one JSON array of calls, [{"op": "…", "args": {…}, "out": "…"}], '
    'or the final signal, {"final": "…"}.'
)
# What servers say of a reply that the model ended itself, and of one that was cut. Any other word may mean a cut.
_WHOLE = frozenset({
    "", "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "tool_calls", "tool_use",
    "function_call",
})  # fmt: skip
_CUT_BY = {
    "length": "at the token limit",
    "max_tokens": "at the token limit",
    "model_length": "at the token limit",
    "content_filter": "by the provider's content filter",
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply says: `calls` as {"op", "args", "out"?} (then `final` is None), or `final`.

    `calls` may be more than a turn allows; the loop runs the first ones and reports the rest as skipped.
    """

    thought: str
    calls: tuple[Mapping[str, Any], ...] = ()
    final: Final | None = None
    notes: tuple[str, ...] = ()


def read_reply(text: str, *, reasoning: str = "", finish_reason: str = "stop", operations: Collection[str]) -> Parsed:
    """Read `text`. `reasoning` is the provider's separate field: a thought, never run. Raises MalformedReplyError."""
    known = frozenset(operations)
    refuse_cut(finish_reason)
    preamble = split_thought(without_special_tokens(text))
    body, invented = cut_invention(preamble.rest)
    written = body if preamble.open else as_json(body)
    payload = find_payload(written, known, only_at_end=preamble.open)
    chosen = payload.calls(known) or payload.final()
    if broken := payload.broken_around(chosen):
        raise MalformedReplyError(f"Your reply was not run: {broken.reason}. {HOW_TO_REPLY}")
    if chosen is None:
        raise MalformedReplyError(_nothing_found(text, reasoning, preamble, invented))
    notes = ["what follows the invented observation was dropped"] if invented else []
    if written != body:
        notes.append("calls in another format than JSON were read")
    thought = _thought(reasoning, preamble, written[: chosen.start])
    if chosen.asks(known):
        return Parsed(thought, _calls(chosen, notes), None, _told(notes, chosen, payload, written, known))
    final = read_final(final_of(chosen.signal or {}), notes)
    return Parsed(thought, (), final, _told(notes, chosen, payload, "", known))


def refuse_cut(finish_reason: str) -> None:
    """Nothing of a reply that was cut off is used: its end, and so its meaning, is unknown."""
    reason = finish_reason.strip().lower()
    if reason not in _WHOLE:
        cut = _CUT_BY.get(reason, f"by the server ({finish_reason.strip()[:40]})")
        raise MalformedReplyError(
            f"Your reply was cut off {cut} before it was complete, so nothing of it was run. "
            "Think more briefly, or send fewer calls."
        )


def _calls(batch: Batch, notes: list[str]) -> tuple[Mapping[str, Any], ...]:
    return tuple(call_of(item, notes) for item in batch.items if not is_final(item))


def _told(notes: list[str], chosen: Batch, payload: Payload, body: str, known: Set[str]) -> tuple[str, ...]:
    """`notes` with what was mended in the chosen batch and what was left out beside it."""
    others = [batch for batch in payload.batches if batch is not chosen]
    if chosen.mended:
        notes.append("the JSON was not valid and was mended")
    if chosen.asks(known):
        if chosen.ends or any(batch.ends for batch in others):
            notes.append("the final was ignored because calls came with it: send it alone, after their results")
        if chosen.more or any(batch.asks(known) for batch in others):
            notes.append("only one batch of calls counts: the others were ignored")
        elif body[chosen.end :].strip(" \t\r\n`") and not any(batch.ends for batch in others):
            notes.append("what follows the calls was ignored")
    return tuple(dict.fromkeys(notes))


def _thought(reasoning: str, preamble: Preamble, before: str) -> str:
    """The provider's reasoning and the preamble; without either, the prose before the JSON."""
    if preamble.open:
        return "\n".join(filter(None, [reasoning.strip(), before.strip()]))
    stated = "\n".join(filter(None, [reasoning.strip(), preamble.thought]))
    return stated or before.split("```")[0].strip() or _said_inside(preamble.rest)


def _said_inside(text: str) -> str:
    """The thought of a reply that is one JSON object, as constrained models send it."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    thought = said.get("thought") if isinstance(said, dict) else None
    return thought.strip() if isinstance(thought, str) else ""


def _nothing_found(text: str, reasoning: str, preamble: Preamble, invented: bool) -> str:
    if not text.strip():
        held = "only reasoning and no answer" if reasoning.strip() else "nothing"
        return f"Your reply held {held}. {HOW_TO_REPLY}"
    if preamble.open:
        return f"Your <think> never ends and no array of calls ends the reply. {HOW_TO_REPLY}"
    if invented:
        return f"Your reply began with an observation that you made up; only the system writes those. {HOW_TO_REPLY}"
    return f"Your reply holds neither calls nor a final signal. {HOW_TO_REPLY}"
