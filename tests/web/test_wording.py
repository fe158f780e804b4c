"""Every operation is said in three tenses, in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from agents.answers.failures import error_in_words
from agents.answers.wording import plain, say, spoken, unmarked, without_citations

NAMES = {"r": "returns", "c": "customers", "t1": "returns"}


def one(op: str, **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args}


CASES = [
    (one("table_ref", table="sales.orders"), "Open sales.orders", "Opening sales.orders", "Opened sales.orders"),
    (
        one("filter_expr", rel="r", predicate="refund > 0"),
        "Keep returns where refund > 0", "Keeping returns where refund > 0", "Kept returns where refund > 0",
    ),
    (
        one("join_table", left="r", right="c", how="left", on=[["customer_id", "id"]]),
        "Join customers on customer_id = id, keeping all returns",
        "Joining customers on customer_id = id, keeping all returns",
        "Joined customers on customer_id = id, keeping all returns",
    ),
    (
        one("join_table", left="r", right="c", how="cross", on=[]),
        "Pair every row with customers", "Pairing every row with customers", "Paired every row with customers",
    ),
    (
        one("aggregate", rel="r", group_by=["country"], aggs=[{"fn": "sum", "column": "total", "as": "s"}]),
        "Group by country: sum of total", "Grouping by country: sum of total", "Grouped by country: sum of total",
    ),
    (
        one("aggregate", rel="r", aggs=[{"fn": "count", "column": "*", "as": "n", "filter": "paid"}]),
        "Work out row count where paid over all returns", "Working out row count where paid over all returns",
        "Worked out row count where paid over all returns",
    ),
    (
        one("order_by", rel="r", keys=[["total", "desc"], ["id", "asc"]]),
        "Sort by total largest first, then id smallest first", "Sorting by total largest first, then id smallest first",
        "Sorted by total largest first, then id smallest first",
    ),
    (one("limit", rel="r", n=10), "Take the first 10 rows", "Taking the first 10 rows", "Took the first 10 rows"),
    (one("limit", rel="r", n=10, offset=20), "Take rows 21 to 30", "Taking rows 21 to 30", "Took rows 21 to 30"),
    (one("limit", rel="r", n=1), "Take the first row", "Taking the first row", "Took the first row"),
    (
        one("window_column", rel="r", name="place", fn="row_number", partition_by=["c"], order_by=[["d", "asc"]]),
        "Add place: row number within each c by d, smallest first",
        "Adding place: row number within each c by d, smallest first",
        "Added place: row number within each c by d, smallest first",
    ),
    (
        one("set_operation", left="r", right="c", kind="union_all"),
        "Put customers under returns", "Putting customers under returns", "Put customers under returns",
    ),
    (
        one("probe_values", rel="r", column="status"),
        "Look at values of returns.status", "Looking at values of returns.status", "Looked at values of returns.status",
    ),
    (
        one("value_exists", rel="r", column="status", value="Done"),
        "Check whether returns.status holds Done", "Checking whether returns.status holds Done",
        "Checked whether returns.status holds Done",
    ),
    (one("select_columns", rel="r", columns=["a", {"column": "b", "as": "c"}]), "Choose a and c", "Choosing a and c",
     "Chose a and c"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "wait", "run", "done"), CASES, ids=[f"{case[0]['op']}-{n}" for n, case in enumerate(CASES)]
)
def test_a_call_is_said_in_three_tenses(call: dict[str, Any], wait: str, run: str, done: str) -> None:
    assert [plain(say(call, tense, NAMES)) for tense in ("wait", "run", "done")] == [wait, run, done]


def test_a_result_has_its_number() -> None:
    assert plain(say(one("execute", rel="r"), "done", NAMES, result=2)) == "Ran result 2"


@pytest.mark.parametrize(
    "call",
    [{}, {"op": "nonsense"}, {"op": "filter_expr", "args": []}, {"op": "join_table", "args": {"on": "x"}},
     {"op": "aggregate", "args": {"aggs": ["x"]}}, {"op": "order_by", "args": {"keys": "x"}},
     {"op": "limit", "args": {"n": "x"}}],
)  # fmt: skip
def test_a_broken_call_is_said_all_the_same(call: dict[str, Any]) -> None:
    assert plain(say(call, "wait", NAMES))


def test_a_long_expression_is_cut() -> None:
    words = say(one("filter_expr", rel="r", predicate="x = 1 or " * 400), "done", NAMES)
    assert len(plain(words)) < 220
    assert plain(words).endswith("…")


def test_a_table_keeps_its_name_through_filters() -> None:
    assert spoken({**one("table_ref", table="sales.returns"), "out": "t1"}, {}) == "returns"
    assert spoken({**one("filter_expr", rel="t1", predicate="x"), "out": "t2"}, NAMES) == "returns"
    assert spoken({**one("aggregate", rel="t1"), "out": "by_day"}, NAMES) == "by_day"


def test_citations_and_marks_are_words_for_people() -> None:
    assert without_citations("The difference is <execute_result_2>.") == "The difference is result 2."
    assert unmarked("**12** of `orders`, <execute_result_1>") == "12 of orders, result 1"


@pytest.mark.parametrize(
    ("name", "words"),
    [("BudgetExhaustedError", "Budget exhausted"), ("CannotLiftError", "Cannot lift"), ("TLSFailedError", "TLS failed"),
     ("ExecutionError", "Execution"), ("", "Error")],
)  # fmt: skip
def test_the_name_of_an_error_is_said_in_words(name: str, words: str) -> None:
    assert error_in_words(name) == words
