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
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from queue import Empty, SimpleQueue
from typing import Any

import httpx

from agents.errors import ModelAccessError, ModelAuthenticationError, RunCancelledError
from agents.llm.costs import usage_of
from agents.llm.failures import RetryPolicy, sort_failure
from agents.llm.lanes import LIMITS, Lanes
from agents.llm.messages import Message, ModelProfile, Reply, Usage
from agents.llm.network import gate, submit
from agents.llm.replies import attempt_once
from agents.llm.requests import request_of, several
from agents.llm.unanswered import Unanswered

PULSE = 1.0  # seconds between two calls of `meanwhile`


@dataclass(frozen=True, slots=True)
class _Waiting:
    attempt: int
    wait: float
    reason: str
    lost: Usage | None


@dataclass(frozen=True, slots=True)
class _Caller:
    """What it wants to hear, all in its own thread."""

    on_delta: Callable[[str], None] | None = None
    on_retry: Callable[[int, float, str], None] | None = None
    on_lost: Callable[[Usage], None] | None = None
    meanwhile: Callable[[], None] | None = None

    def hear(self, piece: str | _Waiting) -> None:
        if isinstance(piece, _Waiting):
            self.lose(piece.lost)
            if self.on_retry:
                self.on_retry(piece.attempt, piece.wait, piece.reason)
        elif self.on_delta:
            self.on_delta(piece)

    def lose(self, usage: Usage | None) -> None:
        if usage is not None and self.on_lost:
            self.on_lost(usage)

    def next(self, told: SimpleQueue[str | _Waiting | None]) -> str | _Waiting | None:
        while self.meanwhile:
            try:
                return told.get(timeout=PULSE)
            except Empty:
                self.meanwhile()
        return told.get()


_Tell = Callable[[str | _Waiting | None], None]


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
        on_lost: Callable[[Usage], None] | None = None,
        meanwhile: Callable[[], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """One reply. `on_delta` gets reasoning and text as they are written, and from the start again after `on_retry`;
        `on_lost` what a request used that brought no reply; `meanwhile` is called every second in which nothing comes,
        and may raise to end the call. All are called in the caller's thread. Raises a ModelAccessError, or
        RunCancelledError after `cancel`."""
        request = request_of(self.profile, messages, temperature, max_tokens, stop, schema)
        return self._replies(request, _Caller(on_delta, on_retry, on_lost, meanwhile))[0]

    def samples(
        self,
        messages: Sequence[Message],
        count: int,
        *,
        on_retry: Callable[[int, float, str], None] | None = None,
        on_lost: Callable[[Usage], None] | None = None,
        meanwhile: Callable[[], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> tuple[Reply, ...]:
        """Several replies to the same messages, for a vote: in one request where the provider can, which reads the
        prompt once; else the rest one by one. The usage of a request stands at its first reply. Fewer than `count`, at
        least one, where a later request fails: those are paid for. Raises as `complete`."""
        replies: list[Reply] = []
        while len(replies) < count:
            request = request_of(self.profile, messages, temperature, max_tokens, ())
            caller = _Caller(None, on_retry, on_lost, meanwhile)
            try:
                replies += self._replies(several(request, count - len(replies)), caller)
            except ModelAccessError:
                if not replies:
                    raise
                break
        return tuple(replies[:count])

    def _replies(self, request: Mapping[str, Any], caller: _Caller) -> tuple[Reply, ...]:
        litellm = _litellm()
        _refuse_without_key(litellm, self.profile)
        unanswered = Unanswered(lambda text: usage_of(litellm, self.profile, None, request["messages"], text))
        try:
            return self._heard(litellm, request, caller, unanswered)
        finally:
            caller.lose(unanswered.take())

    def _heard(
        self, litellm: Any, request: Mapping[str, Any], caller: _Caller, unanswered: Unanswered
    ) -> tuple[Reply, ...]:
        told: SimpleQueue[str | _Waiting | None] = SimpleQueue()
        with self._registered(lambda: submit(self._ask(litellm, request, told.put, unanswered))) as future:
            future.add_done_callback(lambda _: told.put(None))
            while (piece := caller.next(told)) is not None:
                caller.hear(piece)
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

    async def _ask(
        self, litellm: Any, request: Mapping[str, Any], tell: _Tell, unanswered: Unanswered
    ) -> tuple[Reply, ...]:
        """Attempts until one succeeds or waiting no longer helps."""
        attempt = 0
        while True:
            attempt += 1
            try:
                async with gate(self.profile.place, self.profile.max_concurrent):
                    with unanswered.request(tell) as noted:
                        return await attempt_once(litellm, request, self.profile, noted)
            except Exception as error:  # noqa: BLE001  a task's edge: providers raise whatever they like
                failure = sort_failure(error, self.profile)
            wait = self._retries.wait(attempt, failure)
            if wait is None:
                raise failure.error
            tell(_Waiting(attempt, wait, failure.reason, unanswered.take()))
            await asyncio.sleep(wait)


def preload() -> None:
    """Import litellm now, for example in a thread while something else is waited for."""
    _litellm()


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


def _http_client() -> httpx.AsyncClient:
    """What litellm would make for the providers that speak as OpenAI does, but in lanes: its certificates and the
    environment's proxies."""
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, get_ssl_configuration

    verify = get_ssl_configuration()
    mounts = AsyncHTTPHandler.create_httpx_proxy_mounts(httpx.AsyncHTTPTransport(), verify=verify, cert=None)
    pools = Lanes(lambda: httpx.AsyncHTTPTransport(verify=verify, limits=LIMITS))
    none = CookieJar(DefaultCookiePolicy(allowed_domains=()))  # all keys share this client: none gets another's cookies
    return httpx.AsyncClient(transport=pools, mounts=mounts, follow_redirects=True, cookies=none)


def _unpriced(**_: Any) -> None:
    """In the place of litellm's prices: it works them out for each reply, even for a stream that has not begun, and
    takes half as long for that as for the request. costs.py does it from the usage."""


@cache
def _imported() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it reads a .env file of its own accord
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True  # tokens are only estimated by it
    litellm.disable_aiohttp_transport = True  # its sessions outlive their loop
    litellm.aclient_session = _http_client()
    litellm.response_cost_calculator = _unpriced  # type: ignore[assignment]  # it may return None, says its caller
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm
