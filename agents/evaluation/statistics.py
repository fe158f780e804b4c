"""Whether a difference between two systems is more than chance: McNemar's test and the paired bootstrap.

Both look at the same questions answered by both systems. `b` counts those that only the first got right, `c` those that
only the second got right; the rest says nothing about the difference.
"""

from __future__ import annotations

import math
import random
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

RESAMPLES = 10_000
Z95 = statistics.NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second system against the first. `difference` and `interval` (95 %) are in percentage points."""

    b: int
    c: int
    p_exact: float
    p_corrected: float
    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution of seconds. `cv` is the standard deviation over the mean."""

    minimum: float
    median: float
    mean: float
    maximum: float
    cv: float
    over_500: int


def compare(first: Sequence[bool], second: Sequence[bool], *, seed: int = 0) -> Comparison:
    """Both hold one truth value a question, in the same order. Raises ValueError when the lengths differ."""
    pairs = list(zip(first, second, strict=True))
    b = sum(one and not other for one, other in pairs)
    c = sum(other and not one for one, other in pairs)
    low, high = bootstrap(first, second, seed=seed)
    return Comparison(
        b, c, mcnemar_exact(b, c), mcnemar_corrected(b, c), 100 * (c - b) / len(pairs) if pairs else 0.0, (low, high)
    )


def mcnemar_exact(b: int, c: int) -> float:
    """The two-sided p of the binomial test that `b` and `c` are equally likely."""
    n, k = b + c, min(b, c)
    tail = sum(math.comb(n, i) for i in range(k + 1))
    return min(1.0, float(2 * tail / 2**n))


def mcnemar_corrected(b: int, c: int) -> float:
    """The p of the chi-square test with one degree of freedom and Edwards' continuity correction."""
    if b + c == 0:
        return 1.0
    statistic = max(0, abs(b - c) - 1) ** 2 / (b + c)
    return math.erfc(math.sqrt(statistic / 2))


def bootstrap(
    first: Sequence[bool], second: Sequence[bool], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The 95 % percentile interval of the accuracy difference, in percentage points, over paired resamples.

    A resample is drawn by its counts: how many of its n questions are discordant, and how many of those the second got
    right. That is the multinomial of drawing them one by one, without n draws.
    """
    pairs = list(zip(first, second, strict=True))
    n = len(pairs)
    b, c = sum(one and not other for one, other in pairs), sum(other and not one for one, other in pairs)
    if not b + c:
        return (0.0, 0.0)
    draw = random.Random(seed)  # noqa: S311 - a seeded resampling, no secret
    discordant = _binomial(n, (b + c) / n)
    better: dict[int, list[float]] = {}
    means = []
    for _ in range(resamples):
        size = bisect_right(discordant, draw.random() * discordant[-1])
        if size not in better:
            better[size] = _binomial(size, c / (b + c))
        table = better[size]
        gained = bisect_right(table, draw.random() * table[-1])
        means.append(100 * (2 * gained - size) / n)
    means.sort()
    return (_percentile(means, 2.5), _percentile(means, 97.5))


def wilson(right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share, in percent (E. B. Wilson, 1927)."""
    if n == 0:
        return (0.0, 100.0)
    share, z2 = right / n, Z95**2
    middle, half = share + z2 / (2 * n), Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return (100 * (middle - half) / (1 + z2 / n), 100 * (middle + half) / (1 + z2 / n))


def spread(seconds: Sequence[float]) -> Spread:
    """Raises ValueError without any value."""
    if not seconds:
        raise ValueError("the spread of no values is not defined")
    mean = statistics.fmean(seconds)
    return Spread(
        minimum=min(seconds),
        median=statistics.median(seconds),
        mean=mean,
        maximum=max(seconds),
        cv=statistics.pstdev(seconds) / mean if mean else 0.0,
        over_500=sum(value > 500 for value in seconds),
    )


def _binomial(n: int, p: float) -> list[float]:
    """The cumulated probabilities of 0 … n successes in `n` trials."""
    if p in (0.0, 1.0):
        return [float(k >= n * p) for k in range(n + 1)]
    logs = (
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(n + 1)
    )
    return list(accumulate(math.exp(value) for value in logs))


def _percentile(ordered: Sequence[float], percent: float) -> float:
    """Linear between the two nearest ranks."""
    place = (len(ordered) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
