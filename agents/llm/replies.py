"""One request and what comes back: whole, or piece by piece. Works on the module that client.py imported."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.llm import event_stream
from agents.llm.costs import usage_of
from agents.llm.event_stream import NoReplyError, Piece
from agents.llm.messages import ModelProfile, Reply, Usage

PACE = 0.05  # seconds that text is gathered before it is told: each telling wakes a thread
LATE_SECONDS = 2.0  # what may still come (the usage) once a reply is complete


class BrokenStreamError(ConnectionError):
    """The stream ended without saying why."""


async def attempt_once(
    litellm: Any, request: Mapping[str, Any], profile: ModelProfile, tell: Callable[[str], None]
) -> tuple[Reply, ...]:
    """The replies to one request, at least one. Raises what the provider raises, NoReplyError when its answer holds no
    reply, or TimeoutError when nothing came for the profile's timeout."""
    began = time.monotonic()
    if not request["stream"]:
        async with asyncio.timeout(profile.timeout_seconds):
            answer = await litellm.acompletion(**request)
        return _whole(litellm, answer, request, profile, began, tell)
    seen = _Transcript(began)
    with contextlib.closing(_Paced(tell)) as paced:
        await _listen(litellm, request, profile, seen, paced)
        paced.flush()
    if not seen.ended:
        raise BrokenStreamError("the connection broke off in the middle of the reply")
    return (seen.reply(usage_of(litellm, profile, seen.usage, request["messages"], seen.written), profile),)


async def _listen(
    litellm: Any, request: Mapping[str, Any], profile: ModelProfile, seen: _Transcript, tell: Callable[[str], None]
) -> None:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(profile.timeout_seconds) as patience:
            answer = await litellm.acompletion(**request)
            async with contextlib.aclosing(_pieces(litellm, answer)) as pieces:
                async for piece in pieces:
                    if piece != Piece():  # a server that only says that it lives may say so for ever
                        patience.reschedule(loop.time() + (LATE_SECONDS if seen.ended else profile.timeout_seconds))
                    if new := seen.take(piece):
                        tell(new)
    except TimeoutError:
        if not seen.ended:
            raise


async def _pieces(litellm: Any, answer: Any) -> AsyncGenerator[Piece, None]:
    """The pieces as the provider sent them, where they have OpenAI's form already: what litellm and the SDK do to each
    of them costs as much processor time as everything else of a turn."""
    own = answer.completion_stream
    if isinstance(own, litellm.openai.AsyncStream):
        try:
            async with contextlib.aclosing(event_stream.pieces(own.response)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            await own.close()
        return
    try:
        async for chunk in answer:
            choice = chunk.choices[0] if chunk.choices else None
            yield _piece(choice, choice and choice.delta, _plain(getattr(chunk, "usage", None)))
    finally:
        await answer.aclose()


def _piece(choice: Any, said: Any, usage: Mapping[str, Any] | None) -> Piece:
    """Of one of litellm's objects."""
    text, thought = event_stream.parts_of(getattr(said, "content", None))
    return Piece(
        text=text + (getattr(said, "refusal", None) or ""),
        reasoning=(getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None) or "") + thought,
        finish_reason=(choice and choice.finish_reason) or "",
        usage=usage,
    )


def _plain(usage: Any) -> Mapping[str, Any] | None:
    document: Mapping[str, Any] | None = usage.model_dump() if usage else None
    return document


class _Paced:
    """Hands on what is written at a pace."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._held: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, text: str) -> None:
        self._held.append(text)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PACE, self.flush)

    def flush(self) -> None:
        held, self._held = _joined(self._held), []
        self.close()
        if held:
            self._tell(held)

    def close(self) -> None:
        """What is held by now belongs to an attempt that failed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass
class _Transcript:
    """What has arrived so far."""

    began: float
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: Mapping[str, Any] | None = None
    first_token: float = 0.0

    @property
    def ended(self) -> bool:
        return bool(self.finish_reason)

    def take(self, piece: Piece) -> str:
        """Add a piece; returns what is new for people."""
        new = piece.reasoning + piece.text
        if new and not self.first_token:
            self.first_token = time.monotonic() - self.began
        self.reasoning.append(piece.reasoning)
        self.text.append(piece.text)
        self.finish_reason = self.finish_reason or piece.finish_reason
        self.usage = piece.usage or self.usage
        return new

    @property
    def written(self) -> str:
        return "".join([*self.reasoning, *self.text])

    def reply(self, usage: Usage, profile: ModelProfile) -> Reply:
        seconds = time.monotonic() - self.began
        text, reasoning, first = _joined(self.text), _joined(self.reasoning), self.first_token or seconds
        return Reply(text, reasoning, self.finish_reason or "stop", usage, seconds, first, profile.name)


def _joined(pieces: Sequence[str]) -> str:
    """As one text that can be stored and sent: servers that count in UTF-16 cut a character into two halves."""
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole(
    litellm: Any,
    answer: Any,
    request: Mapping[str, Any],
    profile: ModelProfile,
    began: float,
    tell: Callable[[str], None],
) -> tuple[Reply, ...]:
    """The replies of an answer that came in one piece; its usage stands at the first. Raises NoReplyError."""
    transcripts: list[_Transcript] = []
    for choice in answer.choices:
        seen = _Transcript(began)
        tell(_joined([seen.take(_piece(choice, choice.message, None))]))
        transcripts.append(seen)
    if not transcripts:
        raise NoReplyError("the server's answer holds no reply (its `choices` are empty)")
    written = "".join(seen.written for seen in transcripts)
    usage = usage_of(litellm, profile, _plain(getattr(answer, "usage", None)), request["messages"], written)
    rest = Usage(cost=usage.cost and 0.0)
    return tuple(seen.reply(rest if number else usage, profile) for number, seen in enumerate(transcripts))
