"""From a stored language model, or the environment, to the frozen profile that the client takes."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Literal, cast

from agents.llm.messages import ModelProfile
from agents.llm.profiles import chain_from_environment
from agents.models import LanguageModel
from connections import crypto


def profile_of(language_model: LanguageModel) -> ModelProfile:
    """The profile of a stored model."""
    return ModelProfile(
        name=language_model.name,
        model=language_model.model,
        api_base=language_model.api_base,
        key=crypto.decrypt(language_model.key_encrypted),
        temperature=language_model.temperature,
        max_output_tokens=language_model.max_output_tokens,
        context_tokens=language_model.context_tokens,
        size=cast(Literal["capable", "small"], language_model.size),
        price_input=_dollars(language_model.price_input),
        price_cached=_dollars(language_model.price_cached),
        price_output=_dollars(language_model.price_output),
        extra=dict(language_model.extra),
        timeout_seconds=float(language_model.timeout_seconds),
        max_concurrent=max(1, language_model.max_concurrent),
        constrained=cast(Literal["", "json_schema", "guided_json"], language_model.constrained),
        samples=language_model.samples,
    )


def chain_of(language_model: LanguageModel | None) -> list[ModelProfile]:
    """The profile of a stored model, and those of the models that stand in for it, each once; for None those of the
    environment."""
    if language_model is None:
        return chain_from_environment(os.environ)
    chain = [language_model]
    while (following := chain[-1].fallback) is not None and following not in chain:
        chain.append(following)
    return [profile_of(model) for model in chain if model is language_model or model.is_active]


def _dollars(price: Decimal | None) -> float | None:
    return None if price is None else float(price)
