"""Tokens and money, worked out by hand: exact decimals over one call, over many, and over a run."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from agents.llm.costs import cost_of
from agents.llm.messages import ModelProfile, Usage
from agents.llm.scripted import Turn
from agents.traces.events import ModelReply, RunFinished
from tests.agents.runs import SHOP, call, calls, final, running

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


def test_sums_are_those_of_paper_and_not_of_floats() -> None:
    tenth = Usage(10, 5, 1, 0.1)
    assert sum([tenth] * 3, Usage()) == Usage(30, 15, 3, 0.3)
    assert sum([Usage(cost=0.00000003)] * 1000, Usage()).cost == 0.00003


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
