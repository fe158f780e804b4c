"""Runs that meet a fault of ours, or something wrong outside: each ends once, and says why."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from sqlalchemy.engine import make_url

from agents import runner, selectors, services, strategies
from agents.llm.scripted import Turn
from agents.models import Run, RunEvent, Status
from agents.traces import recorder
from agents.traces.events import Calls, RunFailed
from connections import services as connection_services
from connections.address import fields_of
from connections.door import Door
from tests.server.conftest import Cast
from tests.server.five_turns import FIVE_TURNS
from tests.server.outside_faults import (
    connection_deleted,
    model_server_down,
    no_database,
    no_file,
    no_key,
    no_server,
    right_withdrawn,
)
from tests.server.running.runs import ended, in_background, within


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
