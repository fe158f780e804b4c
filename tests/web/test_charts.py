"""The chart that is chosen, and what is drawn of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.answers.cells import Column
from agents.answers.chart_choice import Choice, chosen, fit
from agents.answers.charts import draw


def columns(*names_and_types: tuple[str, str]) -> list[Column]:
    return [Column(place, name, semantic.upper(), semantic) for place, (name, semantic) in enumerate(names_and_types)]


COUNTRIES = columns(("country", "text"), ("n", "integer"))
TWO = [["DE", 1], ["FR", 2]]
MONTHS = [[f"2026-{month:02d}-01", month * 10] for month in range(1, 13)]
CASES: list[tuple[str, list[Column], list[list[Any]], str, Choice | None]] = [
    ("one number", columns(("sales", "decimal")), [["12.5"]], "", Choice("number", None, (0,))),
    ("a date and a number", columns(("month", "date"), ("n", "integer")), MONTHS, "", Choice("line", 0, (1,))),
    ("months as text", columns(("month", "text"), ("n", "integer")), [["2026-01", 1], ["2026-02", 2]], "",
     Choice("line", 0, (1,))),
    ("years", columns(("year", "integer"), ("n", "integer")), [[2024, 1], [2025, 2]], "", Choice("line", 0, (1,))),
    ("names and numbers", COUNTRIES, TWO, "", Choice("bar", 0, (1,))),
    ("a share of few parts", COUNTRIES, TWO,
     "What share does each country have?", Choice("pie", 0, (1,))),
    ("a share with a negative part", columns(("country", "text"), ("n", "integer")), [["DE", -1], ["FR", 2]],
     "What share does each country have?", Choice("bar", 0, (1,))),
    ("measures of one size", columns(("country", "text"), ("q2", "decimal"), ("q3", "decimal")),
     [["DE", "10", "12"], ["FR", "8", "9"]], "", Choice("bar", 0, (1, 2))),
    ("measures of two sizes", columns(("country", "text"), ("sales", "decimal"), ("orders", "integer")),
     [["DE", "66482.90", 31], ["FR", "51906.15", 26]], "", Choice("bar", 0, (1,))),
    ("two numbers", columns(("price", "decimal"), ("sold", "integer")), [[str(n), n] for n in range(6)], "",
     Choice("scatter", 0, (1,))),
    ("one number, many rows", columns(("price", "decimal")), [[str(n)] for n in range(20)], "",
     Choice("histogram", None, (0,))),
    ("an id is no measure", columns(("customer_id", "integer"), ("name", "text")), [[1, "a"], [2, "b"]], "", None),
    ("no rows", columns(("country", "text"), ("n", "integer")), [], "", None),
    ("words only", columns(("name", "text")), [["a"], ["b"]], "", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("heads", "rows", "question", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_chart_that_fits(
    heads: list[Column], rows: list[list[Any]], question: str, expected: Choice | None
) -> None:
    found = fit(heads, rows, question)
    assert found.choice == expected
    assert bool(found.reason) == (expected is None)


@pytest.mark.parametrize("kind", ["bar", "line", "area", "histogram"])
def test_a_wish_that_can_be_drawn_is_drawn(kind: str) -> None:
    heads = columns(("month", "date"), ("n", "integer"))
    choice = chosen(fit(heads, MONTHS), kind, None, None)
    assert choice is not None
    assert choice.kind == kind
    json.dumps(draw(choice, heads, MONTHS).figure)


def test_a_wish_that_cannot_be_drawn_is_not() -> None:
    heads = columns(("country", "text"), ("n", "integer"))
    assert chosen(fit(heads, [["DE", 1], ["FR", 2]]), "line", 7, 9) == Choice("bar", 0, (1,))


def test_what_is_left_out_is_said() -> None:
    heads = columns(("product", "text"), ("n", "integer"))
    rows = [[f"product {n}", n] for n in range(40)]
    chart = draw(Choice("bar", 0, (1,)), heads, rows)
    assert chart.notice is not None
    assert chart.notice[0] == "First 12 of 40 rows."


def test_time_is_sorted_whatever_the_order_of_the_rows() -> None:
    heads = columns(("month", "date"), ("n", "integer"))
    figure = draw(Choice("line", 0, (1,)), heads, MONTHS[::-1]).figure
    assert list(figure["data"][0]["x"]) == [row[0] for row in MONTHS]


def test_names_that_plotly_would_read_as_html_are_escaped() -> None:
    heads = columns(("name", "text"), ("<b>n</b>", "integer"))
    figure = json.dumps(draw(Choice("bar", 0, (1,)), heads, [["<a href='x'>", 1], ["<script>", 2]]).figure)
    assert "<a" not in figure
    assert "<script" not in figure
    assert "<b>" not in figure
