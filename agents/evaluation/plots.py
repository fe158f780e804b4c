"""Drawings of an evaluation: accuracy against cost or seconds with the frontier, and accuracy by difficulty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.answers.charts import figure_of, label
from agents.evaluation.overview import frontier

PARETO_HEIGHT, BARS_HEIGHT = 420, 380
COLOURS = 6


@dataclass(frozen=True, slots=True)
class Point:
    """A system: its letter and words, what a question costs (dollars or seconds), its accuracy with its interval."""

    letter: str
    words: str
    price: float
    accuracy: float
    interval: tuple[float, float]


def pareto(points: Sequence[Point], title: str, unit: str) -> dict[str, Any]:
    """`unit` stands before prices in dollars, behind seconds. The axis is logarithmic where every price is above 0."""
    best = frontier([(one.price, one.accuracy) for one in points])
    groups = [("On the frontier", "var(--series-1)", True), ("Dominated", "var(--series-2)", False)]
    traces = [_steps(points, best)]
    traces += [
        _markers([one for one, on in zip(points, best, strict=True) if on is wanted], name, colour, unit)
        for name, colour, wanted in groups
    ]
    before, behind = ("$", "") if unit == "$" else ("", f" {unit}")
    logarithmic = all(one.price > 0 for one in points)
    words = f"{title}, log scale" if logarithmic else title
    across: dict[str, Any] = {"title": {"text": words}, "tickprefix": before, "ticksuffix": behind, "zeroline": False}
    if logarithmic:
        marks = _marks([one.price for one in points])
        texts = [f"{before}{mark:,.10g}{behind}" for mark in marks]
        across |= {"type": "log", "tickvals": marks, "ticktext": texts}
    up = {"title": {"text": "Accuracy"}, "ticksuffix": " %", "zeroline": False, "range": _room(points)}
    return figure_of(traces, xaxis=across, yaxis=up)


def by_difficulty(systems: Sequence[tuple[str, Mapping[str, tuple[int, int]]]]) -> dict[str, Any]:
    """A group of bars a level, one bar a system; `systems` are (letter, (right, questions) by level)."""
    levels = list(dict.fromkeys(level for _, own in systems for level in own))
    traces = []
    for place, (letter, own) in enumerate(systems):
        counts = [own.get(level, (0, 0)) for level in levels]
        traces.append({
            "type": "bar", "name": letter, "x": [label(level) for level in levels],
            "y": [100 * right / questions if questions else None for right, questions in counts],
            "text": [letter for _ in levels], "textposition": "outside", "cliponaxis": False,
            "textfont": {"color": "var(--ink-2)"},
            "marker": {"color": f"var(--series-{place % COLOURS + 1})"},
            "customdata": [f"{right} of {questions}" for right, questions in counts],
            "hovertemplate": "%{x}: %{y:.1f} %, %{customdata}<extra>" + letter + "</extra>",
        })  # fmt: skip
    marks = [0, 25, 50, 75, 100]
    up = {"range": [0, 108], "tickvals": marks, "ticktext": [f"{mark} %" for mark in marks]}
    return figure_of(traces, xaxis={"type": "category", "showgrid": False}, yaxis=up, barmode="group", bargap=0.3)


def _steps(points: Sequence[Point], best: Sequence[bool]) -> dict[str, Any]:
    """The frontier as steps: up to the next better system nothing better is to be had."""
    chosen = sorted((one.price, one.accuracy) for one, on in zip(points, best, strict=True) if on)
    return {
        "type": "scatter", "mode": "lines", "x": [x for x, _ in chosen], "y": [y for _, y in chosen],
        "line": {"shape": "hv", "dash": "dash", "width": 1.5, "color": "var(--accent)"}, "hoverinfo": "skip",
    }  # fmt: skip


def _markers(points: Sequence[Point], name: str, colour: str, unit: str) -> dict[str, Any]:
    shown = [f"${one.price:.4f}" if unit == "$" else f"{one.price:.1f} {unit}" for one in points]
    return {
        "type": "scatter", "mode": "markers+text", "name": name, "cliponaxis": False,
        "x": [one.price for one in points], "y": [one.accuracy for one in points],
        "text": [one.letter for one in points], "textposition": "top left",
        "textfont": {"color": "var(--ink)", "size": 13},
        "customdata": [label(f"{one.letter} {one.words}: {price}") for one, price in zip(points, shown, strict=True)],
        "hovertemplate": "%{customdata}, %{y:.1f} %<extra></extra>",
        "marker": {"color": colour, "size": 11, "line": {"color": "var(--surface)", "width": 2}},
        "error_y": {
            "type": "data", "symmetric": False, "color": "var(--ink-3)", "thickness": 1, "width": 0,
            "array": [one.interval[1] - one.accuracy for one in points],
            "arrayminus": [one.accuracy - one.interval[0] for one in points],
        },
    }  # fmt: skip


def _room(points: Sequence[Point]) -> list[float]:
    low = min(one.interval[0] for one in points)
    high = max(one.interval[1] for one in points)
    return [max(0.0, low - 6), min(104.0, high + 6)]


def _marks(prices: Sequence[float]) -> list[float]:
    """1, 2 and 5 times the powers of ten around the prices; of many powers, these alone."""
    low, high = math.floor(math.log10(min(prices))), math.ceil(math.log10(max(prices)))
    factors = (1, 2, 5) if high - low <= 2 else (1,)
    return [factor * 10.0**power for power in range(low, high + 1) for factor in factors]
