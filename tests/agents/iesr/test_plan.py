"""What a budget bears: turns are planned at the start, tokens and money are watched on the way."""

from __future__ import annotations

import pytest

from agents.errors import BudgetExhaustedError
from agents.llm.budget import Budget, BudgetLimits
from agents.llm.messages import Usage
from agents.strategies.iesr.plan import Plan, Reserve, planned


@pytest.mark.parametrize(
    ("turns", "plan"),
    [
        (15, Plan(True, 6, True)), (5, Plan(True, 6, True)), (4, Plan(True, 4, True)), (3, Plan(True, 2, True)),
        (2, Plan(True, 2, False)), (1, Plan(False, 2, False)),
    ],
)  # fmt: skip
def test_few_turns_mean_fewer_rollouts(turns: int, plan: Plan) -> None:
    assert planned(turns, 6) == plan


def test_one_rollout_is_planned_as_one() -> None:
    assert planned(15, 1) == Plan(True, 1, True)


@pytest.mark.parametrize(
    ("limits", "what"), [(BudgetLimits(tokens=1_000), "tokens"), (BudgetLimits(tokens=None, money=1.0), "are spent")]
)
def test_a_wave_begins_only_where_the_next_and_the_check_fit(limits: BudgetLimits, what: str) -> None:
    budget = Budget(limits)
    budget.spend(Usage(input=100, cost=0.1))
    reserve = Reserve(budget)
    reserve.check()
    budget.spend(Usage(input=300, cost=0.3))
    reserve.check()
    budget.spend(Usage(input=300, cost=0.3))
    with pytest.raises(BudgetExhaustedError, match=what):
        reserve.check()


def test_without_limits_nothing_ends_the_search() -> None:
    budget = Budget(BudgetLimits(tokens=None, money=None))
    reserve = Reserve(budget)
    budget.spend(Usage(input=10**9, cost=1_000.0))
    reserve.check()
