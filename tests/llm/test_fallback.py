"""A model that stands in for another one: when, how it is told, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from agents.errors import ContextTooLongError, ModelUnavailableError
from agents.llm.failures import RetryPolicy
from agents.llm.fallback import FallbackClient
from agents.llm.messages import Message, ModelProfile
from agents.llm.scripted import ScriptedServer

HELLO = (Message("user", "Hello?"),)
QUICK = RetryPolicy(retries=1, first_wait=0.01, jitter=0)
Pair = Callable[[Any, Any], tuple[FallbackClient, ScriptedServer, ScriptedServer]]


@pytest.fixture
def pair() -> Any:
    with ExitStack() as stack:

        def make(first: Any, second: Any) -> tuple[FallbackClient, ScriptedServer, ScriptedServer]:
            servers = [stack.enter_context(ScriptedServer([], after=turn)) for turn in (first, second)]
            profiles = [
                ModelProfile(name, "openai/any", server.api_base, "x", price_input=price)
                for name, server, price in zip(("main", "spare"), servers, (1.0, 2.0), strict=True)
            ]
            return FallbackClient(profiles, QUICK), servers[0], servers[1]

        yield make


@pytest.mark.parametrize("status", [500, 429, 401])
def test_the_spare_model_answers_and_goes_on_answering(pair: Pair, status: int) -> None:
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0}
    client, main, spare = pair({"status": status}, {"content": "yes", "usage": usage})
    told: list[str] = []
    replies = [client.complete(HELLO, on_retry=lambda *retry: told.append(retry[2])) for _ in range(2)]
    assert [(reply.text, reply.model, reply.usage.cost) for reply in replies] == [("yes", "spare", 2.0)] * 2
    assert len(main.requests) == (1 if status == 401 else 2)
    assert len(spare.requests) == 2
    assert "main cannot be asked" in told[-1]
    assert "spare answers instead" in told[-1]


def test_when_none_answers_the_last_failure_stands(pair: Pair) -> None:
    client, _, _ = pair({"status": 500}, {"status": 503})
    with pytest.raises(ModelUnavailableError, match='"spare"'):
        client.complete(HELLO)


def test_a_prompt_that_is_too_long_is_not_tried_elsewhere(pair: Pair) -> None:
    too_long = {"status": 400, "code": "context_length_exceeded", "message": "maximum context length is 8 tokens"}
    client, _, spare = pair(too_long, "yes")
    with pytest.raises(ContextTooLongError):
        client.complete(HELLO)
    assert not spare.requests
