"""Stacked columns a day as SVG: numbers in, coordinates out. Nothing is rounded in the table beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 920.0, 210.0, 44.0, 10.0, 186.0
GAP = 6.0


@dataclass(frozen=True, slots=True)
class Bar:
    series: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Tick:
    place: float
    text: str


@dataclass(frozen=True, slots=True)
class Columns:
    """`series` are the names, drawn from the foot up; a bar's `series` counts from 1."""

    series: Sequence[str]
    bars: Sequence[Bar]
    lines: Sequence[Tick]
    days: Sequence[Tick]


def columns(days: Sequence[date], series: Mapping[str, Mapping[date, float]], unit: str = "") -> Columns:
    """`series` holds a name's values by day. `unit` stands before the numbers at the side."""
    top = _nice(max((sum(values.get(day, 0.0) for values in series.values()) for day in days), default=0.0))
    step = (WIDTH - LEFT) / max(len(days), 1)
    width = max(step - GAP, 1.0)
    bars = []
    for place, day in enumerate(days):
        foot = BOTTOM
        for number, values in enumerate(series.values(), start=1):
            height = values.get(day, 0.0) / top * (BOTTOM - TOP)
            if height > 0:
                bars.append(Bar(number, round(LEFT + place * step + GAP / 2, 1), round(foot - height, 1),
                                round(width, 1), round(max(height - 1, 0.5), 1)))  # fmt: skip
            foot -= height
    lines = [Tick(round(BOTTOM - part * (BOTTOM - TOP) / 4, 1), unit + _short(top * part / 4)) for part in range(5)]
    every = max(1, math.ceil(len(days) / 6))
    named = [
        Tick(round(LEFT + place * step + step / 2, 1), f"{day.day} {day:%b}")
        for place, day in enumerate(days)
        if place % every == every // 2
    ]
    return Columns(tuple(series), bars, lines, named)


def _nice(most: float) -> float:
    """The next of 1, 2, 4, 8 times a power of ten, so that quarters of it are round."""
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(factor * power for factor in (1, 2, 4, 8, 10) if factor * power >= most)


def _short(value: float) -> str:
    for size, letter in ((1e9, "bn"), (1e6, "m"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:.4g}"
