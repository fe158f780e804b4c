"""A model with others that stand in for it: the first one that can be asked answers, and goes on answering."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from agents.errors import ModelAuthenticationError, ModelRateLimitedError, ModelUnavailableError
from agents.llm.client import LiteLLMClient
from agents.llm.failures import RetryPolicy
from agents.llm.messages import Message, ModelProfile, Reply

T = TypeVar("T")

# What another model may be spared; a prompt that is too long or declined is no fault of the model's server.
ABSENT = (ModelUnavailableError, ModelRateLimitedError, ModelAuthenticationError)

OnRetry = Callable[[int, float, str], None]


class FallbackClient:
    """Asks the models of `profiles` in order, each with all its retries. `profile` is the first one's: it decides how
    the run goes. Safe to use from several threads."""

    def __init__(self, profiles: Sequence[ModelProfile], retries: RetryPolicy | None = None) -> None:
        self.profile = profiles[0]
        self._clients = [LiteLLMClient(profile, retries) for profile in profiles]
        self._at = 0
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], *, on_retry: OnRetry | None = None, **options: Any) -> Reply:
        """As LiteLLMClient.complete; a change of model is told through `on_retry`."""
        return self._first(lambda client: client.complete(messages, on_retry=on_retry, **options), on_retry)

    def samples(
        self, messages: Sequence[Message], count: int, *, on_retry: OnRetry | None = None, **options: Any
    ) -> tuple[Reply, ...]:
        return self._first(lambda client: client.samples(messages, count, on_retry=on_retry, **options), on_retry)

    def cancel(self) -> None:
        for client in self._clients:
            client.cancel()

    def _first(self, ask: Callable[[LiteLLMClient], T], on_retry: OnRetry | None) -> T:
        while True:
            at = self._at
            try:
                return ask(self._clients[at])
            except ABSENT as error:
                if at + 1 >= len(self._clients):
                    raise
                self._go_on_from(at, error, on_retry)

    def _go_on_from(self, at: int, error: Exception, on_retry: OnRetry | None) -> None:
        with self._lock:
            self._at = max(self._at, at + 1)
        if on_retry is not None:
            missing, next_one = self._clients[at].profile.name, self._clients[at + 1].profile.name
            on_retry(1, 0.0, f"{missing} cannot be asked ({type(error).__name__}); {next_one} answers instead")
