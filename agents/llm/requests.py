"""What is sent for one call: the parameters that litellm takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.llm.messages import Message, ModelProfile

_OUR_EXTRA = ("stream",)
_KEYLESS = "not-needed"  # servers without keys still want a header


def request_of(
    profile: ModelProfile,
    messages: Sequence[Message],
    temperature: float | None,
    max_tokens: int | None,
    stop: Sequence[str],
    schema: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """`schema` is what the reply must fit, where the profile's server can see to that."""
    streams = bool(profile.extra.get("stream", True))
    options: dict[str, Any] = {
        "api_base": profile.api_base,
        "api_key": profile.key or (_KEYLESS if profile.api_base else ""),
        "temperature": profile.temperature if temperature is None else temperature,
        "stop": list(stop),
        "stream_options": {"include_usage": True} if streams else None,
        **{key: value for key, value in profile.extra.items() if key not in _OUR_EXTRA},
        **(_constraint(profile, schema) if schema else {}),
    }
    return {
        "model": profile.model,
        "messages": _wire(profile, messages),
        "max_tokens": min(max_tokens or profile.max_output_tokens, profile.max_output_tokens),
        "stream": streams,
        "drop_params": True,
        "max_retries": 0,
        "num_retries": 0,
        # Ours is the shorter one, so that a stall always ends in the same way.
        "timeout": profile.timeout_seconds + 5,
        **{key: value for key, value in options.items() if value not in (None, "", [])},
    }


def _constraint(profile: ModelProfile, schema: Mapping[str, Any]) -> dict[str, Any]:
    """`response_format` is understood by OpenAI, llama.cpp, Ollama and others, `guided_json` by vLLM."""
    if profile.constrained == "json_schema":
        wanted = {"name": "reply", "strict": True, "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    if profile.constrained == "guided_json":
        return {"extra_body": {**profile.extra.get("extra_body", {}), "guided_json": dict(schema)}}
    return {}


def _wire(profile: ModelProfile, messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as the API wants them. Anthropic caches only up to marks: one behind the system prompt, which all
    questions on a connection share, and one at the end, which the next turn shares."""
    marked = {0, len(messages) - 1} if _wants_cache_marks(profile) else set()
    return [
        {"role": message.role, "content": _marked(message.content) if index in marked else message.content}
        for index, message in enumerate(messages)
    ]


def _wants_cache_marks(profile: ModelProfile) -> bool:
    return profile.model.startswith("anthropic/") or "claude" in profile.model


def _marked(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]


def several(request: Mapping[str, Any], count: int) -> dict[str, Any]:
    """`request` for `count` replies at once, in one piece."""
    return {key: value for key, value in request.items() if key != "stream_options"} | {"n": count, "stream": False}
