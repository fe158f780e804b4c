"""Model profiles from the environment, and the profile of the local model that answers when none is set."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar, cast
from urllib.parse import urlsplit

from agents.llm.messages import ModelProfile

T = TypeVar("T")

LOCAL_MODEL_NAME = "local"
LOCAL_MODEL_ID = "openai/qwen2.5-coder-1.5b-instruct"
LOCAL_PORT = 8021
_UNSAID = ModelProfile(name="", model="")  # what holds where nothing is said
# What the client decides itself; anything else in LLM_EXTRA goes to the provider as it is.
RESERVED_EXTRA = frozenset(
    {"model", "messages", "api_key", "api_base", "base_url", "temperature", "max_tokens", "timeout"}
)


class ProfileError(ValueError):
    """A variable holds a value that cannot be used; the message names the variable and what it may hold."""


def from_environment(env: Mapping[str, str]) -> ModelProfile:
    """The profile that the LLM_* variables describe; the local model's when LLM_MODEL is not set.

    Raises ProfileError on a value that cannot be used.
    """
    model = env.get("LLM_MODEL", "").strip()
    if not model:
        _refuse_without_model(env, "LLM_MODEL")
        return local_profile(_read(env, "LOCAL_MODEL_PORT", _port, LOCAL_PORT))
    return ModelProfile(
        name=model,
        model=model,
        api_base=_read(env, "LLM_API_BASE", _url, ""),
        key=env.get("LLM_API_KEY", "").strip(),
        temperature=_read_optional(env, "LLM_TEMPERATURE", _number(0, 2)),
        max_output_tokens=_read(env, "LLM_MAX_OUTPUT_TOKENS", _count(16), _UNSAID.max_output_tokens),
        context_tokens=_read(env, "LLM_CONTEXT_TOKENS", _count(1024), _UNSAID.context_tokens),
        size=_read(env, "LLM_SIZE", _size, _UNSAID.size),
        price_input=_read_optional(env, "LLM_PRICE_INPUT", _number(0, 1e6)),
        price_cached=_read_optional(env, "LLM_PRICE_CACHED", _number(0, 1e6)),
        price_output=_read_optional(env, "LLM_PRICE_OUTPUT", _number(0, 1e6)),
        extra=_read(env, "LLM_EXTRA", _extra, {}),
        timeout_seconds=_read(env, "LLM_TIMEOUT_SECONDS", _number(1, 3600), _UNSAID.timeout_seconds),
        max_concurrent=_read(env, "LLM_MAX_CONCURRENT", _count(1), _UNSAID.max_concurrent),
        constrained=_read(env, "LLM_CONSTRAINED", _constrained, ""),
        samples=_read(env, "LLM_SAMPLES", _count(1), _UNSAID.samples),
    )


def chain_from_environment(env: Mapping[str, str]) -> list[ModelProfile]:
    """The environment's profile, and the one of the LLM_FALLBACK_* variables that stands in for it, where it is set.

    Raises ProfileError on a value that cannot be used.
    """
    main = from_environment(env)
    fallback = _fallback_of(main, env)
    return [main, fallback] if fallback else [main]


def _fallback_of(main: ModelProfile, env: Mapping[str, str]) -> ModelProfile | None:
    """How it is asked is as for `main`; where it is, what it costs and what its server wants is its own."""
    model = env.get("LLM_FALLBACK_MODEL", "").strip()
    if not model:
        _refuse_without_model(env, "LLM_FALLBACK_MODEL")
        return None
    return replace(
        main,
        name=model,
        model=model,
        api_base=_read(env, "LLM_FALLBACK_API_BASE", _url, ""),
        key=env.get("LLM_FALLBACK_API_KEY", "").strip(),
        price_input=_read_optional(env, "LLM_FALLBACK_PRICE_INPUT", _number(0, 1e6)),
        price_cached=_read_optional(env, "LLM_FALLBACK_PRICE_CACHED", _number(0, 1e6)),
        price_output=_read_optional(env, "LLM_FALLBACK_PRICE_OUTPUT", _number(0, 1e6)),
        extra=_read(env, "LLM_FALLBACK_EXTRA", _extra, {}),
        constrained=_read(env, "LLM_FALLBACK_CONSTRAINED", _constrained, ""),
    )


def local_profile(port: int = LOCAL_PORT) -> ModelProfile:
    """The embedded model: small, free, on this machine. Its first token may take long on two cores. Three of its drafts
    vote: right more often than one, and quick, as their common prompt is read once (docs/evaluation.md).

    One request at a time: what has been read of a prompt helps the next one that begins alike, but not one beside it.
    """
    return ModelProfile(
        name=LOCAL_MODEL_NAME,
        model=LOCAL_MODEL_ID,
        api_base=f"http://127.0.0.1:{port}/v1",
        key="not-needed",
        temperature=0.0,
        max_output_tokens=768,
        context_tokens=16_384,
        size="small",
        price_input=0.0,
        price_cached=0.0,
        price_output=0.0,
        timeout_seconds=300.0,
        max_concurrent=1,
        constrained="json_schema",
        samples=3,
    )


def is_local(profile: ModelProfile) -> bool:
    return profile.model == LOCAL_MODEL_ID


def _refuse_without_model(env: Mapping[str, str], wanted: str) -> None:
    """`wanted` is not set: neither may be what only says how it is reached."""
    for name in (wanted.replace("MODEL", "API_BASE"), wanted.replace("MODEL", "API_KEY")):
        if env.get(name, "").strip():
            raise ProfileError(
                f"{name} is set but {wanted} is not. Set {wanted} as well, for example openai/gpt-5-mini."
            )


def _read_optional(env: Mapping[str, str], name: str, parse: Callable[[str], T]) -> T | None:
    return _read(env, name, parse, cast(T, None))


def _read(env: Mapping[str, str], name: str, parse: Callable[[str], T], default: T) -> T:
    """An address may hold a password and further parameters a key, so no error repeats these."""
    text = env.get(name, "").strip()
    if not text:
        return default
    try:
        return parse(text)
    except ValueError as error:
        shown = "" if name.endswith(("_API_BASE", "_EXTRA")) else f"={text!r}"
        raise ProfileError(f"{name}{shown} cannot be used: {error}.") from error


def _number(lowest: float, highest: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not lowest <= value <= highest:
            raise ValueError(f"it must be a number from {lowest:g} to {highest:g}")
        return value

    return parse


def _count(lowest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < lowest:
            raise ValueError(f"it must be a whole number of at least {lowest}")
        return int(text)

    return parse


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 65535:
        raise ValueError("it must be a port from 1 to 65535")
    return int(text)


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("it must be an address such as http://127.0.0.1:11434/v1")
    return text.rstrip("/")


def _size(text: str) -> Literal["capable", "small"]:
    if text not in ("capable", "small"):
        raise ValueError("it must be capable or small")
    return cast(Literal["capable", "small"], text)


def _constrained(text: str) -> Literal["", "json_schema", "guided_json"]:
    if text not in ("json_schema", "guided_json"):
        raise ValueError("it must be json_schema or guided_json, or empty")
    return cast(Literal["", "json_schema", "guided_json"], text)


def _extra(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f'it must be a JSON object such as {{"reasoning_effort": "low"}} ({error})') from error
    if not isinstance(value, dict):
        raise ValueError('it must be a JSON object such as {"reasoning_effort": "low"}')
    return checked_extra(value)


def checked_extra(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    """`extra` as it is, or a ValueError naming a parameter that has its own field."""
    if reserved := sorted(RESERVED_EXTRA & extra.keys()):
        raise ValueError(f"{reserved[0]} has a setting of its own and may not stand here")
    return extra
