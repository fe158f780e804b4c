"""What is merged into one SELECT means what its steps mean one after the other."""

from __future__ import annotations

import pytest

from agents.engine.engine import Engine
from tests.engine.shop import rows
from tests.engine.test_engine import CUSTOMERS, ORDERS, call

PAID = call("filter_expr", "paid", rel="orders", predicate="status = 'paid'")


def test_a_filter_behind_an_order_by_a_window_does_not_come_before_the_window(engine: Engine) -> None:
    told = rows(
        engine, ORDERS,
        call("window_column", "w", rel="orders", name="before", fn="lag", column="total", order_by=[["id", "asc"]]),
        call("order_by", "s", rel="w", keys=[["before", "desc", "nulls_last"], ["id", "asc"]]),
        call("filter_expr", "f", rel="s", predicate="total >= 12"),
        call("limit", "l", rel="f", n=2),
        call("select_columns", "x", rel="l", columns=["id"]),
    )  # fmt: skip
    assert told == [(11,), (12,)]  # behind totals of 30 and 12; among those that are left, 17 would come behind 45


@pytest.mark.parametrize("fn", ["variance", "stddev"])
def test_what_is_computed_from_a_spread_takes_all_of_it(engine: Engine, fn: str) -> None:
    spread = call("aggregate", "a", rel="paid", aggs=[{"fn": fn, "column": "total", "as": "v"}])
    share = call("derive_column", "d", rel="a", name="share", expr="1000 / v")
    ((v, part),) = rows(engine, ORDERS, PAID, spread, share)
    wanted = 235.7 if fn == "variance" else 15.3525  # of 30, 30, 7, 45 and 12
    assert float(v) == pytest.approx(wanted, rel=1e-4)
    assert float(part) == pytest.approx(1000 / float(v), rel=1e-3)


def test_an_empty_condition_is_none(engine: Engine) -> None:
    engine.run([ORDERS, CUSTOMERS])
    both = {"left": "orders", "right": "customers", "how": "inner"}
    for blank in ("", " "):
        (outcome,) = engine.run([call("join_table", "j", **both, on=[], condition=blank)])
        assert outcome.error is not None
        assert outcome.error.type == "InvalidArgumentError"
        assert "to pair every row with every row" in outcome.text
        assert len(rows(engine, call("join_table", "k", **both, on=[["customer", "id"]], condition=blank))) == 6


@pytest.mark.parametrize(
    ("dialect", "parts"), [("postgresql", "string_to_array(status, 'i')"), ("duckdb", "string_split(status, 'i')")]
)
def test_an_element_of_a_derived_list_is_taken(engine: Engine, parts: str) -> None:
    listed = call("derive_column", "d", rel="paid", name="parts", expr=parts)
    first = call("derive_column", "e", rel="d", name="first", expr="parts[1]")
    only = call("select_columns", "s", rel="e", columns=["first"])
    assert set(rows(engine, ORDERS, PAID, listed, first, only)) == {("pa",)}


@pytest.mark.parametrize("dialect", ["mysql"])  # where conditions on keys go before the groups
def test_chance_drops_groups_and_not_rows_of_groups(engine: Engine) -> None:
    sums = call("aggregate", "a", rel="orders", group_by=["status"], aggs=[{"fn": "sum", "column": "total", "as": "s"}])
    rows(engine, ORDERS, sums, call("filter_expr", "f", rel="a", predicate="RAND() < 0.5"))
    sql = engine.results[-1].sql
    assert "HAVING" in sql
    assert "WHERE" not in sql


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize("fn", ["stddev", "variance"])
def test_a_spread_of_distinct_values_is_refused_by_name(engine: Engine, fn: str) -> None:
    distinct = {"fn": fn, "column": "total", "as": "s", "distinct": True}
    *_, outcome = engine.run([ORDERS, call("aggregate", "a", rel="orders", aggs=[distinct])])
    assert outcome.error is not None
    assert outcome.error.type == "UnsupportedInDialectError"
    assert f"apply distinct first, then {fn}" in outcome.text
