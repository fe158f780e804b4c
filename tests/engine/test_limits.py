"""Long chains compile flat and run; what is beyond the limits is a typed error, never a crash."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from connections.door import Door
from tests.engine.comparing import assert_same
from tests.engine.data import TABLES, create_sql
from tests.engine.long_programs import Call, call, sixty_operations_with_eight_joins
from tests.engine.reference import Reference
from tests.engine.test_golden import NULLS


@pytest.fixture
def door(new_database: Callable[[str, str], str], dialect: str) -> Iterator[Door]:
    with open_door(new_database(dialect, create_sql())) as door:
        yield door


def test_sixty_operations_with_eight_joins_run_on_every_engine(door: Door) -> None:
    calls = sixty_operations_with_eight_joins()
    assert len(calls) == 60
    assert sum(made["op"] == "join_table" for made in calls) == 8
    engine = Engine(door, settings=EngineSettings(warnings=False))
    outcome = engine.run([*calls, {"op": "execute", "args": {"rel": "z"}}])[-1]
    assert outcome.ok, outcome.text
    assert_same(engine.result(1).rows, Reference(TABLES, NULLS[door.dialect]).run(calls))


@pytest.mark.parametrize("how", ["on its parent", "on the table"])
def test_a_chain_of_three_hundred_derived_columns_runs(door: Door, how: str) -> None:
    calls = [call("table_ref", "d0", table="orders")]
    for i in range(1, 301):
        before = f"x{i - 1}" if i > 1 and how == "on its parent" else "id"
        calls.append(call("derive_column", f"d{i}", rel=f"d{i - 1}", name=f"x{i}", expr=f"{before} + 1"))
    last = call("aggregate", "a", rel="d300", aggs=[{"fn": "max", "column": "x300", "as": "top"}])
    engine = Engine(door)
    started = time.perf_counter()
    outcomes = engine.run(
        [*calls, last, {"op": "execute", "args": {"rel": "a"}}, {"op": "execute", "args": {"rel": "d300"}}]
    )
    assert outcomes[-1].ok, outcomes[-1].text
    assert engine.result(1).rows[0][0] == (317 if how == "on its parent" else 18)
    assert len(engine.result(2).columns) == 304
    assert time.perf_counter() - started < 60


def test_what_only_temp_tables_keep_within_the_limits_runs(door: Door) -> None:
    if not door.temp_tables:
        pytest.skip("a read-only session here makes no temp tables: materialising does not shorten the statement")
    engine = Engine(door, settings=EngineSettings(warnings=False))
    calls = [call("table_ref", "t", table="orders")]
    for i in range(300):
        calls.append(call("window_column", "t", rel="t", name=f"r{i}", fn="row_number", order_by=["id"]))
        calls.append(call("filter_expr", "t", rel="t", predicate=f"r{i} > 0"))
        calls.append(call("select_columns", "t", rel="t", columns=["id"]))
        if i % 60 == 59:
            calls.append(call("materialize", "t", rel="t"))
    outcome = engine.run([*calls, {"op": "execute", "args": {"rel": "t"}}])[-1]
    assert outcome.ok, outcome.text
    assert engine.result(1).row_count == 8


def test_a_chain_beyond_the_depth_limit_is_refused(door: Door) -> None:
    engine = Engine(door, settings=EngineSettings(depth=50))
    calls = [call("table_ref", "t", table="orders")]
    calls += [call("filter_expr", "t", rel="t", predicate=f"id > {i}") for i in range(60)]
    failed = next(outcome for outcome in engine.run(calls) if not outcome.ok)
    assert failed.error is not None
    assert failed.error.type == "LimitExceededError"
    assert "materialize" in failed.error.message
    renewed = [call("materialize", "t", rel="t"), call("filter_expr", "t", rel="t", predicate="id > 1")]
    assert all(outcome.ok for outcome in engine.run(renewed))


@pytest.mark.parametrize(
    ("program", "settings"),
    [
        pytest.param(
            [call("derive_column", f"t{i}", rel=f"t{i - 1}", name=f"c{i}", expr="id") for i in range(1, 1_100)],
            EngineSettings(depth=5_000),
            id="columns",
        ),
        pytest.param(
            [
                step
                for i in range(1, 400)
                for step in (
                    call("window_column", f"w{i}", rel=f"t{i - 1}", name=f"r{i}", fn="row_number", order_by=["id"]),
                    call("filter_expr", f"t{i}", rel=f"w{i}", predicate=f"r{i} > 0"),
                )
            ] + [{"op": "execute", "args": {"rel": "t399"}}],
            EngineSettings(),
            id="steps",
        ),
        pytest.param(
            [
                call("filter_expr", f"t{i}", rel=f"t{i - 1}", predicate="status <> '" + "x" * 50_000 + "'")
                for i in range(1, 6)
            ] + [{"op": "execute", "args": {"rel": "t5"}}],
            EngineSettings(),
            id="bytes",
        ),
        pytest.param([call("limit", "t0", rel="t0", n=i) for i in range(20)], EngineSettings(relations=10), id="calls"),
    ],
)  # fmt: skip
def test_what_is_too_large_is_a_typed_error(door: Door, program: list[Call], settings: EngineSettings) -> None:
    if door.dialect != "sqlite":
        pytest.skip("the limits are the engine's own and the same everywhere")
    outcomes = Engine(door, settings=settings).run([call("table_ref", "t0", table="orders"), *program])
    errors = [outcome.error.type for outcome in outcomes if outcome.error]
    assert errors == ["LimitExceededError"]
