"""Replies as odd servers send them: what can be read is read, what cannot ends with an error that says who mends it."""

from __future__ import annotations

import gzip
import json
import threading
import time
from typing import Any

import pytest

from agents.errors import (
    ContextTooLongError,
    ModelAuthenticationError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelUnavailableError,
    RunCancelledError,
)
from agents.llm.client import LiteLLMClient, preload
from agents.llm.failures import RetryPolicy
from agents.llm.messages import Message, ModelProfile, Reply
from tests.llm.wire import DONE, Raw, WireServer, delta, event, whole

HELLO = (Message("user", "Hello?"),)
QUICK = RetryPolicy(retries=2, first_wait=0.01, jitter=0)
USAGE = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
ROLE = delta("", role="assistant")
HTML = b"<!DOCTYPE html><html><body>Welcome to nginx!</body></html>"


@pytest.fixture(autouse=True, scope="module")
def imported() -> None:
    preload()


def client_of(server: WireServer, **changes: Any) -> LiteLLMClient:
    fields: dict[str, Any] = {"name": "test", "model": "openai/any", "api_base": server.api_base, "key": "sk-1234567",
                              "timeout_seconds": 4.0}  # fmt: skip
    return LiteLLMClient(ModelProfile(**{**fields, **changes}), QUICK)


def reply_to(*responses: Raw, **changes: Any) -> tuple[Reply, int]:
    with WireServer(*responses) as server:
        return client_of(server, **changes).complete(HELLO), len(server.requests)


def in_packets(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


STREAMS = {
    "as the documentation says": Raw([ROLE, delta("grüß "), delta("dich 🌍"), delta(finish="stop"), DONE]),
    "a byte a packet": Raw(in_packets(ROLE + delta("grüß dich 🌍", "stop") + DONE, 1), pace=0.0005),
    "escaped": Raw([rb'data: {"choices":[{"delta":{"content":"gr\u00fc\u00df dich \ud83c\udf0d"},'
                    rb'"finish_reason":"stop"}]}' + b"\n\n", DONE]),
    "without an end mark": Raw([delta("grüß "), delta("dich 🌍", "stop")]),
    "without an end mark, and the connection stays open": Raw([delta("grüß dich 🌍", "stop")], stay=30),
    "with an end mark, and the connection stays open": Raw([delta("grüß dich 🌍", "stop"), DONE], stay=30),
    "without a finish reason": Raw([delta("grüß dich 🌍"), DONE]),
    "its last event not closed": Raw([delta("grüß dich 🌍"), b"data: [DONE]"]),
    "with carriage returns": Raw([(delta("grüß dich 🌍", "stop") + DONE).replace(b"\n", b"\r\n")]),
    "without a space behind the colon": Raw([(delta("grüß dich 🌍", "stop") + DONE).replace(b"data: ", b"data:")]),
    "with comments, names and numbers": Raw([b": ping\n\n", b"event: message\nid: 1\n" + delta("grüß dich 🌍", "stop"),
                                             b"retry: 100\n\n", DONE]),
    "over several lines": Raw([b'data: {"choices":\ndata: [{"delta": {"content": "gr\xc3\xbc\xc3\x9f dich '
                               b'\xf0\x9f\x8c\x8d"}, "finish_reason": "stop"}]}\n\n', DONE]),
    "roles again and again": Raw([ROLE, ROLE, delta("grüß ", role="assistant"), ROLE, delta("dich 🌍", "stop"), DONE]),
    "empty choices, null deltas": Raw([event(choices=[]), event(choices=None), event(),
                                       event(choices=[{"index": 0, "delta": None}]), delta(None),
                                       delta("grüß dich 🌍", "stop"), DONE]),
    "as plain text": Raw([delta("grüß dich 🌍", "stop"), DONE], content_type="text/plain; charset=iso-8859-1"),
    "compressed": Raw([gzip.compress(delta("grüß dich 🌍", "stop") + DONE)], headers=["Content-Encoding: gzip"]),
    "several choices": Raw([delta("grüß "), event(choices=[{"index": 1, "delta": {"content": "other"}}]),
                            delta("dich 🌍", "stop"), DONE]),
    "a whole reply instead": Raw([whole("grüß dich 🌍")], content_type="application/json"),
    "a whole reply over several lines": Raw([whole("grüß dich 🌍").replace(b", ", b",\n")],
                                            content_type="application/json"),
    "in parts": Raw([delta([{"type": "text", "text": "grüß "}, "dich "]), delta({"type": "output_text", "text": "🌍"}),
                     delta([], "stop"), DONE]),
    "a reply that was refused": Raw([delta(None, refusal="grüß dich 🌍"), delta(finish="stop"), DONE]),
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_read_however_it_is_written(name: str) -> None:
    began = time.monotonic()
    reply, requests = reply_to(STREAMS[name])
    assert (reply.text, reply.finish_reason, requests) == ("grüß dich 🌍", "stop", 1)
    assert time.monotonic() - began < 8


@pytest.mark.parametrize(
    ("stream", "counted"),
    [
        pytest.param([delta("hi", "stop"), event(choices=[], usage=USAGE), DONE], (7, 2), id="in a chunk of its own"),
        pytest.param([delta("hi"), event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}], usage=USAGE),
                      DONE], (7, 2), id="in the last chunk"),
        pytest.param([event(choices=[{"index": 0, "delta": {"content": "hi"}}], usage={**USAGE, "prompt_tokens": 1}),
                      delta(finish="stop"), event(choices=[], usage=USAGE), DONE], (7, 2), id="growing"),
        pytest.param([delta("hi", "stop"), event(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 2,
                      "prompt_tokens_details": None, "total_tokens": None}), DONE], (7, 2), id="with nulls"),
        pytest.param([delta("hi", "stop"), event(choices=[], usage=None), DONE], None, id="null"),
        pytest.param([delta("hi", "stop"), DONE], None, id="missing"),
    ],
)  # fmt: skip
def test_usage_is_taken_from_where_it_stands_and_else_estimated(
    stream: list[bytes], counted: tuple[int, int] | None
) -> None:
    reply, _ = reply_to(Raw(stream), price_input=1.0, price_output=1.0)
    if counted:
        assert (reply.usage.input, reply.usage.output) == counted
    assert reply.usage.input > 0
    assert reply.usage.output > 0
    assert reply.usage.cost == pytest.approx((reply.usage.input + reply.usage.output) / 1e6)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls"])
def test_why_a_reply_ended_is_kept(stream: bool, reason: str) -> None:
    raw = (
        Raw([delta("half"), delta(finish=reason), DONE]) if stream else Raw([whole("half", reason)], "application/json")
    )
    reply, _ = reply_to(raw, extra={"stream": stream})
    assert (reply.text, reply.finish_reason) == ("half", reason)


@pytest.mark.parametrize("stream", [True, False])
def test_reasoning_without_content_is_no_text(stream: bool) -> None:
    raw = (
        Raw([delta(None, reasoning_content="hm "), delta(None, reasoning_content="hm"), delta(finish="stop"), DONE])
        if stream
        else Raw([whole(None, reasoning_content="hm hm")], "application/json")
    )
    reply, _ = reply_to(raw, extra={"stream": stream})
    assert (reply.text, reply.reasoning) == ("", "hm hm")


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("\ud83d", "\ude00 yes"), "\U0001f600 yes"),
        (("yes \ud83d",), "yes \ufffd"),
        (("\ude00", "yes"), "\ufffdyes"),
    ],
)
def test_halves_of_a_character_are_joined_or_replaced(pieces: tuple[str, ...], text: str) -> None:
    told: list[str] = []
    escaped = [delta("@").replace(b"@", json.dumps(piece).strip('"').encode()) for piece in pieces]
    with WireServer(Raw([*escaped, delta("", "stop"), DONE])) as server:
        assert client_of(server).complete(HELLO, on_delta=told.append).text == text
    assert "".join(told).encode(), "what is shown while it is written can be printed, too"


def test_parts_that_think_are_reasoning() -> None:
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm [1]"}]}]
    said = [{"type": "reasoning", "text": ", hm"}, {"type": "text", "text": "yes"}, {"type": "reference", "ids": [1]}]
    reply, _ = reply_to(Raw([delta(thinking), delta(said), delta(finish="stop"), DONE]))
    assert (reply.text, reply.reasoning) == ("yes", "hm [1], hm")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(Raw([HTML], "text/html"), id="a page"),
        pytest.param(Raw([b"upstream busy"], "text/plain"), id="words"),
        pytest.param(Raw([b'{"hello": "world"}'], "application/json"), id="another document"),
        pytest.param(Raw([b""], "application/json"), id="nothing"),
        pytest.param(Raw([delta("half"), b'data: {"choices": [{\n\n']), id="an event that is no JSON"),
        pytest.param(Raw([delta("half")]), id="an end in the middle"),
        pytest.param(Raw([ROLE]), id="a role and nothing else"),
        pytest.param(Raw([b"\x1f\x8bnot gzip"], headers=["Content-Encoding: gzip"]), id="broken compression"),
        pytest.param(Raw([], status="204 No Content"), id="no content"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_what_is_no_reply_is_asked_for_again_and_then_told(raw: Raw, stream: bool) -> None:
    with WireServer(raw) as server, pytest.raises(ModelUnavailableError, match='"test"') as caught:
        client_of(server, extra={"stream": stream}).complete(HELLO)
    assert len(server.requests) > 1
    assert caught.value.detail
    good = Raw([delta("fine", "stop"), DONE]) if stream else Raw([whole("fine")], "application/json")
    reply, requests = reply_to(raw, good, extra={"stream": stream})
    assert (reply.text, requests) == ("fine", 2)


@pytest.mark.parametrize("before", [[], [delta("half")]], ids=["at once", "in mid-stream"])
@pytest.mark.parametrize(
    ("error", "kind", "requests"),
    [
        ({"message": "overloaded", "type": "server_error"}, ModelUnavailableError, 3),
        ({"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}, ModelRateLimitedError, 3),
        ({"message": "slow down", "code": 429}, ModelRateLimitedError, 3),
        ({"message": "no credit", "code": "insufficient_quota"}, ModelRateLimitedError, 1),
        ({"message": "bad key", "type": "authentication_error"}, ModelAuthenticationError, 1),
        ({"message": "maximum context length is 8 tokens", "code": "context_length_exceeded", "type":
          "invalid_request_error"}, ContextTooLongError, 1),
        ({"message": "the request exceeds the available context size", "code": 400}, ContextTooLongError, 1),
        ({"message": "no such parameter", "type": "invalid_request_error"}, ModelRefusedError, 1),
        ("it broke", ModelUnavailableError, 3),
    ],
)  # fmt: skip
def test_an_error_behind_a_status_of_200_is_sorted_as_any_other(
    before: list[bytes], error: Any, kind: type[Exception], requests: int
) -> None:
    with WireServer(Raw([*before, event(error=error), DONE])) as server, pytest.raises(kind):
        client_of(server).complete(HELLO)
    assert len(server.requests) == requests


def test_a_trickle_is_waited_for_as_long_as_words_come() -> None:
    words = [delta("w") for _ in range(12)]
    reply, requests = reply_to(Raw([*words, delta(finish="stop"), DONE], pace=0.2), timeout_seconds=0.8)
    assert (reply.text, requests) == ("w" * 12, 1)


def test_a_server_that_only_says_that_it_lives_is_given_up() -> None:
    alive = [ROLE, *([b": still here\n\n", event(choices=[]), ROLE] * 20)]
    with WireServer(Raw(alive, pace=0.1)) as server:
        began = time.monotonic()
        with pytest.raises(ModelUnavailableError, match="sent nothing for 0.5 seconds"):
            client_of(server, timeout_seconds=0.5).complete(HELLO)
        assert time.monotonic() - began < 5


def test_a_redirect_is_followed() -> None:
    with WireServer(Raw([delta("here", "stop"), DONE])) as there:
        moved = Raw([], status="307 Temporary Redirect", headers=[f"Location: {there.api_base}/chat/completions"])
        with WireServer(moved) as here:
            assert client_of(here).complete(HELLO).text == "here"
        assert there.requests == here.requests


def test_a_stop_ends_a_trickle_at_once() -> None:
    with WireServer(Raw([delta("w")] * 200, pace=0.1)) as server:
        client = client_of(server)
        threading.Timer(0.5, client.cancel).start()
        began = time.monotonic()
        with pytest.raises(RunCancelledError):
            client.complete(HELLO)
        assert time.monotonic() - began < 2


def test_what_was_written_before_a_failure_is_not_told_again() -> None:
    told: list[str] = []
    retried: list[int] = []

    def note(attempt: int, wait: float, reason: str) -> None:
        retried.append(len(told))

    with WireServer(Raw([delta("wrong "), delta("half")], stay=0.2), Raw([delta("right", "stop"), DONE])) as server:
        client_of(server).complete(HELLO, on_delta=told.append, on_retry=note)
    assert "".join(told[retried[0] :]) == "right"
