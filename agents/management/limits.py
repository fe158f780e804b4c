"""What a run may spend, from the settings: the same for commands and for the worker."""

from __future__ import annotations

from django.conf import settings

from agents.llm.budget import BudgetLimits


def run_limits() -> BudgetLimits:
    return BudgetLimits(
        turns=settings.RUN_MAX_TURNS,
        calls_per_turn=settings.RUN_MAX_CALLS_PER_TURN,
        tokens=settings.RUN_MAX_TOKENS,
        money=settings.RUN_MAX_COST or None,
        seconds=settings.RUN_MAX_SECONDS,
    )
