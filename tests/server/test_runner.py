"""A stored run from its question to its end, with a scripted model over HTTP; on both of our own engines.

The customer's database is real, too: SQLite, and PostgreSQL where a server is what matters.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection as own_connection
from django.utils import timezone
from sqlalchemy.engine import make_url

from agents import runner, selectors, services, strategies, tasks
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import LanguageModel, Run, RunEvent, Status
from agents.traces import recorder
from agents.traces.events import Calls, RunCancelled, RunFailed
from connections import services as connection_services
from connections.address import fields_of
from connections.door import Door
from connections.models import Connection, QueryLogEntry
from tests.server.conftest import Cast, make_cast
from tests.server.five_turns import FIVE_TURNS, SHOP, calls, op
from tests.server.outside_faults import (
    connection_deleted,
    model_server_down,
    no_database,
    no_file,
    no_key,
    no_server,
    right_withdrawn,
)


@pytest.fixture
def people(own_url: str, settings: Any) -> Cast:
    settings.DATABASES_DIR.mkdir()
    with sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    return make_cast()


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


@pytest.fixture
def ask(people: Cast) -> Iterator[Callable[..., tuple[Run, ScriptedServer]]]:
    """`ask(turns)`: a queued run, and the server whose turns will answer it."""
    servers: list[ScriptedServer] = []

    def asked(turns: list[str | Turn], strategy: str = "react") -> tuple[Run, ScriptedServer]:
        servers.append(ScriptedServer(turns).__enter__())
        model = LanguageModel(name="scripted", model="openai/scripted", api_base=servers[-1].api_base, is_default=True)
        services.save_language_model(actor=None, language_model=model, key="x")
        run = services.ask(user=people.ada, connection=people.shop, text="Sales in Germany?", strategy=strategy)
        return run, servers[-1]

    yield asked
    for server in servers:
        server.__exit__(None, None, None)


def ended(run: Run) -> Run:
    runner.run_one(run.pk)
    run.refresh_from_db()
    return run


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


def within(seconds: float, act: Callable[[], None], condition: Callable[[], bool]) -> float:
    """Seconds from `act` until `condition`; fails after `seconds`."""
    act()
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, f"not within {seconds} s"
        time.sleep(0.02)
    return time.monotonic() - started


def in_background(run: Run) -> threading.Thread:
    def work() -> None:
        runner.run_one(run.pk)
        own_connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


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


def test_a_fault_of_ours_ends_the_run_with_a_number_and_spares_the_worker(
    ask: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError("a detail that nobody should see")

    monkeypatch.setattr(strategies, "start", broken)
    run = ended(ask([])[0])
    assert "a detail that nobody should see" in caplog.text, "the log tells it"
    assert (run.status, run.error_type) == (Status.FAILED, "InternalError")
    assert "detail" not in run.error
    assert isinstance(selectors.events_of(run)[-1], RunFailed)


def test_a_trace_that_cannot_be_read_ends_the_run_instead_of_going_round(ask: Any) -> None:
    run, _ = ask([])
    RunEvent.objects.create(run=run, position=1, kind="of_a_later_version", at=timezone.now(), data={})
    run = ended(run)
    assert (run.status, run.error_type, run.attempt) == (Status.FAILED, "InternalError", 1)
    assert list(run.events.values_list("position", "kind")) == [(1, "of_a_later_version"), (2, "run_failed")]
    assert not runner.works_on(run.pk)


def test_a_fault_on_the_way_keeps_what_was_spent(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("agents.strategies.react.conclude", broken)
    run = ended(ask(FIVE_TURNS)[0])
    assert (run.error_type, run.turns, run.calls) == ("InternalError", 5, 11)
    assert run.input_tokens > 0
    assert run.seconds > 0


def test_an_event_that_cannot_be_saved_does_not_keep_the_end_from_being_saved(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    row_of = recorder.row_of

    def refusing(run_id: Any, event: Any) -> Any:
        if isinstance(event, Calls):
            raise ValueError("not to be stored")
        return row_of(run_id, event)

    monkeypatch.setattr(recorder, "row_of", refusing)
    run = ended(ask(FIVE_TURNS)[0])
    assert (run.status, run.error_type, run.attempt) == (Status.FAILED, "InternalError", 1)
    kinds = [event.kind for event in selectors.events_of(run)]
    assert kinds[-2:] == ["model_reply", "run_failed"]


def test_a_process_does_not_take_a_run_that_it_works_on(ask: Any) -> None:
    """As after a long sleep of the machine: its lease has run out, and it is still at work."""
    run, server = ask([Turn(content=FIVE_TURNS[0], delay=2), *FIVE_TURNS[1:]])
    thread = in_background(run)
    within(20, lambda: None, lambda: len(server.requests) == 1)
    Run.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    runner.run_one(run.pk)
    assert runner.works_on(run.pk)
    thread.join(timeout=60)
    run.refresh_from_db()
    assert (run.status, run.attempt) == (Status.ANSWERED, 1)


def test_before_a_statement_runs_the_trace_tells_what_it_is_for(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    query = Door._pass_through

    def looking(self: Door, sql: str, purpose: str, *others: Any) -> Any:
        def work(session: Any) -> Any:
            seen.append([event.kind for event in selectors.events_of(run)])
            return others[0](session)

        return query(self, sql, purpose, work, *others[1:])

    monkeypatch.setattr(Door, "_pass_through", looking)
    run, _ = ask(FIVE_TURNS)
    ended(run)
    assert seen
    assert all(kinds[-1] in ("calls", "call_result", "model_call_started") for kinds in seen), seen


def test_a_run_that_kills_its_workers_is_given_up(ask: Any) -> None:
    run, _ = ask([])
    Run.objects.update(attempt=runner.MAX_ATTEMPTS)
    run = ended(run)
    assert run.status == Status.FAILED
    assert "died 5 times" in run.error


# --- What can be wrong before the first turn -------------------------------------------------------------------------


@pytest.mark.parametrize("own_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("breaks", "kind", "words"),
    [
        (no_file, "ConnectionFailedError", "no database file shop.sqlite"),
        (no_database, "ConnectionFailedError", "shop.sqlite"),
        (no_server, "ConnectionFailedError", "127.0.0.1"),
        (connection_deleted, "ConnectionFailedError", "was deleted"),
        (right_withdrawn, "ConnectionFailedError", "may not ask"),
        (no_key, "ModelAuthenticationError", "key"),
        (model_server_down, "ModelUnavailableError", "cannot be reached"),
    ],
)
def test_what_is_wrong_outside_ends_the_run_with_the_reason(
    ask: Any, people: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch, breaks: Any, kind: str, words: str
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    run, _ = ask([])
    breaks(people, settings)
    run = ended(run)
    assert (run.status, run.error_type) == (Status.FAILED, kind)
    assert words in run.error
    assert selectors.events_of(run)[-1].kind == "run_failed"
    assert "Traceback" not in run.error


@pytest.mark.parametrize("own_url", ["sqlite"], indirect=True)
def test_a_wrong_password_is_said_and_not_shown(people: Cast, new_database: Any) -> None:
    url = make_url(new_database("postgresql", "CREATE TABLE t (id int)"))
    fields = fields_of(url.set(username="nobody_here", password="wr0ng-secret").render_as_string(hide_password=False))
    connection = connection_services.create_connection(actor=None, name="PG", teams=[people.team], **fields)
    run = ended(services.ask(user=people.ada, connection=connection, text="How many?", strategy="react"))
    assert (run.status, run.error_type) == (Status.FAILED, "LoginRefusedError")
    assert "nobody_here" in run.error
    everything = json.dumps([str(event) for event in selectors.events_of(run)]) + run.error
    assert "wr0ng-secret" not in everything
