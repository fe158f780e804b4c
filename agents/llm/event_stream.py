"""Replies as servers with OpenAI's API stream them: server-sent events, read leniently.

Servers differ: some end without `[DONE]`, some without a finish reason, some send a document in one piece although a
stream was asked for, and some report an error behind a status of 200.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

DRAIN_SECONDS = 0.2
_MOST_OTHER = 2_000_000  # characters of a body that is no stream

_STATUS_BY_TYPE = {
    "invalid_request_error": 400, "authentication_error": 401, "permission_error": 403, "not_found_error": 404,
    "rate_limit_error": 429, "rate_limit_exceeded": 429, "insufficient_quota": 429,
}  # fmt: skip


class ReportedError(Exception):
    """An error that a server reported behind a status of 200. Has what failures.py looks for."""

    def __init__(self, message: str, status_code: int, code: str) -> None:
        super().__init__(message)
        self.status_code, self.code = status_code, code


class NoReplyError(Exception):
    """What came is neither a stream nor a document of OpenAI's API."""


class Response(Protocol):
    """What is needed of the HTTP library's response."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    def aiter_bytes(self) -> AsyncIterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply. `finish_reason` is set on its last one; `usage` is the document that the server sent."""

    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Mapping[str, Any] | None = None


async def pieces(response: Response) -> AsyncGenerator[Piece, None]:
    """The pieces of a reply, in order. Raises ReportedError, NoReplyError, and what the HTTP library raises."""
    other: list[str] = []
    events = 0
    async with contextlib.aclosing(_events(response, other)) as found:
        async for data in found:
            if data.startswith("[DONE]"):
                yield Piece(finish_reason="stop")
                await _drain(found)
                return
            events += 1
            yield piece_of(_loaded(data))
    if not events:
        yield piece_of(_document("\n".join(other), response))


async def _events(response: Response, other: list[str]) -> AsyncGenerator[str, None]:
    """The data of each event; lines that belong to none are added to `other`."""
    data: list[str] = []
    async with contextlib.aclosing(_lines(response)) as lines:
        async for line in lines:
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data = []
            elif line and not line.startswith((":", "event:", "id:", "retry:")) and sum(map(len, other)) < _MOST_OTHER:
                other.append(line)
    if data:  # the last event was not closed
        yield "\n".join(data)


async def _lines(response: Response) -> AsyncGenerator[str, None]:
    """Lines of UTF-8: cut as bytes, so that a character which two packets share stays whole."""
    rest = b""
    async for block in response.aiter_bytes():
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
    yield rest.rstrip(b"\r").decode("utf-8", "replace")


async def _drain(events: AsyncIterator[str]) -> None:
    """Read what may still follow the end mark: only then can the connection be used again."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in events:
                pass


def _loaded(data: str) -> Mapping[str, Any]:
    try:
        document = json.loads(data)
    except ValueError:
        raise NoReplyError(f"the server sent an event that is no JSON: {data[:80]!r}") from None
    return document if isinstance(document, Mapping) else {}


def _document(body: str, response: Response) -> Mapping[str, Any]:
    """A whole reply that came although a stream was asked for."""
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, Mapping) or not ("choices" in document or "error" in document):
        kind = response.headers.get("content-type", "no content type")
        raise NoReplyError(f"the server answered with something that is no reply of a model ({kind}): {body[:80]!r}")
    return document


def piece_of(document: Mapping[str, Any]) -> Piece:
    """The piece that a chunk or a whole completion holds, of its first choice. Raises ReportedError."""
    if error := document.get("error"):
        raise _reported(error)
    usage = document.get("usage")
    usage = usage if isinstance(usage, Mapping) else None
    choices = document.get("choices")
    first = next((choice for choice in choices or () if choice and not choice.get("index")), None)
    if first is None:
        return Piece(usage=usage)
    said = first.get("delta") or first.get("message") or {}
    text, thought = parts_of(said.get("content"))
    return Piece(
        text=text + _text(said.get("refusal")),
        reasoning=(_text(said.get("reasoning_content")) or _text(said.get("reasoning"))) + thought,
        finish_reason=_text(first.get("finish_reason")),
        usage=usage,
    )


def parts_of(content: Any) -> tuple[str, str]:
    """The text and the thought of a content that is a text or a list of parts, as some servers of reasoning models
    send it. A part is a thought by its type, whatever it holds; every other one that holds a text is text."""
    if isinstance(content, Mapping):
        kind = str(content.get("type") or "")
        thinks = "think" in kind or "reason" in kind
        keys = ("text", "thinking", "reasoning", "refusal", "content")
        text, thought = parts_of(next((content[key] for key in keys if key in content), ""))
        return ("", text + thought) if thinks else (text, thought)
    if isinstance(content, list):
        parts = [parts_of(part) for part in content]
        return "".join(text for text, _ in parts), "".join(thought for _, thought in parts)
    return _text(content), ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _reported(error: Any) -> ReportedError:
    told = error if isinstance(error, Mapping) else {"message": str(error)}
    code, kind = told.get("code"), str(told.get("type") or "")
    known = next((_STATUS_BY_TYPE[name] for name in (str(code), kind) if name in _STATUS_BY_TYPE), 500)
    status = code if isinstance(code, int) and 400 <= code < 600 else known
    message = _text(told.get("message")) or "the server reported an error without words"
    return ReportedError(message, status, str(code or kind))
