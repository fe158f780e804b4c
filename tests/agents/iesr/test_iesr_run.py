"""Whole runs of `iesr` on real databases: what it reads, searches, checks and elects, and where it stops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.contracts import EarlierTurn, Task
from agents.llm.budget import BudgetLimits
from agents.traces.events import (
    CallResult,
    Calls,
    Event,
    ModelCallStarted,
    ModelReply,
    Observation,
    RunCancelled,
    RunFailed,
    SchemaShown,
    Warned,
)
from agents.traces.journal import MemoryJournal
from tests.agents.iesr.answering import Replies, searching
from tests.agents.runs import SHOP, Ran

PAID = "SELECT COUNT(*) AS n FROM orders WHERE status = 'paid'"
OPEN = PAID.replace("paid", "open")
ALL = "SELECT COUNT(*) AS n FROM orders"
LOST = "SELECT id FROM orders WHERE status = 'lost'"
BROKEN = "SELECT colour FROM orders"


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def warnings(run: Ran) -> str:
    return " ".join(event.text for event in run.of(Warned))


def asked(run: Ran, words: str) -> list[str]:
    """The last messages that hold `words`."""
    last = [str(request["messages"][-1]["content"]) for request in run.server.requests]
    return [message for message in last if words in message]


def confidence(run: Ran) -> float:
    assert run.answer is not None
    assert run.answer.confidence is not None
    return run.answer.confidence


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql"])
def test_drafts_that_all_agree_are_the_answer_without_a_doubt(
    dialect: str, new_database: Callable[[str, str], str]
) -> None:
    with searching(new_database(dialect, SHOP), Replies([PAID] * 3), rollouts=6) as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == 1.0
        assert not asked(run, "SQL revision")
        assert not warnings(run)


def test_every_reply_is_used_and_the_same_sql_runs_once(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3), rollouts=4) as run:
        branches = {event.branch for event in run.of(ModelReply)}
        assert {f"rollout-{n}-draft-{k}" for n in range(1, 5) for k in range(1, 4)} <= branches
        assert len(run.bench.engine.results) == 1
        executed = [event for event in run.of(CallResult) if event.result is not None]
        assert len(executed) == 1


def test_rollouts_take_different_ways_and_tell_their_reward(shop: str) -> None:
    with searching(shop, Replies([PAID, PAID, ALL], [PAID, PAID, ALL]), rollouts=6) as run:
        told = [event.text for event in run.of(Observation) if event.branch.count("-") == 1]
        assert len(told) == 6
        assert len({text.partition(":")[0] for text in told}) == 6
        assert all("2 of 3 came to the same table, reward 0.50." in text for text in told)


def test_a_path_shows_the_steps_before_to_the_model(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3), rollouts=6) as run:
        drafts = [request["messages"] for request in run.server.requests if request.get("n") == 3]
        roles = [[message["role"] for message in messages] for messages in drafts]
        assert max(map(len, roles)) >= 4
        for one in roles:
            assert one[0] == "system"
            assert one[1:] == ["user", "assistant"] * ((len(one) - 2) // 2) + ["user"]


def test_what_the_question_does_not_say_is_left_out_and_told(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3)) as run:
        read = run.of(Calls)[0]
        assert read.notes == ("left out, as the question does not say it: planets",)
        assert "planets" not in asked(run, "Choose the tables")[0]
        assert "Conditions: were paid" in run.server.prompt(3)


def test_the_search_sees_the_linked_schema_only(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3)) as run:
        assert [event.tables for event in run.of(SchemaShown)] == [("customers", "orders", "regions"), ("orders",)]
        assert "CREATE TABLE regions" in run.server.prompt(1)
        assert "CREATE TABLE regions" not in run.server.prompt(3)
        assert "orders.status holds 'paid'" in run.server.prompt(3)


def test_values_are_kept_from_the_model_where_the_connection_says_so(shop: str) -> None:
    count = "SELECT COUNT(*) AS n FROM orders"
    with searching(shop, Replies([count, count, BROKEN]), send_values=False) as run:
        sent = "".join(run.server.prompt(number) for number in range(1, len(run.server.requests) + 1))
        assert run.rows() == [(4,)]
        assert not any(value in sent for value in ("'paid'", "'open'", "Ada", "North"))


def test_the_table_with_the_best_score_is_elected(shop: str) -> None:
    with searching(shop, Replies([ALL, PAID, PAID], [ALL, PAID, PAID], filled=lambda _: PAID)) as run:
        assert run.rows() == [(3,)]
        scores = run.of(Observation)[-1].text
        assert "0.4 x 1" in scores
        assert "0.4 x 0.67" in scores
        assert "0.4 x 0.33" in scores


def test_the_discriminator_turns_a_close_vote(shop: str) -> None:
    confirms_all = Replies([PAID, PAID, ALL], [PAID, PAID, ALL], filled=lambda _: ALL)
    with searching(shop, confirms_all, rollouts=1) as run:
        assert run.rows() == [(4,)]
        assert confidence(run) == pytest.approx(0.4 + 0.2 + 0.4 / 3, abs=1e-4)
    confirms_none = Replies([PAID, PAID, ALL], [PAID, PAID, ALL], filled=lambda _: OPEN)
    with searching(shop, confirms_none, rollouts=1) as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == pytest.approx(0.4 + 0.4 * 2 / 3, abs=1e-4)


def test_masked_statements_are_filled_in_side_by_side_in_one_turn(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3)) as run:
        masks = [event for event in run.of(ModelCallStarted) if event.branch.startswith("mask-")]
        assert {event.branch for event in masks} == {"mask-1-1", "mask-1-2"}
        assert len({event.turn for event in masks}) == 1
        assert "'paid'" not in asked(run, "WHERE\n  [MASK]")[0].partition("```sql")[2]


def test_drafts_that_all_failed_are_revised_with_their_error(shop: str) -> None:
    with searching(shop, Replies([BROKEN] * 3, [PAID] * 3, filled=lambda _: PAID)) as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == 1.0
        (first, *_) = asked(run, "SQL revision")
        assert "0 of 3 came to the same table" in first
        assert "UnknownColumnError" in first
        branches = {event.branch for event in run.of(ModelReply)}
        assert {"rollout-1-revision-1", "rollout-2-revision-3"} <= branches


def test_a_failed_revision_leaves_what_was_drafted_before(shop: str) -> None:
    with searching(shop, Replies([PAID, PAID, ALL], [BROKEN] * 3), rollouts=8) as run:
        assert asked(run, "SQL revision")
        assert run.rows() == [(3,)]


def test_when_no_draft_runs_the_run_fails_with_the_last_error(shop: str) -> None:
    with searching(shop, Replies([BROKEN] * 3)) as run:
        (event,) = run.of(RunFailed)
        assert event.error["type"] == "NoWorkingDraftError"
        assert "colour" in event.error["message"]


def test_an_empty_table_does_not_win_against_one_that_says_something(shop: str) -> None:
    with searching(shop, Replies([LOST, LOST, PAID], [LOST, LOST, PAID])) as run:
        assert run.rows() == [(3,)]


def test_an_empty_table_is_the_answer_where_all_agree(shop: str) -> None:
    with searching(shop, Replies([LOST] * 3)) as run:
        assert run.rows() == []
        assert confidence(run) == 1.0


@pytest.mark.parametrize(
    "statement", ["DELETE FROM orders", "SELECT 1; DROP TABLE orders", "SELECT * FROM sqlite_master"]
)
def test_what_the_guard_refuses_never_runs(shop: str, statement: str) -> None:
    with searching(shop, Replies([statement] * 3)) as run:
        assert run.answer is None
        assert not run.bench.engine.results
        assert len(run.bench.engine.access.door.query("SELECT id FROM orders").rows) == 4


def test_what_cannot_be_lifted_runs_guarded_as_one_statement(shop: str) -> None:
    second = "SELECT id, nth_value(id, 2) OVER (ORDER BY id) AS n FROM orders WHERE id < 3"
    with searching(shop, Replies([second] * 3)) as run:
        assert run.rows() == [(1, None), (2, 2)]
        assert "run as one statement" in warnings(run)


def test_a_reading_that_cannot_be_read_is_left_out(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3, understanding="No idea.", linking="None.")) as run:
        assert run.rows() == [(3,)]
        assert warnings(run).count("is left out") == 2
        assert run.of(SchemaShown)[1].tables == ("orders",)  # the question's own words name it


def test_a_follow_up_shows_what_was_asked_before(shop: str) -> None:
    task = Task("And of them the paid ones?", earlier=(EarlierTurn("All orders?", "Four.", (), "id\n1"),))
    with searching(shop, Replies([PAID] * 3), task=task) as run:
        assert "All orders?" in run.server.prompt(1)
        assert "All orders?" in run.server.prompt(-1)


@pytest.mark.parametrize(
    ("turns", "rollouts", "told"),
    [
        (3, 2, "The run has 3 turns. Only 2 rollouts are searched."),
        (2, 2, "The candidates are not checked by masking."),
        (1, 2, "The question was not analysed first."),
    ],
)
def test_few_turns_mean_less_search_and_that_is_told(shop: str, turns: int, rollouts: int, told: str) -> None:
    with searching(shop, Replies([PAID] * 3), rollouts=6, limits=BudgetLimits(turns=turns)) as run:
        assert run.rows() == [(3,)]
        assert run.bench.budget.turns == turns
        assert len({event.branch[:9] for event in run.of(ModelReply) if event.branch.startswith("rollout")}) == rollouts
        assert told in warnings(run)
        assert confidence(run) == (1.0 if turns == 3 else 0.8)


def test_the_search_ends_while_there_are_tokens_left_to_check_the_answer(shop: str) -> None:
    replies = Replies([PAID] * 3, usage={"prompt_tokens": 900, "completion_tokens": 100})
    with searching(shop, replies, rollouts=8, limits=BudgetLimits(tokens=20_000)) as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == 1.0
        assert "of 8 rollouts" in warnings(run)
        assert asked(run, "[MASK]")


def test_tokens_that_end_in_the_middle_leave_the_best_until_then(shop: str) -> None:
    replies = Replies([PAID, PAID, ALL], usage={"prompt_tokens": 900, "completion_tokens": 100})
    for tokens in range(5_000, 14_000, 1_000):
        with searching(shop, replies, rollouts=2, limits=BudgetLimits(tokens=tokens)) as run:
            if run.answer is None:
                assert run.of(RunFailed)[0].error["type"] == "BudgetExhaustedError"
                assert tokens < 8_000
            else:
                assert run.rows() in ([(3,)], [(4,)])
                assert confidence(run) < 1


def test_money_that_is_used_up_before_any_draft_fails_the_run(shop: str) -> None:
    replies = Replies([PAID] * 3, usage={"prompt_tokens": 900, "completion_tokens": 100})
    with searching(shop, replies, limits=BudgetLimits(tokens=1_500)) as run:
        assert run.answer is None
        assert run.of(RunFailed)[0].error["type"] == "BudgetExhaustedError"


@pytest.mark.parametrize("kind", [Observation, CallResult, ModelReply])
def test_a_cancel_ends_the_run_wherever_it_is(shop: str, kind: type[Event]) -> None:
    stop: list[Callable[[], None]] = []
    journal = MemoryJournal(sink=lambda event: stop[0]() if isinstance(event, kind) else None)
    stop.append(journal.cancel)
    with searching(shop, Replies([PAID] * 3), journal=journal) as run:
        assert run.answer is None
        assert isinstance(run.events[-1], RunCancelled)
        first = next(event.position for event in run.events if isinstance(event, kind))
        assert not [event for event in run.of(ModelReply) if event.position > first]
