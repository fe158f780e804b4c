"""Reading one JSON object out of a reply: for the shaper and the judge."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from agents.errors import MalformedReplyError
from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.preamble import split_thought, without_special_tokens
from agents.llm.parsing.reply import refuse_cut
from agents.llm.parsing.spans import find_brackets


def read_object(text: str, keys: Collection[str], *, finish_reason: str = "stop") -> dict[str, Any]:
    """The first JSON object of `text` that has all of `keys`. Raises MalformedReplyError."""
    refuse_cut(finish_reason)
    body = split_thought(without_special_tokens(text)).rest
    for span in find_brackets(body).spans:
        try:
            value, _ = load(span.of(body))
        except UnreadableJSONError:
            continue
        if isinstance(value, dict) and all(key in value for key in keys):
            return value
    wanted = ", ".join(f'"{key}": …' for key in keys)
    raise MalformedReplyError(f"Your reply holds no JSON object {{{wanted}}}. Reply with exactly one.")
