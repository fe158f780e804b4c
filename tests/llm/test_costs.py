"""Tokens and money, worked out by hand: exact decimals over one call, over many, and over a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from agents.llm.client import LiteLLMClient
from agents.llm.costs import cost_of
from agents.llm.failures import RetryPolicy
from agents.llm.messages import Message, ModelProfile, Reply, Usage
from agents.llm.scripted import Turn
from agents.traces.events import ModelReply, RunFinished
from tests.agents.runs import SHOP, call, calls, final, running
from tests.llm.wire import DONE, Raw, WireServer, delta, event, whole

# The prices of the paper, US dollars per million tokens: read, written, read from the cache.
PAPER = {"price_input": 0.30, "price_output": 2.50, "price_cached": 0.03}


def paper(**changes: float | None) -> ModelProfile:
    return ModelProfile("paper", "openai/any", **{**PAPER, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tokens", "cached", "written", "dollars"),
    [
        # 1,200 fresh x 0.30 + 8,800 cached x 0.03 + 350 x 2.50 = 360 + 264 + 875 = 1,499 millionths
        (10_000, 8_800, 350, "0.001499"),
        (1, 0, 0, "0.0000003"),
        (1, 1, 0, "0.00000003"),
        (0, 0, 1, "0.0000025"),
        (1_000_000, 0, 1_000_000, "2.80"),
    ],
)
def test_a_call_costs_what_one_works_out_by_hand(tokens: int, cached: int, written: int, dollars: str) -> None:
    cost = cost_of(paper(), tokens, cached, written)
    assert Decimal(repr(cost)) == Decimal(dollars)


def test_cached_tokens_cost_as_fresh_ones_where_they_have_no_price() -> None:
    assert cost_of(paper(price_cached=None), 1000, 900, 0) == 0.0003


def test_a_model_without_prices_has_no_cost_and_a_free_one_costs_nothing() -> None:
    assert cost_of(ModelProfile("x", "openai/any"), 1000, 0, 10) is None
    assert cost_of(paper(price_input=0.0, price_output=0.0, price_cached=0.0), 1000, 0, 10) == 0.0


@pytest.mark.parametrize(
    ("own", "dollars"),
    [
        # 600 fresh, 400 cached, 100 written; by the list 0.15, 0.075 and 0.60
        ({"price_input": 1.0}, 600 * 1.0 + 400 * 0.075 + 100 * 0.60),
        ({"price_output": 1.0}, 600 * 0.15 + 400 * 0.075 + 100 * 1.0),
        ({"price_cached": 0.01}, 600 * 0.15 + 400 * 0.01 + 100 * 0.60),
        ({"price_input": 0.0, "price_output": 0.0}, 400 * 0.075),
    ],
)
def test_a_price_that_is_left_open_beside_others_is_the_lists(own: dict[str, float], dollars: float) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
    reply = priced(Raw([delta("There are five.", "stop"), event(choices=[], usage=usage), DONE]), LISTED, own=own)
    assert reply.usage.cost == pytest.approx(dollars / 1_000_000)


def test_sums_are_those_of_paper_and_not_of_floats() -> None:
    tenth = Usage(10, 5, 1, 0.1)
    assert sum([tenth] * 3, Usage()) == Usage(30, 15, 3, 0.3)
    assert sum([Usage(cost=0.00000003)] * 1000, Usage()).cost == 0.00003


LISTED = "openai/gpt-4o-mini"  # US dollars per million tokens by litellm's list: 0.15 read, 0.60 written
ODD_USAGE = [
    {"prompt_tokens": float("nan"), "completion_tokens": 2, "total_tokens": 5},
    {"prompt_tokens": 7, "completion_tokens": float("inf")},
    {"prompt_tokens": -7, "completion_tokens": 2},
    {"prompt_tokens": "seven", "completion_tokens": None},
    {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    {"prompt_tokens": [7], "completion_tokens": {}},
    {"unheard": "of"},
    {},
]


def priced(raw: Raw, model: str, *, stream: bool = True, own: Mapping[str, Any] = MappingProxyType({})) -> Reply:
    with WireServer(raw) as server:
        profile = ModelProfile("test", model, server.api_base, "sk-1234567", extra={"stream": stream}, **own)
        reply = LiteLLMClient(profile, RetryPolicy(retries=0)).complete((Message("user", "How many are there?"),))
        assert len(server.requests) == 1
    return reply


@pytest.mark.parametrize("usage", ODD_USAGE)
def test_an_odd_count_costs_no_reply_and_is_replaced_by_an_estimate(usage: dict[str, object]) -> None:
    for model, is_priced in (("openai/any", False), (LISTED, True)):
        reply = priced(Raw([delta("There are five.", "stop"), event(choices=[], usage=usage), DONE]), model)
        assert reply.text == "There are five."
        assert 3 < reply.usage.input < 40
        assert 1 < reply.usage.output < 12
        by_hand = (0.15 * reply.usage.input + 0.60 * reply.usage.output) / 1e6
        assert reply.usage.cost == (pytest.approx(by_hand) if is_priced else None)


@pytest.mark.parametrize("details", [["x"], "x", 5, {"cached_tokens": "x"}, {"cached_tokens": 10**6}, {"audio": []}])
def test_odd_details_of_a_count_leave_the_count(details: object) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010, "prompt_tokens_details": details}
    reply = priced(Raw([delta("five", "stop"), event(choices=[], usage=usage), DONE]), LISTED)
    assert (reply.text, reply.usage.input, reply.usage.output) == ("five", 1000, 10)
    assert reply.usage.cost is not None
    assert 0 < reply.usage.cost <= (0.15 * 1000 + 0.60 * 10) / 1e6 * 1.0001


@pytest.mark.parametrize("model", ["openai/any", LISTED])
@pytest.mark.parametrize("stream", [True, False])
def test_what_a_server_does_not_count_is_estimated_and_priced(stream: bool, model: str) -> None:
    uncounted = json.dumps({**json.loads(whole("There are five.")), "usage": None}).encode()
    raw = Raw([delta("There are five.", "stop"), DONE]) if stream else Raw([uncounted], "application/json")
    usage = priced(raw, model, stream=stream).usage
    assert usage.input > 3
    assert usage.output > 1
    assert (usage.cost is not None) == (model == LISTED)


def test_a_run_costs_the_sum_of_its_calls(new_database: Callable[[str, str], str]) -> None:
    count = calls(
        call("table_ref", "o", table="orders"),
        call("aggregate", "n", rel="o", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
        call("execute", rel="n"),
    )
    script = [
        Turn(content=count, usage={"prompt_tokens": 4_321, "cached_tokens": 0, "completion_tokens": 97}),
        Turn(content="?", usage={"prompt_tokens": 4_718, "cached_tokens": 4_096, "completion_tokens": 1}),
        Turn(content=final("<execute_result_1>"),
             usage={"prompt_tokens": 4_901, "cached_tokens": 4_608, "completion_tokens": 33}),
    ]  # fmt: skip
    # fresh 4,321 + 622 + 293 = 5,236 x 0.30 = 1,570.80; cached 8,704 x 0.03 = 261.12; written 131 x 2.50 = 327.50
    with running(new_database("sqlite", SHOP), script, "react", **PAPER) as run:
        (end,) = run.of(RunFinished)
        assert end.usage == {"input": 13_940, "cached": 8_704, "output": 131, "cost": 0.00215942}
        replies = run.of(ModelReply)
        assert sum(Decimal(repr(reply.cost)) for reply in replies) == Decimal("0.00215942")
        for part in ("input", "cached", "output"):
            assert sum(getattr(reply, part) for reply in replies) == end.usage[part]
