"""The client against a real HTTP server that behaves as providers do, well and badly."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from agents.errors import (
    ContextTooLongError,
    ModelAccessError,
    ModelAuthenticationError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelUnavailableError,
    RunCancelledError,
)
from agents.llm.client import LiteLLMClient, preload
from agents.llm.failures import RetryPolicy
from agents.llm.messages import Message, ModelProfile
from agents.llm.requests import request_of
from agents.llm.scripted import ScriptedServer

KEY = "sk-very-secret-0123456789"
QUICK = RetryPolicy(retries=2, first_wait=0.01, jitter=0)
HELLO = (Message("system", "Be brief."), Message("user", "Hello?"))


def client_of(server: ScriptedServer, **changes: Any) -> LiteLLMClient:
    fields: dict[str, Any] = {"name": "test", "model": "openai/anything", "api_base": server.api_base, "key": KEY}
    return LiteLLMClient(ModelProfile(**{**fields, **changes}), QUICK)


@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_keeps_text_reasoning_and_usage_apart(stream: bool) -> None:
    turn = {
        "content": "the answer, in several pieces of text",
        "reasoning_content": "let me see",
        "usage": {"prompt_tokens": 1000, "cached_tokens": 900, "completion_tokens": 20},
    }
    heard: list[str] = []
    with ScriptedServer([turn]) as server:
        client = client_of(server, extra={"stream": stream}, price_input=0.30, price_cached=0.03, price_output=2.50)
        reply = client.complete(HELLO, on_delta=heard.append, temperature=0.5, max_tokens=77)
    assert reply.text == turn["content"]
    assert reply.reasoning == "let me see"
    assert "".join(heard) == "let me see" + reply.text
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (1000, 900, 20)
    assert reply.usage.cost == pytest.approx((100 * 0.30 + 900 * 0.03 + 20 * 2.50) / 1e6, rel=1e-12)
    assert 0 < reply.first_token_seconds <= reply.seconds
    request = server.requests[0]
    assert request["messages"] == [{"role": m.role, "content": m.content} for m in HELLO]
    assert (request["temperature"], request["max_tokens"], request["model"]) == (0.5, 77, "anything")
    assert bool(request.get("stream")) is stream


def test_a_reply_cut_at_the_token_limit_says_so() -> None:
    with ScriptedServer([{"content": "half", "finish_reason": "length"}]) as server:
        assert client_of(server).complete(HELLO).finish_reason == "length"


def test_known_models_are_priced_by_litellm_and_unknown_ones_not_at_all() -> None:
    usage = {"prompt_tokens": 1_000_000, "cached_tokens": 0, "completion_tokens": 0}
    with ScriptedServer([], after={"content": "x", "usage": usage}) as server:
        assert client_of(server).complete(HELLO).usage.cost is None
        assert client_of(server, model="openai/gpt-4o-mini").complete(HELLO).usage.cost == pytest.approx(0.15)


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param({"status": 429, "headers": {"Retry-After": "0"}}, id="too many requests"),
        pytest.param({"status": 500}, id="server error"),
        pytest.param({"status": 503}, id="model still loading"),
        pytest.param({"content": "wrong " * 50, "cut_after": 3}, id="connection lost in mid-stream"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_what_passes_is_tried_again_and_shown(failure: dict[str, Any], stream: bool) -> None:
    retries: list[tuple[int, float, str]] = []
    with ScriptedServer([failure, "right"]) as server:
        client = client_of(server, extra={"stream": stream})
        reply = client.complete(HELLO, on_retry=lambda *retry: retries.append(retry))
    assert reply.text == "right"
    assert [attempt for attempt, _, _ in retries] == [1]
    assert all(reason for _, _, reason in retries)


def test_the_provider_says_how_long_to_wait() -> None:
    waits: list[float] = []
    with ScriptedServer([{"status": 429, "headers": {"Retry-After": "0.2"}}, "right"]) as server:
        began = time.monotonic()
        client_of(server).complete(HELLO, on_retry=lambda _, wait, __: waits.append(wait))
    assert waits == [0.2]
    assert time.monotonic() - began >= 0.2


@pytest.mark.parametrize(
    ("turn", "error", "requests"),
    [
        ({"status": 401, "message": f"Incorrect API key provided: {KEY}"}, ModelAuthenticationError, 1),
        ({"status": 403, "message": "not entitled"}, ModelAuthenticationError, 1),
        ({"status": 400, "code": "context_length_exceeded", "message": "maximum context length is 8 tokens"},
         ContextTooLongError, 1),
        ({"status": 400, "message": "the request exceeds the available context size (16384 tokens)"},
         ContextTooLongError, 1),
        ({"status": 400, "message": "no such parameter"}, ModelRefusedError, 1),
        ({"status": 404, "message": "no such model"}, ModelRefusedError, 1),
        ({"status": 429, "code": "insufficient_quota", "message": "You exceeded your current quota"},
         ModelRateLimitedError, 1),
        ({"status": 429}, ModelRateLimitedError, 3),
        ({"status": 429, "headers": {"Retry-After": "9999"}}, ModelRateLimitedError, 1),
        ({"status": 500, "message": f"proxy to http://root:{KEY}@inside failed"}, ModelUnavailableError, 3),
    ],
)  # fmt: skip
def test_what_does_not_pass_ends_with_a_sorted_error(
    turn: dict[str, Any], error: type[ModelAccessError], requests: int
) -> None:
    with ScriptedServer([], after=turn) as server, pytest.raises(error) as caught:
        client_of(server).complete(HELLO)
    assert len(server.requests) == requests
    assert KEY not in str(caught.value) + caught.value.detail
    assert "administrator" in str(caught.value) or "Try again" in str(caught.value)


def test_a_server_that_is_down_is_named() -> None:
    profile = ModelProfile("test", "openai/anything", "http://127.0.0.1:9/v1", KEY)
    with pytest.raises(ModelUnavailableError, match='"test" cannot be reached') as caught:
        LiteLLMClient(profile, QUICK).complete(HELLO)
    assert "127.0.0.1:9" in caught.value.detail


def test_a_cloud_model_without_a_key_is_refused_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelAuthenticationError, match="LLM_API_KEY"):
        LiteLLMClient(ModelProfile("test", "openai/gpt-4o-mini"), QUICK).complete(HELLO)


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param({"content": "x" * 500, "cut_after": 3, "stall": 30}, id="in mid-stream"),
        pytest.param({"content": "x", "delay": 30}, id="before the first byte"),
    ],
)
def test_a_stream_that_stalls_ends_in_time(turn: dict[str, Any]) -> None:
    with ScriptedServer([], after=turn) as server:
        began = time.monotonic()
        with pytest.raises(ModelUnavailableError, match="sent nothing for 0.5 seconds"):
            client_of(server, timeout_seconds=0.5).complete(HELLO)
    assert time.monotonic() - began < 5
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param({"content": "x" * 5000, "pace": 0.05}, id="while streaming"),
        pytest.param({"content": "x", "delay": 30}, id="before the first byte"),
        pytest.param({"status": 429, "headers": {"Retry-After": "30"}}, id="while waiting to try again"),
    ],
)
def test_cancel_ends_the_call_and_its_connection(turn: dict[str, Any]) -> None:
    preload()  # importing litellm takes seconds, within which nothing is asked that could be cancelled
    with ScriptedServer([], after=turn) as server:
        client = client_of(server)
        threading.Timer(0.3, client.cancel).start()
        began = time.monotonic()
        with pytest.raises(RunCancelledError):
            client.complete(HELLO)
        assert time.monotonic() - began < 2
        if turn.get("pace"):
            _until(lambda: server.broken_off == 1)
        with pytest.raises(RunCancelledError):
            client.complete(HELLO)
        assert len(server.requests) == 1


def test_a_listener_that_raises_ends_the_call() -> None:
    def stop(_: str) -> None:
        raise RunCancelledError("stopped by the listener")

    with ScriptedServer([{"content": "x" * 5000, "pace": 0.05}]) as server:
        with pytest.raises(RunCancelledError, match="listener"):
            client_of(server).complete(HELLO, on_delta=stop)
        _until(lambda: server.broken_off == 1)


def test_many_threads_share_one_client() -> None:
    replies: list[str] = []
    with ScriptedServer([], after={"content": "yes", "delay": 1.0}) as server:
        client = client_of(server)
        threads = [threading.Thread(target=lambda: replies.append(client.complete(HELLO).text)) for _ in range(20)]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == ["yes"] * 20
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("choices", [5, 2, 1])
def test_samples_come_in_as_few_requests_as_the_provider_allows(choices: int) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    with ScriptedServer([], after={"content": "yes", "choices": choices, "usage": usage}) as server:
        replies = client_of(server, price_input=1.0).samples(HELLO, 5, temperature=0.7)
    assert [reply.text for reply in replies] == ["yes"] * 5
    assert len(server.requests) == -(-5 // choices)
    assert sum(reply.usage.input for reply in replies) == 100 * len(server.requests)
    assert sum(reply.usage.cost or 0 for reply in replies) == pytest.approx(100e-6 * len(server.requests))


@pytest.mark.parametrize("several", [True, False])
def test_an_answer_without_a_reply_is_asked_for_again_a_few_times(several: bool) -> None:
    def ask(server: ScriptedServer) -> str:
        client = client_of(server, extra={"stream": False})
        return client.samples(HELLO, 3)[0].text if several else client.complete(HELLO).text

    with ScriptedServer([], after={"choices": 0}) as server, pytest.raises(ModelUnavailableError) as caught:
        ask(server)
    assert len(server.requests) == 1 + QUICK.retries
    assert "no reply" in caught.value.detail
    with ScriptedServer([{"choices": 0}], after="yes") as server:
        assert ask(server) == "yes"


def test_replies_that_are_paid_for_are_kept_when_a_later_request_fails() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    script = [{"content": "yes", "usage": usage}, {"content": "no", "usage": usage}]
    with ScriptedServer(script, after={"status": 400, "message": "no more"}) as server:
        client = client_of(server)
        replies = client.samples(HELLO, 5)
        assert [reply.text for reply in replies] == ["yes", "no"]
        assert sum(reply.usage.input for reply in replies) == 200
        with pytest.raises(ModelRefusedError):
            client.samples(HELLO, 3)
        client.cancel()
        with pytest.raises(RunCancelledError):
            client.samples(HELLO, 3)


def test_anthropic_models_get_cache_marks_at_the_shared_prefix_and_the_end() -> None:
    profile = ModelProfile("test", "anthropic/claude-sonnet-4-6", key=KEY)
    sent = request_of(profile, [*HELLO, Message("assistant", "Hi."), Message("user", "More?")], None, None, ())[
        "messages"
    ]
    assert [isinstance(message["content"], list) for message in sent] == [True, False, False, True]


def test_a_profile_never_shows_its_key() -> None:
    assert KEY not in repr(ModelProfile("test", "openai/anything", key=KEY))


def _until(condition: Callable[[], bool], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
