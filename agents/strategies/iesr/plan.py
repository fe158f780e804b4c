"""What the budget of a run bears: how many rollouts, and whether the question is read before and the answer checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agents.errors import BudgetExhaustedError
from agents.llm.budget import Budget

SIDE_BY_SIDE = 2
"""Rollouts of one wave, which takes one turn."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`understands`: one turn before the search. `discriminates`: one turn after it."""

    understands: bool
    rollouts: int
    discriminates: bool


def planned(turns: int, rollouts: int) -> Plan:
    """Of few turns, the search gets the first, the understanding the second, the discriminator the third."""
    understands, discriminates = turns >= 2, turns >= 3
    waves = min(math.ceil(rollouts / SIDE_BY_SIDE), turns - understands - discriminates)
    return Plan(understands, min(rollouts, waves * SIDE_BY_SIDE), discriminates)


NEXT_WAVE_AND_CHECK = 1.5
"""In waves as dear as the dearest so far."""


class Reserve:
    """Ends the search while there is something left for the discriminator: where the next wave and the check together
    would go beyond the tokens or the money of the run."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._tokens, self._cost = _used(budget)
        self._dearest_tokens, self._dearest_cost = 0, 0.0

    def check(self) -> None:
        """Called before each wave. Raises BudgetExhaustedError."""
        tokens, cost = _used(self._budget)
        self._dearest_tokens = max(self._dearest_tokens, tokens - self._tokens)
        self._dearest_cost = max(self._dearest_cost, cost - self._cost)
        self._tokens, self._cost = tokens, cost
        limits = self._budget.limits
        if limits.tokens is not None and tokens + self._dearest_tokens * NEXT_WAVE_AND_CHECK > limits.tokens:
            raise _too_dear(f"{tokens:,} of {limits.tokens:,} tokens are used up")
        if limits.money and cost + self._dearest_cost * NEXT_WAVE_AND_CHECK > limits.money:
            raise _too_dear(f"${cost:.4f} of ${limits.money:.4f} are spent")


def _too_dear(used: str) -> BudgetExhaustedError:
    return BudgetExhaustedError(f"One more wave of rollouts is beyond the run's budget: {used}.")


def _used(budget: Budget) -> tuple[int, float]:
    usage = budget.usage
    return usage.input + usage.output, usage.cost or 0.0
