"""Sorting what a provider answers: who can mend it, whether waiting helps, and words without secrets."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import urlsplit

from agents.errors import (
    ContextTooLongError,
    ModelAccessError,
    ModelAuthenticationError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelUnavailableError,
)
from agents.llm.event_stream import NoReplyError
from agents.llm.messages import ModelProfile

_CONTEXT = re.compile(
    r"context[ _]?(?:length|window|size)|maximum context|too many (?:input )?tokens|prompt is too long|exceed_context",
    re.I,
)
# litellm gives an error behind a status of 200 the status 422.
_BUSY = re.compile(r"overloaded|unavailable|try again|temporar|internal error|server error", re.I)
_NO_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.I)
_NO_KEY = re.compile(r"missing credentials|api[_ ]key.{0,40}(?:must be set|not set|missing|required)|no api key", re.I)
_SECRET = re.compile(
    r"\b(?:sk|pk|gsk|xai|key)-[-_A-Za-z0-9*.]{6,}|\bAIza[-_A-Za-z0-9*]{6,}|(?<=Bearer )\S+|(?<=://)[^/\s@]+(?=@)",
    re.IGNORECASE,
)
_SHORTEST_KEY = 6  # what is shorter is no key but a word that a server without keys was given
# "litellm.RateLimitError: RateLimitError: OpenAIException - " and the like.
_LAYERS = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?:: | - ))+")


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt. `passes`: waiting may help. `retry_after` seconds, where the provider said so."""

    error: ModelAccessError
    reason: str
    passes: bool = False
    timed_out: bool = False
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait, in seconds. Timeouts are dear, so they are retried less often."""

    retries: int = 5
    timeouts: int = 1
    first_wait: float = 1.0
    longest_wait: float = 60.0
    jitter: float = 0.25

    def wait(self, attempt: int, failure: Failure) -> float | None:
        """Seconds to wait after failed attempt number `attempt`, from 1; None: give up."""
        allowed = self.timeouts if failure.timed_out else self.retries
        if not failure.passes or attempt > allowed:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.longest_wait else None
        backed_off: float = self.first_wait * 2 ** (attempt - 1)
        return min(self.longest_wait, backed_off * (1 + random.random() * self.jitter))


def sort_failure(error: Exception, profile: ModelProfile) -> Failure:
    """What `error` of an attempt to ask `profile` means. Never repeats a key."""
    said = _without_secrets(_provider_words(error), profile)
    status = _status(error)
    name = f'The model "{profile.name}"'
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return _too_slow(name, profile)
    if "ContextWindow" in type(error).__name__ or (status in (None, 400, 413, 422, 500) and _CONTEXT.search(said)):
        return Failure(ContextTooLongError(_too_long(name, profile), said), "the prompt is too long")
    if status in (401, 403) or _NO_KEY.search(said):
        words = f"{name} refused its key. An administrator must check the key of this model profile."
        return Failure(ModelAuthenticationError(words, said), "the key was refused")
    if status in (402, 429):
        return _limited(error, name, said, passes=status == 429 and not _NO_CREDIT.search(f"{said} {_code(error)}"))
    if status is None or status >= 500 or status == 408 or (status == 422 and _BUSY.search(said)):
        return _failing(error, name, said, _place(profile))
    words = f"{name} declined the request. An administrator must check this model profile."
    return Failure(ModelRefusedError(words, said), "the request was declined")


def _too_slow(name: str, profile: ModelProfile) -> Failure:
    words = f"{name} sent nothing for {profile.timeout_seconds:g} seconds. Try again later, or ask an administrator."
    return Failure(ModelUnavailableError(words), "no answer in time", passes=True, timed_out=True)


def _failing(error: Exception, name: str, said: str, place: str) -> Failure:
    words = f"{name} cannot be reached or failed. Try again later, or ask an administrator."
    status, after = _status(error), _retry_after(error)
    broken = "its reply cannot be read" if isinstance(error, NoReplyError) else "the connection failed"
    reason = f"its server failed with status {status}" if status else broken
    return Failure(ModelUnavailableError(words, f"{place}: {said}"), reason, passes=True, retry_after=after)


def _too_long(name: str, profile: ModelProfile) -> str:
    return (
        f"{name} cannot read that much: the question, the schema and the steps so far do not fit into its context "
        f"({profile.context_tokens:,} tokens by its profile). Ask a narrower question, or have an administrator lower "
        f"the schema budget or choose a model with a larger context."
    )


def _limited(error: Exception, name: str, said: str, passes: bool) -> Failure:
    after = _retry_after(error)
    when = f"in {after:.0f} seconds" if after else "in a minute"
    words = (
        f"{name} is asked too often just now. Try again {when}."
        if passes
        else f"{name} has no credit left. An administrator must check the account."
    )
    return Failure(ModelRateLimitedError(words, said), "too many requests", passes=passes, retry_after=after)


def _status(error: Exception) -> int | None:
    """The HTTP status behind `error`; None where there was no answer at all."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _code(error: Exception) -> str:
    return str(getattr(error, "code", "") or "")


def _retry_after(error: Exception) -> float | None:
    """Retry-After as seconds from now: a number, or a date."""
    headers: Mapping[str, Any] = getattr(getattr(error, "response", None), "headers", None) or {}
    value = str(headers.get("retry-after") or "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None


def _provider_words(error: Exception) -> str:
    words = _LAYERS.sub("", str(error).split("\n")[0]).strip()
    return words if len(words) <= 300 else f"{words[:297]}…"


def _without_secrets(words: str, profile: ModelProfile) -> str:
    if len(profile.key) >= _SHORTEST_KEY:
        words = words.replace(profile.key, "[key]")
    return _SECRET.sub("[key]", words)


def _place(profile: ModelProfile) -> str:
    """Where the model is, without a user or password in the address."""
    parts = urlsplit(profile.api_base)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}" if parts.port else parts.hostname or "its provider"
