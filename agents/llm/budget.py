"""What a run may spend: turns, calls a turn, tokens, money and seconds. Safe to use from several threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from agents.errors import BudgetExhaustedError
from agents.llm.messages import Usage


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """Limits of one run; None means no limit. `money` in US dollars, `seconds` of wall-clock time.

    `tokens` counts input (cached ones too) and output.
    """

    turns: int = 15
    calls_per_turn: int = 8
    tokens: int | None = 500_000
    money: float | None = 1.0
    seconds: float | None = 600.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


# The setting that an administrator raises, by limit.
SETTINGS = {
    "turns": "RUN_MAX_TURNS",
    "calls_per_turn": "RUN_MAX_CALLS_PER_TURN",
    "tokens": "RUN_MAX_TOKENS",
    "money": "RUN_MAX_COST",
    "seconds": "RUN_MAX_SECONDS",
}


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run used. `calls` are those that were run; of `usage`, `lost` went for requests that brought no reply;
    `seconds` is the time that it was at work."""

    turns: int = 0
    calls: int = 0
    usage: Usage = Usage()
    lost: Usage = Usage()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The fields of the event that ends the run."""
        used = self.usage
        usage = {"input": used.input, "cached": used.cached, "output": used.output, "cost": used.cost}
        return {"turns": self.turns, "calls": self.calls, "usage": usage, "seconds": round(self.seconds, 3)}


class Budget:
    """Counts what a run spends and ends it at its limits.

    A resumed run passes through `start_turn` and `spend` again for what it did `before`, and the turns that it began
    then it may begin again. `allowed` gets what was used so far, and raises BudgetExhaustedError where
    something beyond this run forbids to use more.
    """

    def __init__(
        self,
        limits: BudgetLimits | None = None,
        *,
        before: Spent | None = None,
        allowed: Callable[[Usage], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or BudgetLimits()
        self._allowed = allowed
        self._clock = clock
        self._before = before or Spent()
        self._began = clock() - self._before.seconds
        self._lock = threading.Lock()
        self._turns = 0
        self._calls = 0
        self._usage = self._before.lost

    def start_turn(self) -> int:
        """Begin the next turn and return its number, from 1. Raises BudgetExhaustedError when there is none left."""
        is_new = self._turns >= self._before.turns
        if is_new:
            self.check()
        with self._lock:
            if is_new and self._turns >= self.limits.turns:
                raise _exhausted("turns", f"all {self.limits.turns} turns are used up without a final answer")
            self._turns += 1
            return self._turns

    def count_call(self) -> None:
        """Count one call that was run, for the records; how many may run is limited a turn."""
        with self._lock:
            self._calls += 1

    def spend(self, usage: Usage) -> None:
        """Count one model call. Never raises: its reply is paid for, so it may be used; `check` ends the run."""
        with self._lock:
            self._usage += usage

    def check(self) -> None:
        """Raise BudgetExhaustedError if tokens, money or seconds are used up."""
        limits, usage = self.limits, self.usage
        if limits.tokens is not None and usage.input + usage.output >= limits.tokens:
            raise _exhausted("tokens", f"{usage.input + usage.output:,} of {limits.tokens:,} tokens are used up")
        if limits.money is not None and usage.cost is not None and usage.cost >= limits.money > 0:
            raise _exhausted("money", f"${usage.cost:.4f} of ${limits.money:.4f} are spent")
        self.check_seconds()

    def check_seconds(self) -> None:
        """What `check` says of time alone: asked while a reply is written, too, which a slow model does for long."""
        limit, seconds = self.limits.seconds, self.seconds
        if limit is not None and seconds >= limit:
            raise _exhausted("seconds", f"the run took {seconds:.0f} of at most {limit:.0f} seconds")

    def admit(self) -> None:
        """Asked before each model call: raise BudgetExhaustedError if nothing more may be spent."""
        self.check()
        if self._allowed is not None:
            self._allowed(self.usage)

    @property
    def turns(self) -> int:
        return self._turns

    @property
    def calls(self) -> int:
        return self._calls

    @property
    def turns_left(self) -> int:
        """Turns that may still begin after the one in progress."""
        return max(0, self.limits.turns - self._turns)

    @property
    def usage(self) -> Usage:
        with self._lock:
            return self._usage

    def spent(self) -> Spent:
        """All that the run used, in earlier attempts too, however far this one has come in doing it again."""
        before = self._before
        with self._lock:
            usage = _larger(self._usage, before.usage)
            return Spent(max(self._turns, before.turns), max(self._calls, before.calls), usage, seconds=self.seconds)

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the run began."""
        return self._clock() - self._began


def _larger(one: Usage, other: Usage) -> Usage:
    costs = [usage.cost for usage in (one, other) if usage.cost is not None]
    cost = max(costs) if costs else None
    return Usage(max(one.input, other.input), max(one.cached, other.cached), max(one.output, other.output), cost)


def _exhausted(limit: str, what: str) -> BudgetExhaustedError:
    return BudgetExhaustedError(
        f"The run reached its budget: {what}. "
        f"Ask a narrower question, or have an administrator raise {SETTINGS[limit]}."
    )
