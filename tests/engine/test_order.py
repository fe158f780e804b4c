"""What goes by the order of the relation: frames, and texts that are joined."""

from __future__ import annotations

import pytest

from agents.engine.engine import Engine
from tests.engine.shop import rows
from tests.engine.test_engine import ORDERS, call

SORTED = call("order_by", "sorted", rel="orders", keys=[["id", "desc"]])
FRAME = "rows between unbounded preceding and current row"
DISTINCT = {"fn": "string_agg", "column": "status", "as": "all", "distinct": True}
RUNNING = {"name": "so_far", "fn": "sum", "column": "total", "frame": FRAME}


def test_a_running_sum_goes_by_the_order_of_the_relation(engine: Engine) -> None:
    told = rows(engine, ORDERS, SORTED, call("window_column", "running", rel="sorted", **RUNNING))
    assert [(row[0], int(row[-1])) for row in told] == [
        (17, 12), (16, 12), (15, 57), (14, 57), (13, 64), (12, 94), (11, 106), (10, 136),
    ]  # fmt: skip


def test_a_running_sum_over_no_order_is_refused_with_what_to_do(engine: Engine) -> None:
    *_, outcome = engine.run([ORDERS, call("window_column", "running", rel="orders", **RUNNING)])
    assert outcome.error is not None
    assert outcome.error.type == "InvalidArgumentError"
    assert "give 'order_by', or sort orders with order_by first" in outcome.text


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql"])  # MySQL joins texts in no window
def test_texts_joined_in_a_window_are_in_the_order_of_the_relation(engine: Engine) -> None:
    joined = call("window_column", "w", rel="sorted", name="all", fn="string_agg", column="status")
    told = rows(engine, ORDERS, SORTED, joined)
    assert {row[-1] for row in told} == {"paid,void,paid,open,paid,paid,open,paid"}


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_distinct_texts_are_joined_in_their_own_order_where_the_relation_has_it(engine: Engine, direction: str) -> None:
    ordered = call("order_by", "r", rel="orders", keys=[["status", direction]])
    joined = call("aggregate", "a", rel="r", aggs=[DISTINCT])
    ((text,),) = rows(engine, ORDERS, ordered, joined)
    assert text.split(",") == sorted(["open", "paid", "void"], reverse=direction == "desc")


def test_distinct_numbers_are_joined_as_texts_in_any_order(engine: Engine) -> None:
    joined = call("aggregate", "a", rel="sorted", aggs=[{**DISTINCT, "column": "customer"}])
    ordered = call("order_by", "sorted", rel="orders", keys=[["customer", "desc"]])
    ((text,),) = rows(engine, ORDERS, ordered, joined)
    assert set(text.split(",")) == {"1", "2", "4", "9"}


def test_a_note_says_when_distinct_texts_keep_the_order(engine: Engine) -> None:
    noted = engine.run([ORDERS, SORTED, call("aggregate", "a", rel="sorted", aggs=[DISTINCT])])[-1]
    assert "the distinct texts of all are joined in the order of sorted only if it is sorted by status" in noted.text
    assert "only if" not in engine.call(call("aggregate", "b", rel="orders", aggs=[DISTINCT])).text
