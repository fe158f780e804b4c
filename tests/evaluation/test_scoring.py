"""What counts as the same table, rule by rule, and what declining is worth."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from agents.answers.comparison import covers, is_blank, same_table
from agents.evaluation.scoring import Score, execution_match, reliability, score, soft_f1

Rows = list[tuple[Any, ...]]

COVERED: list[tuple[str, Rows, Rows, bool]] = [
    ("row order does not matter", [(2,), (1,)], [(1,), (2,)], True),
    ("column order does not matter", [("a", 1), ("b", 2)], [(1, "a"), (2, "b")], True),
    ("further columns are allowed", [(7, "a"), (8, "b")], [("a",), ("b",)], True),
    ("a missing column is not", [("a",)], [("a", 1)], False),
    ("duplicates count", [(1,), (1,), (2,)], [(1,), (2,), (2,)], False),
    ("a missing row is wrong", [(1,)], [(1,), (2,)], False),
    ("values must stay in their rows", [(1, 2), (2, 1)], [(1, 1), (2, 2)], False),
    ("numbers may be rounded", [(33.33,)], [(33.333333,)], True),
    ("but not far", [(33.3,)], [(34.0,)], False),
    ("years are not close", [(2001,)], [(2002,)], False),
    ("large keys are not close", [(100_000,)], [(100_001,)], False),
    ("a float that is whole equals it", [(5.0,)], [(5,)], True),
    ("a decimal equals a float", [(Decimal("1.50"),)], [(1.5,)], True),
    ("a number as text equals it", [("5",)], [(5,)], True),
    ("unless the column holds other text", [("5",), ("x",)], [(5,), (6,)], False),
    ("a date equals its text", [(date(2024, 1, 2),)], [("2024-01-02",)], True),
    ("a moment equals its text", [(datetime(2024, 1, 2, 3, 4, 5),)], [("2024-01-02 03:04:05",)], True),
    ("NULL equals NULL only", [(None,)], [(0,)], False),
    ("true is 1", [(True,)], [(1,)], True),
    ("text keeps its case", [("Lisbon",)], [("LISBON",)], False),
    ("both empty", [], [], True),
    ("empty is not one row of NULL", [], [(None,)], False),
    ("near rows find their partners", [(1.0001, 2.5), (1.0002, 1.5)], [(1.0002, 2.5), (1.0001, 1.5)], True),
    ("a number beyond every float is another", [(10**400,), (0.5,)], [(1.5,), (0.5,)], False),
    ("a number beyond every float equals itself", [(10**400,), (0.5,)], [(10**400,), (0.5,)], True),
    ("equal columns do not blow up", [(None,) * 30 + (1,)], [(None,) * 12 + (2,)], False),
]


@pytest.mark.parametrize(("given", "wanted", "same"), [case[1:] for case in COVERED], ids=[case[0] for case in COVERED])
def test_the_tolerant_comparator(given: Rows, wanted: Rows, same: bool) -> None:
    assert covers(given, wanted) is same


def test_a_vote_needs_the_same_columns() -> None:
    assert same_table([(1, "a")], [("a", 1)])
    assert not same_table([(1, "a")], [("a",)])


def test_ten_thousand_rows_are_compared_in_time() -> None:
    rows = [(n, f"name {n % 97}", n / 7, n % 3 == 0, None) for n in range(10_000)]
    assert same_table(rows, [row[::-1] for row in reversed(rows)])


@pytest.mark.parametrize(("rows", "blank"), [([], True), ([(None, None)], True), ([(None, 0)], False)])
def test_what_proves_little(rows: Rows, blank: bool) -> None:
    assert is_blank(rows) is blank


def test_birds_rule_is_stricter_where_it_is_and_laxer_where_it_is() -> None:
    assert execution_match([(1,), (1,)], [(1,)])
    assert not execution_match([(1, "a")], [("a", 1)])
    assert not execution_match([(1, 2)], [(1,)])
    assert execution_match([([1, 2],)], [([1, 2],)])


SOFT: list[tuple[str, Rows, Rows, float]] = [
    ("equal", [(1, 2)], [(1, 2)], 1.0),
    ("cells anywhere in the row", [(2, 1)], [(1, 2)], 1.0),
    ("half of the cells", [(1, 9)], [(1, 2)], 0.5),
    ("one row too many", [(1,), (2,)], [(1,)], 2 / 3),
    ("one row too few", [(1,)], [(1,), (2,)], 2 / 3),
    ("nothing right", [(3,)], [(1,)], 0.0),
    ("both empty", [], [], 1.0),
    ("duplicates dropped", [(1,), (1,)], [(1,)], 1.0),
]


@pytest.mark.parametrize(("given", "wanted", "f1"), [case[1:] for case in SOFT], ids=[case[0] for case in SOFT])
def test_soft_f1(given: Rows, wanted: Rows, f1: float) -> None:
    assert soft_f1(given, wanted) == pytest.approx(f1)


def test_any_alternative_may_match_and_no_table_is_wrong() -> None:
    assert score([(2,)], [[(1,)], [(2,)]]) == Score(True, True, 1.0)
    assert score(None, [[(1,)]]) == Score()


def test_declining_is_worth_what_ehrsql_says() -> None:
    outcomes = [(True, "answered", True), (True, "answered", False), (True, "unanswerable", False),
                (False, "unanswerable", False), (False, "answered", False), (True, "failed", False)]  # fmt: skip
    assert reliability(outcomes, 0) == pytest.approx(100 * 2 / 6)
    assert reliability(outcomes, 10) == pytest.approx(100 * (2 - 20) / 6)
