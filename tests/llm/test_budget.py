"""A budget ends a run at each of its limits, and says which one and what raises it."""

from __future__ import annotations

import threading

import pytest

from agents.errors import BudgetExhaustedError
from agents.llm.budget import SETTINGS, Budget, BudgetLimits, Spent
from agents.llm.messages import Usage


def test_turns_are_counted() -> None:
    budget = Budget(BudgetLimits(turns=3))
    seen = [(budget.start_turn(), budget.turns_left) for _ in range(3)]
    assert seen == [(1, 2), (2, 1), (3, 0)]
    with pytest.raises(BudgetExhaustedError, match="all 3 turns.*RUN_MAX_TURNS"):
        budget.start_turn()


@pytest.mark.parametrize(
    ("limits", "usage", "setting"),
    [
        (BudgetLimits(tokens=1000), Usage(input=900, cached=800, output=100), "tokens"),
        (BudgetLimits(money=0.01), Usage(input=1, output=1, cost=0.01), "money"),
    ],
)
def test_what_is_spent_ends_the_run(limits: BudgetLimits, usage: Usage, setting: str) -> None:
    budget = Budget(limits)
    budget.start_turn()
    budget.spend(usage)
    for ends in (budget.check, budget.start_turn):
        with pytest.raises(BudgetExhaustedError, match=SETTINGS[setting]):
            ends()


def test_seconds_end_the_run_and_earlier_attempts_count() -> None:
    now = [100.0]
    budget = Budget(BudgetLimits(seconds=60), before=Spent(seconds=50), clock=lambda: now[0])
    budget.check()
    now[0] += 10
    with pytest.raises(BudgetExhaustedError, match="RUN_MAX_SECONDS"):
        budget.check()


def test_no_limit_means_none() -> None:
    budget = Budget(BudgetLimits(tokens=None, money=None, seconds=None))
    budget.spend(Usage(input=10**9, output=10**9, cost=10**6))
    budget.check()


def test_a_model_without_a_price_spends_no_money() -> None:
    budget = Budget(BudgetLimits(money=0.01))
    budget.spend(Usage(input=10, output=10, cost=None))
    budget.check()


def test_threads_lose_no_token() -> None:
    budget = Budget(BudgetLimits(tokens=None))
    threads = [
        threading.Thread(
            target=lambda: [budget.spend(Usage(input=1, cached=1, output=2, cost=0.5)) for _ in range(500)]
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.usage == Usage(input=4000, cached=4000, output=8000, cost=2000.0)
