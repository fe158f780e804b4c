"""Tokens and money of one call. Dollars are worked out in decimals, as on paper, and rounded nowhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

from agents.llm.messages import ModelProfile, Usage

_MILLION = Decimal(1_000_000)
_MOST_TOKENS = 10**9  # of one call: what is above is no count
_CHARACTERS_PER_TOKEN = 4
_LISTED_AS = {
    "price_input": "input_cost_per_token",
    "price_cached": "cache_read_input_token_cost",
    "price_output": "output_cost_per_token",
}


def usage_of(
    litellm: Any,
    profile: ModelProfile,
    told: Mapping[str, Any] | None,
    messages: Sequence[Mapping[str, Any]],
    text: str,
) -> Usage:
    """What the provider counted, or an estimate where it did not count, so that a run's budget holds all the same.
    `told` is its usage document in OpenAI's form, None where it sent none; `text` is what the model wrote to
    `messages`. Whatever the document holds, the reply is not lost over it."""
    told = told or {}
    read, written = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    if read is None or written is None or read == written == 0:
        told = {}
        read, written = _estimate(litellm, profile, messages=list(messages)), _estimate(litellm, profile, text=text)
    details = told.get("prompt_tokens_details")
    claimed = details.get("cached_tokens") if isinstance(details, Mapping) else None
    cached = min(_count(claimed) or 0, read)
    cost = cost_of(_completed(litellm, profile), read, cached, written)
    if cost is None:
        cost = _listed(litellm, profile, told if claimed in (None, cached) else {}, Usage(read, cached, written))
    return Usage(read, cached, written, cost)


def _count(told: Any) -> int | None:
    """None for what is no count, such as NaN."""
    return int(told) if isinstance(told, int | float) and 0 <= told < _MOST_TOKENS else None


def _estimate(litellm: Any, profile: ModelProfile, **what: Any) -> int:
    try:
        return int(litellm.token_counter(model=profile.model, **what))
    except Exception:  # noqa: BLE001  a tokenizer that fails must not cost a reply that is paid for
        return len(str(what)) // _CHARACTERS_PER_TOKEN


def cost_of(profile: ModelProfile, tokens: int, cached: int, written: int) -> float | None:
    """US dollars by the profile's own prices; None where it has none. `tokens` read include `cached` ones."""
    if profile.price_input is None and profile.price_output is None:
        return None
    fresh = _price(profile.price_input or 0.0)
    spent = (tokens - cached) * fresh + written * _price(profile.price_output or 0.0)
    spent += cached * (fresh if profile.price_cached is None else _price(profile.price_cached))
    return float(spent / _MILLION)


def _completed(litellm: Any, profile: ModelProfile) -> ModelProfile:
    """`profile` with litellm's price in the place of each one that it leaves open beside those that it sets."""
    own = {name: getattr(profile, name) for name in _LISTED_AS}
    if None not in own.values() or not any(price is not None for price in own.values()):
        return profile
    listed: Mapping[str, Any] = _per_million(litellm, profile.model)
    return replace(profile, **{name: price for name, price in listed.items() if own[name] is None})


def _price(dollars: float) -> Decimal:
    return Decimal(repr(dollars))


def _listed(litellm: Any, profile: ModelProfile, told: Mapping[str, Any], usage: Usage) -> float | None:
    """By litellm's list of prices, None for a model that is not on it. `told` may hold what has a price of its own; by
    `usage` alone where litellm cannot read it."""
    if not _is_listed(litellm, profile.model):
        return None
    plain = {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
    for document in filter(None, (told, plain)):
        try:
            parts = litellm.cost_per_token(model=profile.model, usage_object=litellm.Usage(**document))
            cost = float(sum(Decimal(repr(part)) for part in parts))
        except Exception:  # noqa: BLE001  an odd document must not cost a reply that is paid for
            continue
        if math.isfinite(cost):
            return cost
    return None


@cache
def _per_million(litellm: Any, model: str) -> Mapping[str, float]:
    """US dollars per million tokens by litellm's list, under a profile's names; those that it does not know left out.
    """
    if not _is_listed(litellm, model):
        return {}
    listed = litellm.get_model_info(model)
    known = {name: listed.get(key) for name, key in _LISTED_AS.items()}
    return {name: float(_price(price) * _MILLION) for name, price in known.items() if price is not None}


@cache
def _is_listed(litellm: Any, model: str) -> bool:
    """Found out once: to search in vain takes litellm longer than to find."""
    unknown = (litellm.exceptions.ModelNotMappedError, litellm.exceptions.BadRequestError, ValueError, KeyError)
    try:
        litellm.cost_per_token(model=model, prompt_tokens=1, completion_tokens=1)
    except unknown:
        return False
    return True
