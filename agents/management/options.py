"""Values of options that argparse checks: what is out of range is wrong usage, which ends with exit status 2."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable

from agents.strategies import STRATEGIES


def at_least(least: int) -> Callable[[str], int]:
    """A parser of whole numbers from `least` on. It raises ArgumentTypeError."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise ArgumentTypeError(f"{text!r} is no whole number of at least {least}")
        return number

    return parse


def seconds(text: str) -> float:
    """A duration above 0. Raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return number


def strategy_name(text: str) -> str:
    """The name of a strategy, also where it is the default that STRATEGY sets. Raises ArgumentTypeError."""
    if text not in STRATEGIES:
        raise ArgumentTypeError(f"there is no strategy {text!r}; there are {', '.join(STRATEGIES)}")
    return text
