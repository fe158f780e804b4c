"""A stored run from its question to its end, with a scripted model over HTTP; on both of our own engines.

The customer's database is real, too: SQLite, and PostgreSQL where a server is what matters.
"""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents import runner, selectors, services
from agents.llm.scripted import Turn
from agents.models import Run, Status
from agents.traces import recorder
from agents.traces.events import RunCancelled
from connections.models import Connection, QueryLogEntry
from tests.server.conftest import Cast
from tests.server.five_turns import FIVE_TURNS, calls, op
from tests.server.running.runs import ended, in_background, within


def test_five_turns_with_mended_errors_end_in_the_cited_result(ask: Any, people: Cast) -> None:
    run, server = ask(FIVE_TURNS)
    run = ended(run)
    assert (run.status, run.error) == (Status.ANSWERED, "")
    assert (run.answer_result, run.turns, len(server.requests)) == (2, 5, 5)
    page = selectors.result_page(selectors.result_of(run, 2), sort=(0, False))
    assert [list(row) for row in page.rows] in ([["Ann", 30.5], ["Bob", 5]], [["Ann", "30.5"], ["Bob", "5"]])
    assert [call["op"] for call in run.program][-1] == "execute"
    assert run.sql.startswith('WITH "kept" AS MATERIALIZED (\n  SELECT')
    assert run.input_tokens > 0
    assert run.model_name == "scripted"
    assert (run.lease_owner, run.lease_until) == ("", None)
    positions = [event.position for event in selectors.events_of(run)]
    assert positions == list(range(1, len(positions) + 1))
    assert QueryLogEntry.objects.filter(run_id=run.pk, user=people.ada).count() >= 3


@pytest.mark.parametrize(("samples", "asked"), [(1, 1), (3, 2)])
def test_as_many_drafts_vote_as_the_models_profile_says(ask: Any, samples: int, asked: int) -> None:
    """Of three, the first two agree: the third is not asked for."""
    run, server = ask(["SELECT COUNT(*) AS n FROM orders"] * 3, "lift", samples)
    run = ended(run)
    assert (run.status, len(server.requests)) == (Status.ANSWERED, asked)
    assert ("temperature" in server.requests[-1]) is (samples > 1), "further drafts differ"


@pytest.mark.parametrize(("most", "kept"), [(20_000, 15_000), (12_000, 12_000)])
def test_a_result_keeps_as_many_rows_as_the_connection_allows(ask: Any, most: int, kept: int) -> None:
    Connection.objects.update(max_rows=most)
    run = ended(ask(["SELECT a.n, b.n AS m FROM many a JOIN many b ON b.n <= 3"], "lift")[0])
    result = selectors.result_of(run, 1)
    assert (result.rows_stored, result.row_count, result.truncated) == (kept, 15_000, kept < 15_000)


def test_drafts_that_fail_each_in_its_way_are_mended_side_by_side(ask: Any) -> None:
    bad = [f"SELECT {name} FROM orders" for name in ("nope", "nada", "nil")]
    run, server = ask([*bad, *["SELECT COUNT(*) AS n FROM orders"] * 3], "lift", 3)
    run = ended(run)
    assert (run.status, run.error, len(server.requests)) == (Status.ANSWERED, "", 6)


@pytest.mark.parametrize("send", [True, False])
def test_a_follow_up_brings_values_along_only_where_they_may_be_sent(ask: Any, people: Cast, send: bool) -> None:
    Connection.objects.update(send_values=send)
    first, server = ask([*FIVE_TURNS, *FIVE_TURNS])
    thread = ended(first).question.thread
    ended(services.ask(user=people.ada, connection=people.shop, text="And in May?", thread=thread, strategy="react"))
    assert len(server.requests) == 10
    opening = json.dumps(server.requests[5]["messages"])
    assert "Asked before" in opening
    assert ("Ann" in opening) is send


@pytest.mark.parametrize(("send", "told"), [(True, "Only 135.5?"), (False, "Only <execute_result_1>?")])
def test_a_question_back_is_told_again_without_the_value_that_it_cites(
    ask: Any, people: Cast, send: bool, told: str
) -> None:
    Connection.objects.update(send_values=send)
    look = calls(
        "All.", op("table_ref", "o", table="orders"),
        op("aggregate", "s", rel="o", group_by=[], aggs=[{"fn": "sum", "column": "total", "as": "t"}]),
        op("execute", rel="s"),
    )  # fmt: skip
    back = json.dumps({"final": "Only <execute_result_1>?", "clarify": {"options": ["Yes", "No"]}})
    first, server = ask([look, back, back])
    thread = ended(first).question.thread
    ended(services.ask(user=people.ada, connection=people.shop, text="Yes", thread=thread, strategy="react"))
    assert told in "".join(message["content"] for message in server.requests[2]["messages"])


def test_the_saved_trace_equals_what_was_emitted(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = ask(FIVE_TURNS)
    emitted = []
    keep = runner.RunInWork._keep

    def keep_and_note(self: Any, event: Any) -> None:
        keep(self, event)
        emitted.append(event)

    monkeypatch.setattr(runner.RunInWork, "_keep", keep_and_note)
    ended(run)
    assert selectors.events_of(run) == emitted


@pytest.mark.parametrize("after", range(1, 20, 3))
def test_a_run_whose_worker_died_anywhere_goes_on_without_asking_again(
    ask: Any, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    run, server = ask(FIVE_TURNS)
    keep = runner.RunInWork._keep

    def die(self: Any, event: Any) -> None:
        keep(self, event)
        if event.position == after:
            raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(runner.RunInWork, "_keep", die)
        with pytest.raises(SystemExit):
            runner.run_one(run.pk)
    asked_before = len(server.requests)
    assert ended(run).status == Status.RUNNING, "its lease still runs"
    Run.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run = ended(run)
    assert (run.status, run.attempt, run.answer_result) == (Status.ANSWERED, 2, 2)
    assert len(server.requests) == 5 or (len(server.requests) == 6 and asked_before >= 1)
    kinds = [event.kind for event in selectors.events_of(run)]
    assert kinds.count("run_started") == kinds.count("run_finished") == 1
    assert run.results.count() == 2
    assert selectors.result_page(selectors.result_of(run, 1)).rows_stored == 4


ENDLESS = calls(
    "All against all.",
    op("table_ref", "a", table="many"),
    op("join_table", "aa", left="a", right="a", how="cross", on=[]),
    op("join_table", "aaa", left="aa", right="a", how="cross", on=[]),
    op("order_by", "sorted", rel="aaa", keys=[["n", "desc"]]),
    op("execute", rel="sorted"),
)


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param([Turn(content="late", delay=30)], id="before the model's first byte"),
        pytest.param([Turn(content="x" * 2_000, chunk=5, pace=0.2)], id="while the model writes"),
    ],
)
def test_stopping_takes_less_than_two_seconds(ask: Any, people: Cast, turns: list[Turn]) -> None:
    run, server = ask(turns)
    thread = in_background(run)
    within(20, lambda: None, lambda: len(server.requests) == 1)
    time.sleep(0.3)
    within(
        2.0,
        lambda: services.cancel_run(user=people.ada, run=run),
        lambda: Run.objects.get(pk=run.pk).status == Status.CANCELLED,
    )
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert isinstance(selectors.events_of(run)[-1], RunCancelled)


def test_stopping_ends_the_statement_in_the_database(ask: Any, people: Cast) -> None:
    run, server = ask([ENDLESS])
    thread = in_background(run)
    within(20, lambda: None, lambda: any(event.kind == "calls" for event in selectors.events_of(run)))
    time.sleep(0.5)
    within(
        2.0,
        lambda: services.cancel_run(user=people.ada, run=run),
        lambda: Run.objects.get(pk=run.pk).status == Status.CANCELLED,
    )
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert len(server.requests) == 1


def test_a_worker_that_lost_its_run_stops_and_writes_nothing(ask: Any) -> None:
    run, server = ask([Turn(content="late", delay=5)])
    thread = in_background(run)
    within(20, lambda: None, lambda: len(server.requests) == 1)
    Run.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    token = recorder.take(run.pk, "other")
    assert token is not None
    before = len(selectors.events_of(run))
    thread.join(timeout=3)
    assert not thread.is_alive()
    run.refresh_from_db()
    assert (run.status, run.lease_owner, len(selectors.events_of(run))) == (Status.RUNNING, token, before)


def test_a_worker_that_ends_gives_its_runs_back_at_once(ask: Any) -> None:
    run, server = ask([Turn(content="late", delay=30), *FIVE_TURNS])
    thread = in_background(run)
    within(20, lambda: None, lambda: len(server.requests) == 1)
    runner.give_back_all()
    thread.join(timeout=3)
    assert not thread.is_alive()
    assert ended(run).status == Status.ANSWERED
