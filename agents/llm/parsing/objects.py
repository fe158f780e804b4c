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
    return read_objects(text, keys, finish_reason=finish_reason)[0]


def read_objects(text: str, keys: Collection[str], *, finish_reason: str = "stop") -> list[dict[str, Any]]:
    """The JSON objects of `text` that have all of `keys`, at least one; of a thought that never ends, only one that
    ends the reply. Raises MalformedReplyError."""
    refuse_cut(finish_reason)
    preamble = split_thought(without_special_tokens(text))
    body = preamble.rest
    found = []
    for span in find_brackets(body).spans:
        if preamble.open and body[span.end :].strip(" \t\r\n`"):
            continue
        try:
            value, _ = load(span.of(body))
        except UnreadableJSONError:
            continue
        if isinstance(value, dict) and all(key in value for key in keys):
            found.append(value)
    if not found:
        wanted = ", ".join(f'"{key}": …' for key in keys)
        raise MalformedReplyError(f"Your reply holds no JSON object {{{wanted}}}. Reply with exactly one.")
    return found
