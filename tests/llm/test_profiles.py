"""The environment describes a model, or is told what is wrong with it."""

from __future__ import annotations

import pytest

from agents.llm.messages import ModelProfile
from agents.llm.profiles import ProfileError, from_environment, is_local, local_profile


def test_without_a_model_the_local_one_answers() -> None:
    profile = from_environment({"LOCAL_MODEL_PORT": "9000"})
    assert profile == local_profile(9000)
    assert is_local(profile)
    assert (profile.size, profile.temperature, profile.api_base) == ("small", 0.0, "http://127.0.0.1:9000/v1")


def test_every_variable_is_read() -> None:
    profile = from_environment(
        {
            "LLM_MODEL": "openai/gpt-5-mini",
            "LLM_API_BASE": "https://llm.example/v1/",
            "LLM_API_KEY": "sk-1",
            "LLM_TEMPERATURE": "0.2",
            "LLM_MAX_OUTPUT_TOKENS": "2000",
            "LLM_CONTEXT_TOKENS": "32000",
            "LLM_SIZE": "small",
            "LLM_PRICE_INPUT": "0.30",
            "LLM_PRICE_CACHED": "0.03",
            "LLM_PRICE_OUTPUT": "2.50",
            "LLM_EXTRA": '{"reasoning_effort": "low"}',
            "LLM_TIMEOUT_SECONDS": "30",
        }
    )
    assert profile == ModelProfile(
        "openai/gpt-5-mini", "openai/gpt-5-mini", "https://llm.example/v1", "sk-1", 0.2, 2000, 32000, "small",
        0.30, 0.03, 2.50, {"reasoning_effort": "low"}, 30.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LLM_TEMPERATURE", "warm"),
        ("LLM_TEMPERATURE", "3"),
        ("LLM_TEMPERATURE", "nan"),
        ("LLM_MAX_OUTPUT_TOKENS", "-1"),
        ("LLM_CONTEXT_TOKENS", "8k"),
        ("LLM_SIZE", "tiny"),
        ("LLM_API_BASE", "127.0.0.1:11434"),
        ("LLM_PRICE_INPUT", "free"),
        ("LLM_EXTRA", "{"),
        ("LLM_EXTRA", "[]"),
        ("LLM_EXTRA", '{"api_key": "x"}'),
        ("LLM_TIMEOUT_SECONDS", "0"),
    ],
)
def test_a_bad_value_is_named_with_what_it_may_hold(name: str, value: str) -> None:
    with pytest.raises(ProfileError, match=name):
        from_environment({"LLM_MODEL": "openai/x", name: value})


def test_an_address_or_key_without_a_model_is_a_mistake() -> None:
    with pytest.raises(ProfileError, match="LLM_MODEL"):
        from_environment({"LLM_API_KEY": "sk-1"})
