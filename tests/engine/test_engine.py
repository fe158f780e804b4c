"""What a caller of the engine relies on: handles, batches, results, counts, programs, replay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from agents.errors import UnknownRelationError, UnknownResultError
from connections.door import Door
from tests.engine.data import create_sql

Call = dict[str, Any]
NewDatabase = Callable[[str, str], str]


def call(op: str, out: str = "", **args: Any) -> Call:
    return {"op": op, "args": args} | ({"out": out} if out else {})


ORDERS = call("table_ref", "orders", table="orders")
CUSTOMERS = call("table_ref", "customers", table="customers")


@pytest.fixture
def door(new_database: NewDatabase, dialect: str) -> Iterator[Door]:
    with open_door(new_database(dialect, create_sql())) as door:
        yield door


@pytest.fixture
def sqlite(new_database: NewDatabase) -> Iterator[Door]:
    with open_door(new_database("sqlite", create_sql())) as door:
        yield door


def test_a_handle_without_a_name_is_numbered_by_the_engine(sqlite: Door) -> None:
    engine = Engine(sqlite)
    outcomes = engine.run([call("table_ref", table="orders"), call("limit", rel="t1", n=2)])
    assert [outcome.handle for outcome in outcomes] == ["t1", "t2"]


def test_an_earlier_relation_keeps_what_it_was_built_from(sqlite: Door) -> None:
    engine = Engine(sqlite)
    engine.run(
        [
            ORDERS,
            call("filter_expr", "paid", rel="orders", predicate="status = 'paid'"),
            call("filter_expr", "orders", rel="orders", predicate="id < 12"),
            call("execute", rel="paid"),
            call("execute", rel="orders"),
        ]
    )
    assert [result.row_count for result in engine.results] == [5, 2]


def test_the_first_failure_skips_the_rest_of_a_batch_and_keeps_what_was_made(sqlite: Door) -> None:
    engine = Engine(sqlite)
    outcomes = engine.run([ORDERS, call("distinct", "d", rel="ordres"), call("execute", rel="orders")])
    assert [(outcome.ok, outcome.skipped) for outcome in outcomes] == [(True, False), (False, False), (False, True)]
    assert outcomes[1].error is not None
    assert outcomes[1].error.type == "UnknownRelationError"
    assert "Did you mean orders?" in outcomes[1].text
    assert list(engine.handles) == ["orders"]
    assert not engine.results


def test_an_unknown_result_says_which_there_are(sqlite: Door) -> None:
    engine = Engine(sqlite)
    with pytest.raises(UnknownResultError, match="no results yet"):
        engine.result(1)
    engine.run([ORDERS, call("execute", rel="orders")])
    with pytest.raises(UnknownResultError, match="results 1 to 1"):
        engine.result(2)


def test_a_cut_result_has_the_true_row_count_and_a_warning(door: Door) -> None:
    engine = Engine(door, settings=EngineSettings(max_rows=3))
    *_, outcome = engine.run([ORDERS, call("execute", rel="orders")])
    result = engine.result(1)
    assert (len(result.rows), result.row_count, result.row_count_exact, result.truncated) == (3, 8, True, True)
    assert "the first 3 of 8 rows" in outcome.warnings[0]


def test_a_preview_shows_rows_at_any_step_and_counts_them(door: Door) -> None:
    engine = Engine(door)
    engine.run([ORDERS, call("filter_expr", "paid", rel="orders", predicate="status = 'paid'")])
    preview = engine.preview("paid", limit=2)
    assert (len(preview.rows), preview.row_count, preview.truncated) == (2, 5, True)
    assert not engine.results


def test_rows_of_several_steps_are_counted_in_one_statement(new_database: NewDatabase) -> None:
    asked: list[str] = []
    url = new_database("sqlite", create_sql())
    with open_door(url) as plain, Door(plain._driver, plain.catalogue, log=lambda e: asked.append(e.sql)) as door:
        engine = Engine(door)
        engine.run(
            [
                ORDERS,
                call("filter_expr", "paid", rel="orders", predicate="status = 'paid'"),
                call("derive_column", "more", rel="paid", name="double", expr="total * 2"),
                call("aggregate", "sum", rel="more", aggs=[{"fn": "sum", "column": "double", "as": "sum"}]),
            ]
        )
        made = [engine.relation(handle) for handle in ("orders", "paid", "more", "sum")]
        counts = engine.count(made, budget_ms=2_000)
    assert counts == [8, 5, 5, 1]
    assert len(asked) == 1


def test_a_count_without_time_is_left_blank(sqlite: Door) -> None:
    engine = Engine(sqlite)
    engine.run([ORDERS])
    assert engine.count([engine.relation("orders")], budget_ms=0) == [None]


def test_the_program_of_a_handle_holds_only_what_it_needs(sqlite: Door) -> None:
    engine = Engine(sqlite)
    engine.run(
        [
            CUSTOMERS,
            ORDERS,
            call("filter_expr", "orders", rel="orders", predicate="id > 10"),
            call("distinct", "customers", rel="customers"),
            call("limit", rel="orders", n=1),
            call("execute", rel="t1"),
        ]
    )
    program = engine.program("t1")
    assert [step["op"] for step in program] == ["table_ref", "filter_expr", "limit"]
    again = Engine(sqlite)
    assert all(outcome.ok for outcome in again.run(program))
    assert again.sql("t1") == engine.sql("t1")


def test_a_replayed_run_has_its_handles_and_result_numbers_again(door: Door) -> None:
    calls = [
        ORDERS,
        call("materialize", "kept", rel="orders"),
        call("execute", rel="kept"),
        call("filter_expr", "paid", rel="kept", predicate="status = 'paid'"),
    ]
    engine = Engine(door)
    engine.run(calls)
    replayed = Engine(door)
    for made in calls:
        replayed.restore(made, engine.result(1) if made["op"] == "execute" else None)
    assert list(replayed.handles) == list(engine.handles)
    assert replayed.result(1) == engine.result(1)
    outcome = replayed.call(call("execute", rel="paid"))
    assert (outcome.result, replayed.result(2).row_count) == (2, 5)


def test_looking_at_an_unknown_handle_is_a_typed_error(sqlite: Door) -> None:
    with pytest.raises(UnknownRelationError, match="There is no relation nope"):
        Engine(sqlite).sql("nope")


def test_a_materialized_relation_is_computed_once_where_temp_tables_are_allowed(door: Door) -> None:
    ran: list[str] = []
    with Door(door._driver, door.catalogue, log=lambda entry: ran.append(entry.sql)) as logged:
        engine = Engine(logged)
        outcomes = engine.run([ORDERS, call("materialize", "kept", rel="orders"), call("execute", rel="kept")])
    assert outcomes[-1].ok
    assert engine.relation("kept").depth == 0
    assert ("WITH" in ran[-1]) is not door.temp_tables
    if door.dialect != "mysql":
        assert "AS MATERIALIZED" in engine.result(1).sql, "what is shown runs in any session"


def test_without_permission_no_cell_reaches_an_observation(door: Door) -> None:
    engine = Engine(door, settings=EngineSettings(send_values=False))
    outcomes = engine.run(
        [
            CUSTOMERS,
            ORDERS,
            call("execute", rel="customers"),
            call("probe_values", rel="customers", column="name"),
            call("value_exists", rel="customers", column="name", value="zoe"),
            call("sim_value_in", rel="customers", column="name", value="anne"),
            call("join_table", "j", left="customers", right="orders", how="inner", on=[["id", "customer"]]),
            call("filter_expr", "f", rel="customers", predicate="name = 'anna'"),
            call("execute", rel="f"),
        ]
    )
    told = " ".join(outcome.text + " ".join(outcome.warnings) for outcome in outcomes)
    assert all(outcome.ok for outcome in outcomes)
    assert not re.search(r"\b(ann|bob|cleo|dan|eve)\b", told)
    assert "5 distinct values" in told
    assert outcomes[6].warnings


def test_paper_mode_offers_exactly_the_fifteen(sqlite: Door) -> None:
    engine = Engine(sqlite, settings=EngineSettings(paper_mode=True))
    engine.call(ORDERS)
    outcome = engine.call(call("set_operation", left="orders", right="orders", kind="union"))
    assert outcome.error is not None
    assert outcome.error.type == "UnknownOperationError"


# ---- Warnings --------------------------------------------------------------------------------------------------------


TAGS = call("table_ref", "tags", table="tags")
ON_ORDER = {"on": [["id", "order_id"]]}


@pytest.mark.parametrize(
    ("how", "more"),
    [
        pytest.param("inner", {}, id="inner"),
        pytest.param("left", {}, id="left"),
        pytest.param("inner", {"condition": "order_id <> 12"}, id="with a condition"),
    ],
)
def test_a_join_that_repeats_rows_says_how_often(door: Door, how: str, more: dict[str, str]) -> None:
    join = call("join_table", "j", left="orders", right="tags", how=how, **ON_ORDER, **more)
    (warning,) = Engine(door).run([ORDERS, TAGS, join])[-1].warnings
    told = "3 rows with a match became 5 rows, 1.67" if more else "4 rows with a match became 7 rows, 1.75"
    assert f"rows of orders repeat: {told} for each (order_id is not unique in tags)" in warning


@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize(
    ("before", "more"),
    [
        pytest.param([call("filter_expr", "orders", rel="orders", predicate="id = 17")], {}, id="once each"),
        pytest.param([call("filter_expr", "orders", rel="orders", predicate="id = 11")], {}, id="no match"),
        pytest.param([], {"condition": "tag = 'gift'"}, id="once each by the condition"),
        pytest.param([call("filter_expr", "orders", rel="orders", predicate="id < 0")], {}, id="no rows"),
    ],
)
def test_a_join_that_repeats_no_row_does_not_warn_although_its_right_key_is_not_unique(
    door: Door, how: str, before: list[Call], more: dict[str, str]
) -> None:
    join = call("join_table", "j", left="orders", right="tags", how=how, **ON_ORDER, **more)
    *_, outcome = Engine(door).run([ORDERS, TAGS, *before, join])
    assert outcome.ok
    assert outcome.warnings == ()


@pytest.mark.parametrize(
    "right",
    [
        pytest.param([CUSTOMERS], id="a primary key"),
        pytest.param(
            [CUSTOMERS, call("aggregate", "customers", rel="customers", group_by=["id"], aggs=[])], id="a group key"
        ),
        pytest.param([call("select_columns", "customers", rel="orders", columns=["id"])], id="a projected key"),
    ],
)
def test_a_join_on_a_unique_key_does_not_warn(sqlite: Door, right: list[Call]) -> None:
    join = call("join_table", "j", left="orders", right="customers", how="inner", on=[["customer", "id"]])
    assert Engine(sqlite).run([ORDERS, *right, join])[-1].warnings == ()


def test_an_empty_filter_names_the_nearest_stored_values(door: Door) -> None:
    engine = Engine(door)
    *_, outcome = engine.run(
        [
            CUSTOMERS,
            ORDERS,
            call("filter_expr", "f", rel="orders", predicate="total > 1 AND status = 'pade'"),
            call("join_table", "j", left="f", right="customers", how="left", on=[["customer", "id"]]),
            call("execute", rel="j"),
        ]
    )
    (warning,) = outcome.warnings
    assert "no row of orders passes the filter f" in warning
    assert "status has no 'pade'; nearest: paid" in warning


def test_a_join_without_a_match_is_named_as_the_reason(sqlite: Door) -> None:
    engine = Engine(sqlite)
    *_, outcome = engine.run(
        [
            CUSTOMERS,
            call("filter_expr", "f", rel="customers", predicate="id = 5"),
            ORDERS,
            call("join_table", "j", left="f", right="orders", how="inner", on=[["id", "customer"]]),
            call("execute", rel="j"),
        ]
    )
    assert "the join j finds no match (id = customer)" in outcome.warnings[0]
