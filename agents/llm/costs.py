"""Tokens and money of one call. Dollars are worked out in decimals, as on paper, and rounded nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from agents.llm.messages import ModelProfile, Usage

_MILLION = Decimal(1_000_000)


def usage_of(litellm: Any, profile: ModelProfile, raw: Any) -> Usage:
    """What the provider counted. `raw` is its usage in the form of OpenAI or litellm, None where it sent none."""
    if raw is None:
        return Usage(cost=0.0 if profile.price_input == profile.price_output == 0 else None)
    told = raw if isinstance(raw, litellm.Usage) else litellm.Usage(**raw.model_dump())
    details = getattr(told, "prompt_tokens_details", None)
    cached = min(getattr(details, "cached_tokens", None) or 0, told.prompt_tokens or 0)
    cost = cost_of(profile, told.prompt_tokens or 0, cached, told.completion_tokens or 0)
    if cost is None:
        cost = _listed(litellm, profile, told)
    return Usage(told.prompt_tokens or 0, cached, told.completion_tokens or 0, cost)


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


def _listed(litellm: Any, profile: ModelProfile, told: Any) -> float | None:
    """By litellm's list of prices, None for a model that is not on it."""
    unknown = (litellm.exceptions.ModelNotMappedError, litellm.exceptions.BadRequestError, ValueError, KeyError)
    try:
        return float(sum(Decimal(repr(part)) for part in litellm.cost_per_token(
            model=profile.model, usage_object=told)))  # fmt: skip
    except unknown:
        return None
