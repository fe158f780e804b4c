"""The only door to language models, and the only module that imports litellm.

litellm is imported at the first call: it takes seconds. It is told to fetch nothing and report nothing; retries are
our own, because its own need a package that it does not install and cannot be shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import cache
from queue import SimpleQueue
from typing import Any

from agents.errors import ModelAuthenticationError, RunCancelledError
from agents.llm.failures import RetryPolicy, sort_failure
from agents.llm.messages import Message, ModelProfile, Reply, Usage
from agents.llm.network import submit
from agents.llm.requests import request_of, several

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class _Delta:
    text: str


@dataclass(frozen=True, slots=True)
class _Waiting:
    attempt: int
    wait: float
    reason: str


_Tell = Callable[[_Delta | _Waiting | None], None]


class LiteLLMClient:
    """Asks one model. Safe to use from several threads; `cancel` is final for this client."""

    def __init__(self, profile: ModelProfile, retries: RetryPolicy | None = None) -> None:
        self.profile = profile
        self._retries = retries or RetryPolicy()
        self._lock = threading.Lock()
        self._running: set[Future[tuple[Reply, ...]]] = set()
        self._cancelled = False

    def complete(
        self,
        messages: Sequence[Message],
        *,
        on_delta: Callable[[str], None] | None = None,
        on_retry: Callable[[int, float, str], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
    ) -> Reply:
        """One reply. `on_delta` gets reasoning and text as they are written, and from the start again after `on_retry`;
        both are called in the caller's thread. Raises a ModelAccessError, or RunCancelledError after `cancel`."""
        request = request_of(self.profile, messages, temperature, max_tokens, stop)
        return self._replies(request, on_delta, on_retry)[0]

    def samples(
        self,
        messages: Sequence[Message],
        count: int,
        *,
        on_retry: Callable[[int, float, str], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> tuple[Reply, ...]:
        """Several replies to the same messages, for a vote: in one request where the provider can, which reads the
        prompt once; else the rest one by one. The usage of a request stands at its first reply."""
        replies: list[Reply] = []
        while len(replies) < count:
            request = request_of(self.profile, messages, temperature, max_tokens, ())
            replies += self._replies(several(request, count - len(replies)), None, on_retry)
        return tuple(replies[:count])

    def _replies(
        self,
        request: Mapping[str, Any],
        on_delta: Callable[[str], None] | None,
        on_retry: Callable[[int, float, str], None] | None,
    ) -> tuple[Reply, ...]:
        litellm = _litellm()
        _refuse_without_key(litellm, self.profile)
        told: SimpleQueue[_Delta | _Waiting | None] = SimpleQueue()
        with self._registered(lambda: submit(self._ask(litellm, request, told.put))) as future:
            future.add_done_callback(lambda _: told.put(None))
            while (piece := told.get()) is not None:
                if isinstance(piece, _Delta) and on_delta:
                    on_delta(piece.text)
                elif isinstance(piece, _Waiting) and on_retry:
                    on_retry(piece.attempt, piece.wait, piece.reason)
            try:
                return future.result()
            except CancelledError:
                raise RunCancelledError("The run was stopped while the model was answering.") from None

    def cancel(self) -> None:
        """From another thread: close the running requests; later ones are refused."""
        with self._lock:
            self._cancelled = True
            running = list(self._running)
        for future in running:
            future.cancel()

    @contextlib.contextmanager
    def _registered(self, start: Callable[[], Future[tuple[Reply, ...]]]) -> Iterator[Future[tuple[Reply, ...]]]:
        """A call that `cancel` reaches from its first moment on, and that never outlives its caller."""
        with self._lock:
            if self._cancelled:
                raise RunCancelledError("The run was stopped.")
            future = start()
            self._running.add(future)
        try:
            yield future
        finally:
            future.cancel()
            with self._lock:
                self._running.discard(future)

    async def _ask(self, litellm: Any, request: Mapping[str, Any], tell: _Tell) -> tuple[Reply, ...]:
        """Attempts until one succeeds or waiting no longer helps."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await _attempt(litellm, request, self.profile, tell)
            except Exception as error:  # noqa: BLE001  a task's edge: providers raise whatever they like
                failure = sort_failure(error, self.profile)
            wait = self._retries.wait(attempt, failure)
            if wait is None:
                raise failure.error
            tell(_Waiting(attempt, wait, failure.reason))
            await asyncio.sleep(wait)


def preload() -> None:
    """Import litellm now, for example in a thread while something else is waited for."""
    _litellm()


@dataclass
class _Transcript:
    """What has arrived so far."""

    began: float = field(default_factory=time.monotonic)
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish_reason: str = "stop"
    usage: Any = None
    first_token: float = 0.0

    def add(self, message: Any) -> str:
        """Take the text of a delta or message; returns what is new for people."""
        reasoning, text = getattr(message, "reasoning_content", None) or "", message.content or ""
        if (reasoning or text) and not self.first_token:
            self.first_token = time.monotonic() - self.began
        self.reasoning.append(reasoning)
        self.text.append(text)
        return str(reasoning + text)

    def reply(self, usage: Usage) -> Reply:
        seconds = time.monotonic() - self.began
        return Reply(
            "".join(self.text), "".join(self.reasoning), self.finish_reason, usage, seconds, self.first_token or seconds
        )


async def _attempt(litellm: Any, request: Mapping[str, Any], profile: ModelProfile, tell: _Tell) -> tuple[Reply, ...]:
    """One request. Raises what the provider raises, or TimeoutError when nothing came for the profile's timeout."""
    seen = _Transcript()
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(profile.timeout_seconds) as patience:
        answer = await litellm.acompletion(**request)
        if not request["stream"]:
            return _whole(answer, _usage(litellm, profile, answer.usage), seen.began, tell)
        async with contextlib.aclosing(answer) as chunks:
            async for chunk in chunks:
                patience.reschedule(loop.time() + profile.timeout_seconds)
                _take(chunk, seen, tell)
    return (seen.reply(_usage(litellm, profile, seen.usage)),)


def _whole(answer: Any, usage: Usage, began: float, tell: _Tell) -> tuple[Reply, ...]:
    """The replies of an answer that came in one piece."""
    replies: list[Reply] = []
    for choice in answer.choices:
        seen = _Transcript(began, finish_reason=choice.finish_reason)
        tell(_Delta(seen.add(choice.message)))
        replies.append(seen.reply(Usage(cost=usage.cost and 0.0) if replies else usage))
    return tuple(replies)


def _take(chunk: Any, seen: _Transcript, tell: _Tell) -> None:
    seen.usage = getattr(chunk, "usage", None) or seen.usage
    if not chunk.choices:
        return
    if new := seen.add(chunk.choices[0].delta):
        tell(_Delta(new))
    seen.finish_reason = chunk.choices[0].finish_reason or seen.finish_reason


def _usage(litellm: Any, profile: ModelProfile, raw: Any) -> Usage:
    if raw is None:
        return Usage(cost=0.0 if profile.price_input == profile.price_output == 0 else None)
    details = getattr(raw, "prompt_tokens_details", None)
    cached = min(getattr(details, "cached_tokens", None) or 0, raw.prompt_tokens or 0)
    return Usage(raw.prompt_tokens or 0, cached, raw.completion_tokens or 0, _cost(litellm, profile, raw, cached))


def _cost(litellm: Any, profile: ModelProfile, raw: Any, cached: int) -> float | None:
    """US dollars: by the profile's own prices where it has any, else by litellm's, else unknown."""
    if profile.price_input is None and profile.price_output is None:
        return _listed_cost(litellm, profile, raw)
    fresh_price = profile.price_input or 0.0
    cached_price = fresh_price if profile.price_cached is None else profile.price_cached
    spent: float = (raw.prompt_tokens - cached) * fresh_price + cached * cached_price
    spent += raw.completion_tokens * (profile.price_output or 0.0)
    return spent / _MILLION


def _listed_cost(litellm: Any, profile: ModelProfile, raw: Any) -> float | None:
    unknown = (litellm.exceptions.ModelNotMappedError, litellm.exceptions.BadRequestError, ValueError, KeyError)
    try:
        return float(sum(litellm.cost_per_token(model=profile.model, usage_object=raw)))
    except unknown:
        return None


def _refuse_without_key(litellm: Any, profile: ModelProfile) -> None:
    """A missing key is known before anything is sent, and by the name of the variable that would hold it."""
    if profile.key or profile.api_base:
        return
    missing = [name for name in litellm.validate_environment(profile.model)["missing_keys"] if name.endswith("_KEY")]
    if missing and not any(name.startswith("AWS_") for name in missing):  # those may come from the machine's role
        raise ModelAuthenticationError(
            f'The model "{profile.name}" has no key. An administrator must enter one in its profile, '
            f"or set LLM_API_KEY (or {' or '.join(missing)})."
        )


_import = threading.Lock()


def _litellm() -> Any:
    with _import:
        return _imported()


@cache
def _imported() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it reads a .env file of its own accord
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.disable_aiohttp_transport = True  # its sessions outlive their loop
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm
