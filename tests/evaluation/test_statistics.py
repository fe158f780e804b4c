"""The statistics reproduce what the paper printed and what can be counted by hand."""

from __future__ import annotations

import pytest

from agents.evaluation.statistics import bootstrap, compare, mcnemar_corrected, mcnemar_exact, spread

# Table 5 of the ReAct-SQL paper: b, c, p to three decimals.
BIRD = [(28, 58, 0.002), (32, 59, 0.006), (53, 56, 0.848)]


@pytest.mark.parametrize(("b", "c", "p"), BIRD)
def test_both_forms_of_mcnemar_give_the_papers_p(b: int, c: int, p: float) -> None:
    assert round(mcnemar_exact(b, c), 3) == p
    assert round(mcnemar_corrected(b, c), 3) == p


@pytest.mark.parametrize(("b", "c", "power"), [(38, 283, -47), (44, 305, -49)])
def test_extreme_tails_stay_exact(b: int, c: int, power: int) -> None:
    assert 10.0 ** (power - 1) < mcnemar_exact(b, c) < 10.0 ** (power + 1)


@pytest.mark.parametrize(("b", "c", "p"), [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 0.0625), (5, 5, 1.0)])
def test_small_counts_by_hand(b: int, c: int, p: float) -> None:
    assert mcnemar_exact(b, c) == p


def paired(b: int, c: int, n: int) -> tuple[list[bool], list[bool]]:
    return [True] * b + [False] * c + [True] * (n - b - c), [False] * b + [True] * (n - b)


@pytest.mark.parametrize(("b", "c", "low", "high"), [(53, 56, -3.41, 4.62), (32, 59, 1.61, 9.24), (28, 58, 2.61, 9.64)])
def test_the_bootstrap_gives_the_papers_intervals(b: int, c: int, low: float, high: float) -> None:
    first, second = paired(b, c, 498)
    assert bootstrap(first, second, seed=1) == pytest.approx((low, high), abs=0.41)  # two questions of 498


def test_the_bootstrap_is_the_same_for_the_same_seed() -> None:
    first, second = paired(3, 9, 40)
    assert bootstrap(first, second, seed=7) == bootstrap(first, second, seed=7)
    assert bootstrap(first, first) == (0.0, 0.0)


def test_a_comparison_counts_the_discordant_pairs() -> None:
    result = compare([True, True, False, False], [True, False, True, True])
    assert (result.b, result.c, result.difference) == (1, 2, 25.0)
    with pytest.raises(ValueError, match="zip"):
        compare([True], [True, False])


def test_the_spread_of_seconds() -> None:
    result = spread([2.0, 4.0, 600.0])
    assert (result.minimum, result.median, result.maximum, result.mean, result.over_500) == (2.0, 4.0, 600.0, 202.0, 1)
    assert result.cv == pytest.approx(1.393, abs=0.001)
    with pytest.raises(ValueError, match="no values"):
        spread([])
