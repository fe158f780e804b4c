"""What a page shows of an evaluation: figures of each system, the frontier, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from agents.evaluation.results import CaseResult
from agents.evaluation.scoring import reliability
from agents.evaluation.statistics import Comparison, Spread, compare, spread, wilson

FAILED = ("failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one system over the questions that it was asked. Shares in percent; `cost` (US dollars), tokens, `turns` and
    `calls` are means of a question. `rs0` and `rs10` are EHRSQL's RS(0) and RS(10). `judged` is None without a judge,
    `cost` where no price is known, `seconds` before the first answer. `by_difficulty` holds (right, questions)."""

    questions: int
    right: int
    interval: tuple[float, float]
    execution: float
    tolerant: float
    soft_f1: float
    judged: float | None
    rs0: float
    rs10: float
    failed: int
    cost: float | None
    total_cost: float
    input: float
    cached: float
    output: float
    turns: float
    calls: float
    seconds: Spread | None
    by_difficulty: Mapping[str, tuple[int, int]]

    @property
    def accuracy(self) -> float:
        return 100 * self.right / self.questions if self.questions else 0.0


@dataclass(frozen=True, slots=True)
class Changes:
    """From one system to another over the questions of both: keys of those that only the first (`worse`) or only the
    second (`better`) got right. `comparison` is None where they share no question."""

    worse: tuple[str, ...]
    better: tuple[str, ...]
    same: int
    comparison: Comparison | None


def figures(results: Sequence[CaseResult]) -> Figures:
    answerable = [one for one in results if one.answerable]
    judged = [one.judged for one in results if one.judged is not None]
    costs = [float(one.usage["cost"]) for one in results if one.usage.get("cost") is not None]
    right = sum(one.right for one in results)
    outcomes = [(one.answerable, one.status, one.right) for one in results]
    return Figures(
        questions=len(results),
        right=right,
        interval=wilson(right, len(results)),
        execution=100 * _mean([float(one.execution) for one in answerable]),
        tolerant=100 * _mean([float(one.tolerant) for one in answerable]),
        soft_f1=100 * _mean([one.soft_f1 for one in answerable]),
        judged=100 * _mean([float(one) for one in judged]) if judged else None,
        rs0=reliability(outcomes, 0),
        rs10=reliability(outcomes, 10),
        failed=sum(one.status in FAILED for one in results),
        cost=fmean(costs) if costs else None,
        total_cost=sum(costs),
        input=_mean([one.usage.get("input") or 0 for one in results]),
        cached=_mean([one.usage.get("cached") or 0 for one in results]),
        output=_mean([one.usage.get("output") or 0 for one in results]),
        turns=_mean([one.turns for one in results]),
        calls=_mean([one.calls for one in results]),
        seconds=spread([one.seconds for one in results]) if results else None,
        by_difficulty=_by_difficulty(results),
    )


def changes(first: Mapping[str, bool], second: Mapping[str, bool]) -> Changes:
    """Both say of each question, by its key, whether it was right."""
    shared = [key for key in first if key in second]
    pairs = [first[key] for key in shared], [second[key] for key in shared]
    worse = tuple(key for key in shared if first[key] and not second[key])
    better = tuple(key for key in shared if second[key] and not first[key])
    comparison = compare(*pairs) if shared else None
    return Changes(worse, better, len(shared) - len(worse) - len(better), comparison)


def frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Of points (price, accuracy): whether no other is both as cheap and as good, and better in one of the two."""
    return [
        not any((x <= price and y >= good) and (x < price or y > good) for x, y in points) for price, good in points
    ]


def _by_difficulty(results: Sequence[CaseResult]) -> dict[str, tuple[int, int]]:
    levels: dict[str, tuple[int, int]] = {}
    for one in results:
        if one.difficulty:
            right, questions = levels.get(one.difficulty, (0, 0))
            levels[one.difficulty] = (right + one.right, questions + 1)
    return levels


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
