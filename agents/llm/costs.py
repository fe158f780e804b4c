"""Tokens and money of one call. Dollars are worked out in decimals, as on paper, and rounded nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from agents.llm.messages import ModelProfile, Usage

_MILLION = Decimal(1_000_000)


def usage_of(litellm: Any, profile: ModelProfile, told: Mapping[str, Any] | None) -> Usage:
    """What the provider counted. `told` is its usage document in OpenAI's form, None where it sent none."""
    if told is None:
        return Usage(cost=0.0 if profile.price_input == profile.price_output == 0 else None)
    read, written = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    cached = min(_count((told.get("prompt_tokens_details") or {}).get("cached_tokens")), read)
    cost = cost_of(profile, read, cached, written)
    if cost is None:
        cost = _listed(litellm, profile, told)
    return Usage(read, cached, written, cost)


def _count(told: Any) -> int:
    return int(told) if isinstance(told, int | float) else 0


def estimated_usage(litellm: Any, profile: ModelProfile, messages: Sequence[Mapping[str, Any]], text: str) -> Usage:
    """For a server that streams without counting, so that a run's budget holds all the same."""
    tokens = litellm.token_counter(model=profile.model, messages=list(messages))
    written = litellm.token_counter(model=profile.model, text=text)
    return Usage(tokens, 0, written, cost_of(profile, tokens, 0, written))


def cost_of(profile: ModelProfile, tokens: int, cached: int, written: int) -> float | None:
    """US dollars by the profile's own prices; None where it has none. `tokens` read include `cached` ones."""
    if profile.price_input is None and profile.price_output is None:
        return None
    fresh = _price(profile.price_input or 0.0)
    spent = (tokens - cached) * fresh + written * _price(profile.price_output or 0.0)
    spent += cached * (fresh if profile.price_cached is None else _price(profile.price_cached))
    return float(spent / _MILLION)


def _price(dollars: float) -> Decimal:
    return Decimal(repr(dollars))


def _listed(litellm: Any, profile: ModelProfile, told: Mapping[str, Any]) -> float | None:
    """By litellm's list of prices, None for a model that is not on it."""
    if not _is_listed(litellm, profile.model):
        return None
    parts = litellm.cost_per_token(model=profile.model, usage_object=litellm.Usage(**told))
    return float(sum(Decimal(repr(part)) for part in parts))


@cache
def _is_listed(litellm: Any, model: str) -> bool:
    """Found out once: to search in vain takes litellm longer than to find."""
    unknown = (litellm.exceptions.ModelNotMappedError, litellm.exceptions.BadRequestError, ValueError, KeyError)
    try:
        litellm.cost_per_token(model=model, prompt_tokens=1, completion_tokens=1)
    except unknown:
        return False
    return True
