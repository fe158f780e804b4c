"""`reforce`: link, draft, vote; where the vote is not clear, look into columns and draft anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.answers.training import chat_of
from agents.answers.transcript import Transcript
from agents.contracts import RunSettings
from agents.llm.budget import BudgetLimits
from agents.traces.events import (
    CallResult,
    Event,
    ModelCallStarted,
    ModelReply,
    RunCancelled,
    RunFailed,
    SchemaShown,
    Warned,
)
from agents.traces.journal import MemoryJournal
from tests.agents.runs import SHOP, Ran, running

ALL = "SELECT COUNT(*) AS n FROM orders"
PAID = f"{ALL} WHERE status = 'paid'"
OPEN = f"{ALL} WHERE status = 'open'"
LOST = "SELECT id FROM orders WHERE status = 'lost'"
LOOK = "SELECT DISTINCT status FROM orders"


def sql(*queries: str) -> str:
    return "\n\n".join(f"```sql\n{query}\n```" for query in queries)


def linking(tables: Any = None, **answer: Any) -> str:
    form = {"columns": ["number of orders"], "row": "the shop", "single": True, "order": "", **answer}
    return json.dumps({"tables": {"orders": ["status"]} if tables is None else tables, "answer": form})


ONE_COLUMN = linking(single=False)


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def branches(run: Ran) -> list[str]:
    return list(dict.fromkeys(event.branch for event in run.of(ModelReply)))


def confidence(run: Ran) -> float:
    assert run.answer is not None
    assert run.answer.confidence is not None
    return run.answer.confidence


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql"])
def test_two_drafts_that_agree_are_enough(dialect: str, new_database: Callable[[str, str], str]) -> None:
    with running(new_database(dialect, SHOP), [linking(), sql(PAID), sql(PAID)], "reforce") as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == pytest.approx(2 / 3)
        assert branches(run) == ["", "candidate-1", "candidate-2"]
        assert len(run.server.requests) == 3


def test_a_draft_sees_what_was_linked_and_the_format_of_the_answer(shop: str) -> None:
    with running(shop, [linking(), sql(PAID), sql(PAID)], "reforce") as run:
        whole, linked = run.of(SchemaShown)
        assert (set(whole.tables), linked.tables) == ({"customers", "orders", "regions"}, ("orders",))
        drafting = run.server.prompt(2)
        assert "The answer's format: 1 column (number of orders); one row." in drafting
        assert "status" in drafting
        assert "total" not in drafting
        assert "id INTEGER PRIMARY KEY" in drafting


def test_a_vote_that_is_not_clear_is_repeated_with_what_the_columns_hold(shop: str) -> None:
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(LOOK), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce") as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == pytest.approx(2 / 3)
        exploring, anew = run.server.prompt(5), run.server.prompt(6)
        assert all(draft in exploring for draft in (ALL, PAID, OPEN))
        assert "paid" in anew
        assert LOOK in anew
        assert branches(run)[4:] == ["candidate-1-anew", "candidate-2-anew"]
        assert run.server.requests[5]["messages"][0] == run.server.requests[1]["messages"][0]


def test_a_candidate_outside_the_tie_keeps_its_vote(shop: str) -> None:
    drafts = [OPEN, ALL, ALL, PAID, PAID]
    script = [linking(), *map(sql, drafts), sql(LOOK), *[sql(PAID)] * 3]
    with running(shop, script, "reforce", settings=RunSettings(samples=5)) as run:
        assert run.rows() == [(3,)]
        assert branches(run)[6:] == ["candidate-2-anew", "candidate-3-anew", "candidate-4-anew"]
        assert confidence(run) == pytest.approx(4 / 5)  # candidate-5 was not asked again, and had said the same


def test_a_larger_group_than_any_other_needs_no_exploration(shop: str) -> None:
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(PAID), sql("SELECT 7 AS n FROM orders LIMIT 1")]
    with running(shop, script, "reforce", settings=RunSettings(samples=5)) as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == pytest.approx(2 / 5)
        assert len(run.server.requests) == 6


def test_empty_tables_do_not_win_unless_all_agree(shop: str) -> None:
    first = [sql(LOST), sql(LOST), sql(PAID)]
    script = [ONE_COLUMN, *first, sql(LOST), sql(LOST), sql(LOOK), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce") as run:
        assert run.rows() == [(3,)]
        assert confidence(run) == 1
    with running(shop, [ONE_COLUMN, *[sql(LOST)] * 6], "reforce") as run:
        assert run.rows() == []
        assert confidence(run) == 1
        assert len(run.server.requests) == 7


def test_empty_tables_are_not_agreed_on_while_a_draft_has_not_run(shop: str) -> None:
    script = [ONE_COLUMN, sql(LOST), sql(LOST), sql("SELECT x FROM orders"), sql(LOOK), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce", settings=RunSettings(repairs=0)) as run:
        assert run.rows() == [(3,)]
        assert len(run.server.requests) == 7


def test_a_draft_that_fails_is_mended_with_its_typed_error(shop: str) -> None:
    script = [linking(), sql(PAID), sql("SELECT COUNT(stat) FROM orders"), sql(OPEN), sql(PAID)]
    with running(shop, script, "reforce") as run:
        assert run.rows() == [(3,)]
        assert "UnknownColumnError" in run.server.prompt(5)
        assert len(run.server.requests) == 5


def test_a_table_of_another_format_is_told_and_may_stand(shop: str) -> None:
    wide = "SELECT status, COUNT(*) AS n FROM orders GROUP BY status"
    script = [linking(order="the number"), sql(wide), sql(PAID), sql(OPEN), sql(PAID)]
    with running(shop, script, "reforce") as run:
        told = str(run.server.requests[4]["messages"][-1]["content"])
        assert "it shows 2 columns (status, n), and the answer is to have 1 column (number of orders)" in told
        assert "it has 2 rows, and the answer is to have one" in told
        assert "it has no ORDER BY, and the answer is to be ordered by the number" in told
        assert run.rows() == [(3,)]


def test_when_nothing_ever_runs_the_last_error_is_told(shop: str) -> None:
    bad = sql("SELECT x FROM orders")
    with running(shop, [linking(), *[bad] * 5], "reforce", settings=RunSettings(repairs=0)) as run:
        (failed,) = run.of(RunFailed)
        assert failed.error["type"] == "NoWorkingDraftError"
        assert len(run.server.requests) == 6  # linking, three drafts, two rounds of looking


def test_the_first_draft_stands_where_looking_finds_nothing(shop: str) -> None:
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(LOST), sql(LOST)]
    with running(shop, script, "reforce") as run:
        assert run.rows() == [(4,)]
        assert confidence(run) == pytest.approx(1 / 3)
        assert any("found nothing" in warning.text for warning in run.of(Warned))


def test_a_candidate_whose_new_draft_fails_keeps_its_old_one(shop: str) -> None:
    bad = sql("SELECT x FROM orders")
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(LOOK), bad, sql(PAID), bad]
    with running(shop, script, "reforce", settings=RunSettings(repairs=0)) as run:
        assert run.rows() == [(4,)]
        assert confidence(run) == pytest.approx(1 / 3)


@pytest.mark.parametrize(("turns", "requests"), [(2, 4), (3, 5)])
def test_the_best_draft_until_the_budget_ends_is_shown(shop: str, turns: int, requests: int) -> None:
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(LOOK), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce", limits=BudgetLimits(turns=turns)) as run:
        assert run.rows() == [(4,)]
        assert any("The best draft until then is shown" in warning.text for warning in run.of(Warned))
        assert len(run.server.requests) == requests


def test_a_budget_that_ends_before_a_draft_fails_the_run(shop: str) -> None:
    with running(shop, [linking()], "reforce", limits=BudgetLimits(turns=1)) as run:
        assert run.of(RunFailed)[0].error["type"] == "BudgetExhaustedError"


@pytest.mark.parametrize("branch", ["", "candidate-2", "look-1", "candidate-1-anew"])
def test_a_run_that_is_stopped_asks_nothing_more(shop: str, branch: str) -> None:
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(LOOK), sql(PAID), sql(PAID)]
    journal = MemoryJournal(sink=lambda event: stop(event))
    asked = 0

    def stop(event: Event) -> None:
        nonlocal asked
        asked += isinstance(event, ModelCallStarted)
        if event.branch == branch and isinstance(event, (ModelReply, CallResult)):
            journal.cancel()

    with running(shop, script, "reforce", journal=journal) as run:
        assert run.answer is None
        assert isinstance(run.events[-1], RunCancelled)
        assert len(run.server.requests) == asked


def facts(events: tuple[Event, ...]) -> list[Any]:
    """What a run did, without times."""
    return [
        (event.kind, event.branch, event.turn, getattr(event, "appended", None), getattr(event, "text", None),
         getattr(event, "result", None), getattr(event, "confidence", None))
        for event in events
    ]  # fmt: skip


def test_the_page_and_the_training_data_tell_the_lines_of_work_apart(shop: str) -> None:
    script = [linking(), sql(ALL), sql(PAID), sql(OPEN), sql(LOOK), sql(PAID), sql(PAID)]
    transcript = Transcript()
    with running(shop, script, "reforce") as run:
        for event in run.events[:-1]:
            transcript.apply(event)
        assert [turn.key for turn in transcript.turns] == [
            "1", "candidate-1-2", "candidate-2-2", "candidate-3-2", "3", "look-1-3",
            "candidate-1-anew-4", "candidate-2-anew-4",
        ]  # fmt: skip
        assert not any(turn.running for turn in transcript.turns)
        assert [message["role"] for message in chat_of(run.events)] == ["system", "user", "assistant"]


def test_drafts_that_are_mended_side_by_side_go_on_where_they_were(shop: str) -> None:
    script = [ONE_COLUMN, *[sql(LOST)] * 2, sql(PAID), *[sql(LOST)] * 2, sql(LOOK), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce") as run:
        whole = run.events
    for died_after in range(len(whole)):
        saved = whole[:died_after]
        left = script[sum(isinstance(event, ModelReply) for event in saved) :]
        with running(shop, left, "reforce", journal=MemoryJournal(saved)) as resumed:
            assert sorted(facts(resumed.events), key=str) == sorted(facts(whole), key=str)
            assert len(resumed.server.requests) == len(left)


def test_a_run_that_died_anywhere_ends_the_same(shop: str) -> None:
    fixed = [sql("SELECT COUNT(stat) FROM orders"), sql(OPEN), sql(PAID)]
    script = [linking({"ordrs": []}), linking(), sql(ALL), *fixed, sql(LOOK, LOST), sql(LOOK), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce") as run:
        whole = run.events
        assert run.rows() == [(3,)]
        assert {event.kind for event in whole} >= {"warning", "observation", "shaped"}
        assert len(run.server.requests) == len(script)
    for died_after in range(len(whole)):
        saved = whole[:died_after]
        left = script[sum(isinstance(event, ModelReply) for event in saved) :]
        with running(shop, left, "reforce", journal=MemoryJournal(saved)) as resumed:
            assert facts(resumed.events) == facts(whole)
            assert len(resumed.server.requests) == len(left)


DAYS = """
CREATE TABLE days (n INTEGER, day TIMESTAMP, price DECIMAL(8, 2));
INSERT INTO days SELECT i, TIMESTAMP '2030-01-01 08:30:00' + INTERVAL 1 DAY * i, i + 0.5 FROM range(1, 121) AS r(i);
"""


@pytest.mark.parametrize(("last", "asked"), [(120, 3), (119, 4)])
def test_a_resumed_vote_compares_whole_tables_too(
    last: int, asked: int, new_database: Callable[[str, str], str]
) -> None:
    """The trace keeps the heads of results, as JSON: timestamps and decimals are texts there."""
    url = new_database("duckdb", DAYS)
    first = "SELECT day, price FROM days ORDER BY n"
    second = f"SELECT price, day FROM days WHERE n <= {last} OR n > 500 ORDER BY n"
    if last < 120:
        second = f"SELECT CASE WHEN n > {last} THEN 1 ELSE price END AS price, day FROM days ORDER BY n"
    script = [linking({"days": []}, columns=["day", "price"], single=False), sql(first), sql(second), sql(first)]
    with running(url, script, "reforce") as run:
        whole = run.events
        assert len(run.server.requests) == asked
    for died_after in range(len(whole)):
        saved = whole[:died_after]
        left = script[sum(isinstance(event, ModelReply) for event in saved) : asked]
        with running(url, left, "reforce", journal=MemoryJournal(saved)) as resumed:
            assert facts(resumed.events) == facts(whole)
