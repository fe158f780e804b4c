"""What the site's settings choose for every run: the same for the worker and for commands."""

from __future__ import annotations

from django.conf import settings

from agents.contracts import RunSettings
from agents.llm.budget import BudgetLimits


def run_limits() -> BudgetLimits:
    return BudgetLimits(
        turns=settings.RUN_MAX_TURNS,
        calls_per_turn=settings.RUN_MAX_CALLS_PER_TURN,
        tokens=settings.RUN_MAX_TOKENS,
        money=settings.RUN_MAX_COST or None,
        seconds=settings.RUN_MAX_SECONDS,
    )


def run_settings(*, send_values: bool = True, samples: int = 1) -> RunSettings:
    return RunSettings(
        shaping="always" if settings.SHAPING == "always" else "auto",
        send_values=send_values,
        samples=samples,
        rollouts=settings.IESR_ROLLOUTS,
    )
