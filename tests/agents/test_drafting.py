"""Strategies whose model writes SQL: it is lifted, run, sent back when it fails, and voted over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.contracts import EarlierTurn, RunSettings, Task
from agents.llm.budget import BudgetLimits
from agents.llm.scripted import Turn
from agents.strategies.statements import Statements, statement
from agents.traces.events import CallResult, Calls, ModelReply, RunFailed, SchemaShown, Warned
from agents.traces.journal import MemoryJournal
from tests.agents.runs import SHOP, Ran, call, calls, final, running

PAID = "SELECT COUNT(*) AS n FROM orders WHERE status = 'paid'"


def sql(text: str) -> str:
    return f"```sql\n{text}\n```"


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def last_message(run: Ran, request: int) -> str:
    return str(run.server.requests[request - 1]["messages"][-1]["content"])


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_a_draft_becomes_operations_and_only_those_run(dialect: str, new_database: Callable[[str, str], str]) -> None:
    with running(new_database(dialect, SHOP), [sql(PAID)], "lift") as run:
        assert run.rows() == [(3,)]
        (batch,) = run.of(Calls)
        assert batch.sql == PAID
        assert [one["op"] for one in batch.calls] == ["table_ref", "filter_expr", "aggregate", "execute"]
        assert len(run.server.requests) == 1


def test_a_misplaced_column_is_told_with_its_table_and_the_way_to_it(shop: str) -> None:
    drafts = [sql("SELECT region_id FROM orders"), sql("SELECT region_id FROM customers")]
    with running(shop, drafts, "lift") as run:
        told = last_message(run, 2)
        assert "region_id is a column of customers. To reach it: JOIN customers ON orders.customer_id" in told
        assert sorted(run.rows()) == [(1,), (1,), (2,)]


def test_a_filter_that_keeps_nothing_is_told_with_what_is_stored(shop: str) -> None:
    with running(shop, [sql(PAID.replace("paid", "Paid")), sql(PAID)], "lift") as run:
        assert "paid" in last_message(run, 2)
        assert run.rows() == [(3,)]
        assert run.of(Warned)


def test_a_draft_that_is_sent_again_after_a_doubt_stands(shop: str) -> None:
    nothing = PAID.replace("COUNT(*) AS n", "id").replace("paid", "lost")
    with running(shop, [sql(nothing), sql(nothing)], "lift") as run:
        assert run.rows() == []
        assert len(run.server.requests) == 2


def test_after_all_repairs_the_run_fails_with_the_last_error(shop: str) -> None:
    with running(shop, [sql(f"SELECT x{n} FROM orders") for n in range(4)], "lift") as run:
        (event,) = run.of(RunFailed)
        assert event.error["type"] == "NoWorkingDraftError"
        assert "x3" in event.error["message"]
        assert len(run.server.requests) == 4


@pytest.mark.parametrize("strategy", ["lift", "zero-shot", "react-sql"])
@pytest.mark.parametrize(
    "statement", ["DELETE FROM orders", "SELECT 1; DROP TABLE orders", "SELECT * FROM sqlite_master"]
)
def test_what_the_guard_refuses_never_runs(shop: str, strategy: str, statement: str) -> None:
    reply = calls(call("execute_sql", sql=statement)) if strategy == "react-sql" else sql(statement)
    script = [reply, reply, reply] if strategy == "react-sql" else [reply] * 4
    with running(shop, script, strategy) as run:
        assert run.answer is None
        assert not run.bench.engine.results
        assert len(run.bench.engine.access.door.query("SELECT id FROM orders").rows) == 4


def test_what_cannot_be_lifted_is_told_and_runs_guarded_on_the_last_repair(shop: str) -> None:
    second = "SELECT id, nth_value(id, 2) OVER (ORDER BY id) AS n FROM orders WHERE id < 3"
    with running(shop, [sql(second)] * 4, "lift", settings=RunSettings(repairs=1)) as run:
        assert "CannotLiftError" in last_message(run, 2)
        assert run.rows() == [(1, None), (2, 2)]
        assert any("run as one statement" in warning.text for warning in run.of(Warned))


def test_a_statement_that_was_not_lifted_says_that_its_result_is_cut(shop: str) -> None:
    many = statement("SELECT id, nth_value(id, 2) OVER (ORDER BY id) AS n FROM orders")
    with running(shop, [sql(PAID)], "lift") as run:
        outcome = Statements(run.bench, unlifted=True, most_rows=2).call(many)
    assert outcome.ok
    assert any("is cut: it holds the first 2" in warning for warning in outcome.warnings)


VOTE = RunSettings(samples=3)


def test_the_table_that_most_drafts_agree_on_wins(shop: str) -> None:
    drafts = ["SELECT COUNT(*) AS n FROM orders", PAID, PAID.replace("COUNT(*)", "COUNT(id)")]
    with running(shop, [sql(one) for one in drafts], "lift", settings=VOTE) as run:
        assert run.rows() == [(3,)]
        assert run.answer is not None
        assert run.answer.confidence == pytest.approx(2 / 3)
        assert {event.branch for event in run.of(ModelReply)} == {"candidate-1", "candidate-2", "candidate-3"}


def test_a_vote_stops_when_a_majority_agrees(shop: str) -> None:
    with running(shop, [sql(PAID)] * 2, "lift", settings=VOTE) as run:
        assert run.rows() == [(3,)]
        assert run.answer is not None
        assert run.answer.confidence == pytest.approx(2 / 3)
        assert len(run.server.requests) == 2


def test_a_vote_of_five_asks_for_three_and_for_two_more_where_these_differ(shop: str) -> None:
    script = [sql(PAID), sql(PAID.replace("paid", "open")), sql("SELECT COUNT(*) FROM orders"), sql(PAID), sql(PAID)]
    with running(shop, script, "lift", settings=RunSettings(samples=5)) as run:
        assert run.rows() == [(3,)]
        assert run.answer is not None
        assert run.answer.confidence == pytest.approx(3 / 5)
        assert len(run.of(ModelReply)) == 5


def test_drafts_that_fail_alike_are_mended_in_one_request(shop: str) -> None:
    wrong, right = sql("SELECT x FROM orders"), sql(PAID)
    script = [*(Turn(content=wrong, choices=4) for _ in range(3)), *(Turn(content=right, choices=4) for _ in range(2))]
    with running(shop, script, "lift", settings=RunSettings(samples=5)) as run:
        assert run.rows() == [(3,)]
        assert [request.get("n", 1) for request in run.server.requests[:3]] == [1, 2, 2]
        assert sorted(request.get("n", 1) for request in run.server.requests[3:]) == [1, 4]
        assert len(run.of(ModelReply)) == 10


def test_the_first_draft_wins_a_vote_without_a_majority(shop: str) -> None:
    drafts = ["SELECT COUNT(*) AS n FROM orders", PAID, PAID.replace("paid", "open")]
    with running(shop, [sql(one) for one in drafts], "lift", settings=VOTE) as run:
        assert run.rows() == [(4,)]
        assert run.answer is not None
        assert run.answer.confidence == pytest.approx(1 / 3)


def test_a_vote_counts_rows_whatever_the_order_of_columns(shop: str) -> None:
    drafts = ["SELECT id FROM orders", "SELECT id, status FROM orders", "SELECT status, id FROM orders"]
    with running(shop, [sql(one) for one in drafts], "lift", settings=VOTE) as run:
        assert len(run.rows()[0]) == 2


def test_a_vote_ends_with_the_budget(shop: str) -> None:
    script = [sql(PAID), sql("SELECT x FROM orders"), sql("SELECT y FROM orders")]
    with running(shop, script, "lift", settings=VOTE, limits=BudgetLimits(turns=1)) as run:
        assert run.rows() == [(3,)]


def test_an_empty_table_does_not_win_against_one_that_says_something(shop: str) -> None:
    lost = "SELECT id FROM orders WHERE status = 'lost'"
    script = [sql(lost), sql(lost), sql(PAID), sql(lost), sql(lost)]
    with running(shop, script, "lift", settings=VOTE) as run:
        assert run.rows() == [(3,)]


def test_a_vote_that_died_anywhere_ends_the_same(shop: str) -> None:
    script = [sql("SELECT COUNT(*) AS n FROM orders"), sql(PAID), sql(PAID)]
    with running(shop, script, "lift", settings=VOTE) as run:
        whole = run.events
    for died_after in range(len(whole)):
        saved = whole[:died_after]
        left = script[sum(isinstance(event, ModelReply) for event in saved) :]
        journal = MemoryJournal(saved)
        with running(shop, left, "lift", settings=VOTE, journal=journal, after=sql(PAID)) as resumed:
            assert resumed.rows() == [(3,)]
            assert resumed.kinds == [event.kind for event in whole]
            assert len(resumed.server.requests) == len(left)


def test_the_best_draft_stands_when_the_budget_ends_the_repairs(shop: str) -> None:
    lost = "SELECT id FROM orders WHERE status = 'lost'"
    with running(shop, [sql(lost)] * 2, "lift", limits=BudgetLimits(turns=1)) as run:
        assert run.rows() == []


def test_examples_are_shown_unless_values_must_not_be_sent(shop: str) -> None:
    for send in (True, False):
        with running(shop, [sql(PAID)], "lift", settings=RunSettings(send_values=send)) as run:
            assert ("'paid'" in run.server.prompt(1)) is send
            assert run.of(SchemaShown)[0].tables == ("customers", "orders", "regions")


def test_the_loop_over_sql_lifts_each_act(shop: str) -> None:
    script = [
        calls(call("execute_sql", sql="SELECT nme FROM customers")),
        calls(call("execute_sql", sql=PAID), thought="Count them."),
        final("<execute_result_1> orders were paid."),
    ]
    with running(shop, script, "react-sql") as run:
        assert run.answer is not None
        assert run.answer.text == "3 orders were paid."
        assert [event.sql for event in run.of(Calls)] == ["SELECT nme FROM customers", PAID]
        assert [event.call["op"] for event in run.of(CallResult)][1:] == [
            "table_ref", "filter_expr", "aggregate", "execute",
        ]  # fmt: skip


def test_auto_takes_the_strategy_that_the_model_can_follow(shop: str) -> None:
    with running(shop, [sql(PAID)], "auto", size="small") as small:
        assert small.rows() == [(3,)]
    with running(shop, [calls(call("table_ref", "o", table="orders"), call("execute", rel="o")),
                        final("<execute_result_1>")], "auto") as capable:  # fmt: skip
        assert len(capable.rows()) == 4


def test_a_follow_up_shows_the_earlier_sql(shop: str) -> None:
    program = [call("table_ref", "o", table="orders"), call("execute", rel="o")]
    task = Task("And paid?", earlier=(EarlierTurn("All orders?", "Four.", program, "id\n1"),))
    with running(shop, [sql(PAID)], "lift", task=task) as run:
        assert 'FROM "orders"' in run.server.prompt(1)
        assert "All orders?" in run.server.prompt(1)


def test_a_column_under_the_wrong_alias_is_read_under_the_right_one(shop: str) -> None:
    draft = "SELECT o.name FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.status = 'open'"
    with running(shop, [sql(draft)], "lift") as run:
        assert run.rows() == [("Ada",)]
        assert run.of(Calls)[0].sql == draft
        assert set(run.of(Calls)[0].notes) == {"read o.name as c.name", "read c.status as o.status"}


def test_the_baseline_gets_no_such_help(shop: str) -> None:
    draft = "SELECT o.name FROM orders o JOIN customers c ON o.customer_id = c.id"
    with running(shop, [sql(draft)], "zero-shot") as run:
        assert run.of(RunFailed)


def test_a_draft_that_leaves_open_what_it_shows_is_sent_back(shop: str) -> None:
    drafts = [sql("SELECT status, COUNT(*) FROM orders"), sql("SELECT status, COUNT(*) FROM orders GROUP BY status")]
    with running(shop, drafts, "lift") as run:
        assert "status is neither grouped nor aggregated" in last_message(run, 2)
        assert sorted(run.rows()) == [("open", 1), ("paid", 3)]


@pytest.mark.parametrize(
    ("question", "told"),
    [("How many orders are there?", False), ("How many orders came last week?", True), ("¿Cuántos hoy?", True),
     ("What are the last names?", False), ("How old are they?", True)],
)  # fmt: skip
def test_the_date_is_told_where_the_question_may_be_about_it(shop: str, question: str, told: bool) -> None:
    with running(shop, [sql(PAID)], "lift", task=Task(question, today="2031-05-06")) as run:
        assert ("2031-05-06" in run.server.prompt(1)) is told
