"""The rules that keep of a model's reading only what the question bears out."""

from __future__ import annotations

import pytest

from agents.strategies.iesr.understanding import Quantity, understood

SAID = "How much did customers in the North pay for orders of more than 5 km, in percent of 1,000?"


def test_what_was_said_is_kept_and_what_was_not_is_named() -> None:
    read = {"intent": "a share", "entities": ["customers", "the North", "employees"], "fields": ["order", "salary"],
            "conditions": ["more than 5 km", "delivered last year"]}  # fmt: skip
    found = understood(read, SAID)
    assert found.entities == ("customers", "the North")
    assert found.fields == ("order",)
    assert found.conditions == ("more than 5 km",)
    assert found.dropped == ("employees", "delivered last year", "salary")


def test_a_word_that_is_spelled_nearly_like_one_that_was_said_is_kept() -> None:
    assert understood({"entities": ["custommers"]}, SAID).entities == ("custommers",)


def test_a_script_without_spaces_is_compared_as_it_is_written() -> None:
    found = understood({"entities": ["订单", "客户"]}, "有多少订单已付款?")
    assert (found.entities, found.dropped) == (("订单",), ("客户",))


@pytest.mark.parametrize(
    ("read", "kept"),
    [
        ({"number": 5, "unit": "km", "formula": "1 km = 1000 m"}, (Quantity("5", "km", "1 km = 1000 m"),)),
        ({"number": "1,000"}, (Quantity("1000"),)),
        ({"number": 5, "unit": "miles", "formula": "1 mile = 1.6 km"}, (Quantity("5"),)),
        ({"number": 7}, ()),
        ({"unit": "km"}, ()),
        (1000, (Quantity("1000"),)),
    ],
)
def test_a_quantity_stands_in_the_question_with_its_unit(read: object, kept: tuple[Quantity, ...]) -> None:
    assert understood({"quantities": [read]}, SAID).quantities == kept


def test_numbers_may_be_words_or_percentages() -> None:
    found = understood({"quantities": [{"number": 3}, {"number": 0.05}, {"number": 4}]}, "Three of them, 5% at least")
    assert [one.number for one in found.quantities] == ["3", "0.05"]
    assert found.dropped == ("4",)


@pytest.mark.parametrize(
    "read", [{}, {"entities": None}, {"entities": {"a": 1}, "quantities": "many"}, {"fields": [3]}]
)
def test_what_has_another_shape_is_nothing(read: dict[str, object]) -> None:
    assert understood(read, SAID).text() == ""


def test_it_is_told_in_lines() -> None:
    read = {"intent": "count", "entities": ["customers"], "quantities": [{"number": 5, "unit": "km"}]}
    assert understood(read, SAID).text() == "Asked for: count\nEntities: customers\nQuantities: 5 km"
