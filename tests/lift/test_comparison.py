"""The comparison can fail: it tells different rows, counts and orders apart, and forgives only float noise and ties."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agents.engine.lift import LiftedProgram
from agents.engine.lift.batch import is_equal
from agents.engine.lift.comparison import same_rows
from connections.contracts import ResultColumn, Rows

SAME = [
    ([(1, "a"), (2, None)], [(2, None), (1, "a")]),
    ([(0.1 + 0.2,)], [(0.3,)]),
    ([(1e9 + 1e-4,), (5.0,)], [(5,), (1e9,)]),
    ([(Decimal("1.50"),)], [(1.5,)]),
    ([(float("nan"),)], [(float("nan"),)]),
    ([(True,)], [(1,)]),
    ([([1, 2],)], [([1, 2],)]),
    ([], []),
]
DIFFERENT = [
    ([(1,)], [(1,), (1,)]),
    ([(1,), (1,), (2,)], [(1,), (2,), (2,)]),
    ([(1, 2)], [(2, 1)]),
    ([(None,)], [(0,)]),
    ([("1",)], [(1,)]),
    ([(1.0,)], [(1.000001,)]),
    ([(10**17,)], [(10**17 + 1,)]),
    ([(1,)], []),
    ([("a",)], [("A",)]),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_rows_are_equal_in_any_order(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> None:
    assert same_rows(one, other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_rows_are_not_equal(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> None:
    assert not same_rows(one, other)


def test_order_counts_only_where_the_sql_orders_and_ties_may_stand_in_any() -> None:
    wanted, got = _rows((1, "a"), (1, "b"), (2, "c")), _rows((1, "b"), (1, "a"), (2, "c"))
    swapped = _rows((2, "c"), (1, "a"), (1, "b"))
    by_first = LiftedProgram([], ordered=True, sorted_by=(0,))
    assert is_equal(wanted, got, by_first)
    assert not is_equal(wanted, swapped, by_first)
    assert is_equal(wanted, swapped, LiftedProgram([]))
    assert not is_equal(wanted, got, LiftedProgram([], ordered=True, sorted_by=None))


def test_results_of_other_widths_are_not_equal_even_without_rows() -> None:
    one, two = Rows((ResultColumn("a"),), (), False, 0), Rows((ResultColumn("a"), ResultColumn("b")), (), False, 0)
    assert not is_equal(one, two, LiftedProgram([]))


def _rows(*rows: tuple[object, ...]) -> Rows:
    return Rows(tuple(ResultColumn(f"c{i}") for i in range(len(rows[0]))), rows, False, 0.0)
