"""Looking into columns: few rows, through the guard, within the policy on values."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.contracts import RunSettings
from agents.llm.budget import BudgetLimits
from agents.traces.events import CallResult, Calls, Observation
from tests.agents.runs import SHOP, Ran, running
from tests.agents.test_reforce import ALL, LOOK, LOST, OPEN, PAID, linking, sql

THIRTY = ", ".join(f"({n})" for n in range(30))
MANY = f"{SHOP}\nCREATE TABLE numbers (n INTEGER);\nINSERT INTO numbers VALUES {THIRTY};"
UNLIFTED = "SELECT n, nth_value(n, 2) OVER (ORDER BY n) AS m FROM numbers"
TIED = [linking(), sql(ALL), sql(PAID), sql(OPEN)]
AGREED = [sql(PAID), sql(PAID)]


def looks(run: Ran) -> list[Calls]:
    return [event for event in run.of(Calls) if event.branch.startswith("look-")]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("query", ["SELECT n FROM numbers ORDER BY n DESC", UNLIFTED])
def test_few_rows_are_read(dialect: str, query: str, new_database: Callable[[str, str], str]) -> None:
    with running(new_database(dialect, MANY), [*TIED, sql(query), *AGREED], "reforce") as run:
        (looked,) = [r for r in run.bench.engine.results if r.columns[0].name == "n" and r.row_count > 1]
        assert len(looked.rows) == 20
        assert query in run.server.prompt(6)
        assert run.rows() == [(3,)]


def test_the_first_rows_are_those_of_the_querys_order(new_database: Callable[[str, str], str]) -> None:
    query = "SELECT n FROM numbers ORDER BY n DESC"
    with running(new_database("duckdb", MANY), [*TIED, sql(query), *AGREED], "reforce") as run:
        assert "\n29\n28\n27\n" in run.server.prompt(6)
        assert "\n9\n" not in run.server.prompt(6)


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


@pytest.mark.parametrize("query", ["DELETE FROM orders WHERE (SELECT 1) = 1", "SELECT * FROM sqlite_master",
                                   "SELECT 1; DROP TABLE orders"])  # fmt: skip
def test_what_the_guard_refuses_is_told_and_never_runs(shop: str, query: str) -> None:
    with running(shop, [*TIED, sql(query, LOOK), sql(LOOK), *AGREED], "reforce") as run:
        again = str(run.server.requests[5]["messages"][-1]["content"])
        assert f"{query}\n" in again
        assert "Error: " in again
        assert "Write better queries" in again
        assert [(one.turn, one.branch) for one in run.of(CallResult) if one.state == "failed"] == [(3, "look-1")]
        assert len(run.bench.engine.access.door.query("SELECT id FROM orders").rows) == 4
        assert query not in run.server.prompt(7)


def test_a_query_that_finds_nothing_is_told_with_the_reason_and_asked_again_once(shop: str) -> None:
    misspelt = LOST.replace("lost", "Paid")
    with running(shop, [*TIED, sql(misspelt), sql(LOOK), *AGREED], "reforce") as run:
        again = str(run.server.requests[5]["messages"][-1]["content"])
        assert "0 rows" in again
        assert "paid" in again
        assert [event.sql for event in looks(run)] == [misspelt, LOOK]
        assert misspelt not in run.server.prompt(7)


def test_a_reply_without_a_query_is_asked_for_again(shop: str) -> None:
    with running(shop, [*TIED, "Let me look at the states.", sql(LOOK), *AGREED], "reforce") as run:
        assert "Your reply holds no SELECT" in run.server.prompt(6)
        assert run.rows() == [(3,)]


def test_no_more_queries_run_than_a_turn_may_hold(shop: str) -> None:
    queries = [f"SELECT id FROM orders WHERE id > {n}" for n in range(3)]
    with running(shop, [*TIED, sql(*queries), *AGREED], "reforce", limits=BudgetLimits(calls_per_turn=2)) as run:
        assert [event.sql for event in looks(run)] == queries[:2]
        assert "at most 2 SELECT" in run.server.prompt(5)


def test_the_same_query_twice_runs_once(shop: str) -> None:
    with running(shop, [*TIED, sql(LOOK, LOOK), *AGREED], "reforce") as run:
        assert len(looks(run)) == 1


def test_without_leave_to_send_values_only_counts_come_back(shop: str) -> None:
    names = "SELECT name FROM customers"
    look = "SELECT name, status FROM customers JOIN orders ON customers.id = orders.customer_id"
    misspelt = f"{names} WHERE name = 'ada'"
    script = [linking(single=False), sql(names), *TIED[2:], sql(look, misspelt), sql(LOOK), *AGREED]
    with running(shop, script, "reforce", settings=RunSettings(send_values=False)) as run:
        sent = json.dumps([request["messages"] for request in run.server.requests])
        assert not any(value in sent for value in ("Ada", "Cleo", "20.00"))
        assert "4 rows" in run.server.prompt(7)
        assert "not shown any value" in run.server.prompt(5)
        assert run.rows() == [(3,)]


def test_the_trace_tells_what_was_looked_at(shop: str) -> None:
    with running(shop, [*TIED, sql(LOOK), *AGREED], "reforce") as run:
        told = [event.text for event in run.of(Observation) if not event.branch]
        assert told[1].startswith(f"{LOOK}\nresult 4: 2 rows\n")


def test_what_was_found_is_cut_to_what_an_observation_may_hold(shop: str) -> None:
    queries = [f"SELECT id, status, total, customer_id FROM orders WHERE id > {n}" for n in range(-8, 0)]
    settings = RunSettings(observation_tokens=100)
    with running(shop, [*TIED, sql(*queries), *AGREED], "reforce", settings=settings) as run:
        assert "more lines left out" in run.server.prompt(6)
