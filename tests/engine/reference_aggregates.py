"""Aggregates in plain Python, over the values of one group."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any


def over_values(fn: str, values: list[Any], separator: str = ",") -> Any:
    if fn in ("count", "count_distinct"):
        return len(values)
    if fn in ("stddev", "variance") and len(values) < 2:
        return None
    if not values:
        return None
    functions: dict[str, Callable[[], Any]] = {
        "sum": lambda: sum(values),
        "avg": lambda: Fraction(sum(values)) / len(values),
        "min": lambda: min(values),
        "max": lambda: max(values),
        "any_value": lambda: values[0],
        "median": lambda: statistics.median([Fraction(value) for value in values]),
        "stddev": lambda: statistics.stdev(map(float, values)),
        "variance": lambda: statistics.variance([Fraction(value) for value in values]),
        "string_agg": lambda: separator.join(values),
    }
    return functions[fn]()
