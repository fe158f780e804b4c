"""The environment describes a model, or is told what is wrong with it."""

from __future__ import annotations

import pytest

from agents.llm.messages import ModelProfile
from agents.llm.profiles import ProfileError, chain_from_environment, from_environment, is_local, local_profile


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
            "LLM_SAMPLES": "5",
        }
    )
    assert profile == ModelProfile(
        "openai/gpt-5-mini", "openai/gpt-5-mini", "https://llm.example/v1", "sk-1", 0.2, 2000, 32000, "small",
        0.30, 0.03, 2.50, {"reasoning_effort": "low"}, 30.0, samples=5,
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
        ("LLM_SAMPLES", "0"),
    ],
)
def test_a_bad_value_is_named_with_what_it_may_hold(name: str, value: str) -> None:
    with pytest.raises(ProfileError, match=name):
        from_environment({"LLM_MODEL": "openai/x", name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LLM_EXTRA", '{"extra_headers": {"Authorization": "hunter2"}'),
        ("LLM_EXTRA", '["hunter2"]'),
        ("LLM_API_BASE", "me:hunter2@llm.example/v1"),
        ("LLM_FALLBACK_API_BASE", "me:hunter2@llm.example/v1"),
        ("LLM_FALLBACK_EXTRA", '"hunter2'),
    ],
)
def test_a_value_that_may_hold_a_secret_is_not_repeated(name: str, value: str) -> None:
    with pytest.raises(ProfileError, match=f"{name} cannot be used: it must be") as refused:
        chain_from_environment({"LLM_MODEL": "openai/x", "LLM_FALLBACK_MODEL": "openai/y", name: value})
    assert "hunter2" not in str(refused.value)


def test_an_address_or_key_without_a_model_is_a_mistake() -> None:
    with pytest.raises(ProfileError, match="LLM_MODEL"):
        from_environment({"LLM_API_KEY": "sk-1"})


def test_the_fallback_is_asked_as_the_main_model_is_at_its_own_place_and_price() -> None:
    main, fallback = chain_from_environment(
        {
            "LLM_MODEL": "openai/gpt-5",
            "LLM_API_BASE": "https://main.example/v1",
            "LLM_API_KEY": "sk-1",
            "LLM_TEMPERATURE": "0.2",
            "LLM_SIZE": "small",
            "LLM_PRICE_INPUT": "0.30",
            "LLM_EXTRA": '{"reasoning_effort": "low"}',
            "LLM_FALLBACK_MODEL": "hosted_vllm/spare",
            "LLM_FALLBACK_API_BASE": "https://spare.example/v1/",
            "LLM_FALLBACK_API_KEY": "sk-2",
            "LLM_FALLBACK_PRICE_INPUT": "0.1",
            "LLM_FALLBACK_PRICE_CACHED": "0.01",
            "LLM_FALLBACK_PRICE_OUTPUT": "0.2",
            "LLM_FALLBACK_EXTRA": '{"top_k": 1}',
            "LLM_FALLBACK_CONSTRAINED": "guided_json",
        }
    )
    assert main.model == "openai/gpt-5"
    assert fallback == ModelProfile(
        "hosted_vllm/spare", "hosted_vllm/spare", "https://spare.example/v1", "sk-2", 0.2, size="small",
        price_input=0.1, price_cached=0.01, price_output=0.2, extra={"top_k": 1}, constrained="guided_json",
    )  # fmt: skip


def test_what_the_fallback_does_not_name_is_not_taken_from_the_main_model() -> None:
    env = {"LLM_API_KEY": "sk-1", "LLM_API_BASE": "https://main.example/v1", "LLM_PRICE_INPUT": "1"}
    _, fallback = chain_from_environment({"LLM_MODEL": "openai/a", **env, "LLM_FALLBACK_MODEL": "gemini/b"})
    assert (fallback.key, fallback.api_base, fallback.price_input) == ("", "", None)


def test_without_a_fallback_the_model_stands_alone() -> None:
    assert [profile.name for profile in chain_from_environment({"LLM_MODEL": "openai/a"})] == ["openai/a"]


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"LLM_FALLBACK_API_KEY": "sk-2"}, "LLM_FALLBACK_MODEL"),
        ({"LLM_FALLBACK_MODEL": "openai/b", "LLM_FALLBACK_API_BASE": "spare:1"}, "LLM_FALLBACK_API_BASE"),
        ({"LLM_FALLBACK_MODEL": "openai/b", "LLM_FALLBACK_EXTRA": "{"}, "LLM_FALLBACK_EXTRA"),
    ],
)
def test_a_fallback_that_cannot_be_used_is_refused_by_the_name_of_its_variable(env: dict[str, str], named: str) -> None:
    with pytest.raises(ProfileError, match=named):
        chain_from_environment({"LLM_MODEL": "openai/a", **env})
