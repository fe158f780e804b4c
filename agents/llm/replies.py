"""One request and what comes back: whole, or piece by piece. Works on the module that client.py imported."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.llm.costs import estimated_usage, usage_of
from agents.llm.messages import ModelProfile, Reply, Usage


class BrokenStreamError(ConnectionError):
    """The stream ended without saying why."""


async def attempt_once(
    litellm: Any, request: Mapping[str, Any], profile: ModelProfile, tell: Callable[[str], None]
) -> tuple[Reply, ...]:
    """The replies to one request. Raises what the provider raises, or TimeoutError when nothing came for the profile's
    timeout."""
    seen = _Transcript()
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(profile.timeout_seconds) as patience:
        answer = await litellm.acompletion(**request)
        if not request["stream"]:
            return _whole(answer, usage_of(litellm, profile, answer.usage), seen.began, profile, tell)
        async with contextlib.aclosing(_chunks(litellm, answer)) as chunks:
            async for chunk in chunks:
                patience.reschedule(loop.time() + profile.timeout_seconds)
                _take(chunk, seen, tell)
    if not seen.ended:
        raise BrokenStreamError("the connection broke off in the middle of the reply")
    if seen.usage is None:
        return (seen.reply(estimated_usage(litellm, profile, request["messages"], seen.written), profile),)
    return (seen.reply(usage_of(litellm, profile, seen.usage), profile),)


async def _chunks(litellm: Any, answer: Any) -> AsyncGenerator[Any, None]:
    """The pieces as the provider sent them, where they have OpenAI's form already: what litellm does to each, and to
    all of them at the end for logs that nobody reads, costs as much processor time as everything else of a turn."""
    own = answer.completion_stream
    plain = isinstance(own, litellm.openai.AsyncStream)
    try:
        async for chunk in own if plain else answer:
            yield chunk
    finally:
        await (own.close() if plain else answer.aclose())


@dataclass
class _Transcript:
    """What has arrived so far."""

    began: float = field(default_factory=time.monotonic)
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish_reason: str = "stop"
    ended: bool = False
    usage: Any = None
    first_token: float = 0.0

    def add(self, message: Any) -> str:
        """Take the text of a delta or message; returns what is new for people."""
        reasoning = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None) or ""
        text = message.content or ""
        if (reasoning or text) and not self.first_token:
            self.first_token = time.monotonic() - self.began
        self.reasoning.append(reasoning)
        self.text.append(text)
        return str(reasoning + text)

    @property
    def written(self) -> str:
        return "".join([*self.reasoning, *self.text])

    def reply(self, usage: Usage, profile: ModelProfile) -> Reply:
        seconds = time.monotonic() - self.began
        text, reasoning, first = "".join(self.text), "".join(self.reasoning), self.first_token or seconds
        return Reply(text, reasoning, self.finish_reason, usage, seconds, first, profile.name)


def _whole(
    answer: Any, usage: Usage, began: float, profile: ModelProfile, tell: Callable[[str], None]
) -> tuple[Reply, ...]:
    """The replies of an answer that came in one piece; its usage stands at the first."""
    replies: list[Reply] = []
    for choice in answer.choices:
        seen = _Transcript(began, finish_reason=choice.finish_reason)
        tell(seen.add(choice.message))
        replies.append(seen.reply(Usage(cost=usage.cost and 0.0) if replies else usage, profile))
    return tuple(replies)


def _take(chunk: Any, seen: _Transcript, tell: Callable[[str], None]) -> None:
    seen.usage = getattr(chunk, "usage", None) or seen.usage
    if not chunk.choices:
        return
    choice = chunk.choices[0]
    if choice.delta is not None and (new := seen.add(choice.delta)):
        tell(new)
    if choice.finish_reason:
        seen.finish_reason, seen.ended = choice.finish_reason, True
