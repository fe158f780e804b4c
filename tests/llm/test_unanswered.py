"""Requests that bring no reply: what they used is told once, by estimate."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from agents.errors import BudgetExhaustedError, ModelAccessError, RunCancelledError
from agents.llm.messages import Usage
from agents.llm.scripted import ScriptedServer, Turn
from tests.llm.test_client import HELLO, client_of

LONG = Turn("word " * 400, pace=0.05)


def lost_by(turns: list[Any], **changes: Any) -> list[Usage]:
    """What a call told that fails in the end."""
    lost: list[Usage] = []
    with ScriptedServer(turns, after=turns[-1]) as server, pytest.raises(ModelAccessError):
        client_of(server, price_input=1.0, price_output=1.0, **changes).complete(HELLO, on_lost=lost.append)
    return lost


def test_a_whole_reply_loses_nothing() -> None:
    lost: list[Usage] = []
    with ScriptedServer(["right"]) as server:
        client_of(server).complete(HELLO, on_lost=lost.append)
    assert lost == []


@pytest.mark.parametrize("stream", [True, False])
def test_a_call_that_is_stopped_tells_what_was_sent_and_written(stream: bool) -> None:
    lost: list[Usage] = []
    with ScriptedServer([LONG if stream else Turn("late", delay=20)]) as server:
        client = client_of(server, extra={"stream": stream}, price_input=1.0, price_output=1.0)
        threading.Timer(0.6, client.cancel).start()
        with pytest.raises(RunCancelledError):
            client.complete(HELLO, on_lost=lost.append)
    (usage,) = lost
    assert usage.input > 0
    assert (usage.output > 0) is stream
    assert usage.cost


def test_a_call_that_its_caller_ends_tells_it_too() -> None:
    lost: list[Usage] = []

    def enough() -> None:
        raise BudgetExhaustedError("the time is up")

    began = time.monotonic()
    with ScriptedServer([Turn("late", delay=20)]) as server, pytest.raises(BudgetExhaustedError):
        client_of(server).complete(HELLO, on_lost=lost.append, meanwhile=enough)
    assert time.monotonic() - began < 5
    assert len(lost) == 1


def test_each_attempt_that_breaks_off_or_says_nothing_is_told() -> None:
    assert [usage.output > 0 for usage in lost_by([Turn("wrong " * 50, cut_after=4, pace=0.06)])] == [True] * 3
    silent = lost_by([Turn("late", delay=20)], timeout_seconds=0.3)
    assert [(usage.input > 0, usage.output) for usage in silent] == [(True, 0)] * 2


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_what_was_refused_used_nothing(status: int) -> None:
    assert lost_by([Turn(status=status)]) == []


def test_a_server_that_is_not_there_used_nothing() -> None:
    lost: list[Usage] = []
    with ScriptedServer([]) as server:
        client = client_of(server)
    with pytest.raises(ModelAccessError):
        client.complete(HELLO, on_lost=lost.append)
    assert lost == []
