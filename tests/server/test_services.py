"""Asking, stopping, deleting: who may, what is refused and in which words, and that nothing depends on the broker."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from agents import permissions, selectors, services, tasks
from agents.library import search
from agents.models import LanguageModel, Question, Run, Status, Thread
from connections import permissions as connection_permissions
from connections import selectors as connection_selectors
from connections.models import AuditEntry, Connection, User
from tests.server.conftest import Cast


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any) -> list[uuid.UUID]:
    """The runs that workers were rung for; the broker itself is tested with a real worker."""
    ids: list[uuid.UUID] = []
    monkeypatch.setattr(tasks, "enqueue_run", ids.append)
    return ids


def ask(cast: Cast, text: str = "How many orders?", **more: Any) -> Run:
    return services.ask(user=cast.ada, connection=cast.shop, text=text, **more)


def test_a_question_is_stored_and_its_run_queued_after_the_commit(
    cast: Cast, rung: list[uuid.UUID], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = ask(cast, "  How many orders?\n")
        assert rung == []
    assert rung == [run.pk]
    assert (run.question.text, run.status, run.strategy) == ("How many orders?", Status.QUEUED, "auto")
    assert run.question.thread.title == "How many orders?"
    assert AuditEntry.objects.filter(action="asked", actor=cast.ada).exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Write a question first"),
        (" \n\t ", "Write a question first"),
        ("x" * 20_000, "20,000 characters; at most 8,000"),
        ("a\x00b", "NUL"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_plain_words(cast: Cast, text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ask(cast, text)
    assert not Thread.objects.exists()


def test_the_longest_question_is_taken(cast: Cast) -> None:
    assert len(ask(cast, "x" * 8_000).question.text) == 8_000


def test_an_unknown_strategy_names_the_known_ones(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="'magic'; choose .*react"):
        ask(cast, strategy="magic")


def test_too_many_questions_in_a_minute_are_refused(cast: Cast, settings: Any) -> None:
    settings.QUESTIONS_PER_MINUTE = 2
    ask(cast), ask(cast)
    with pytest.raises(ValidationError, match="2 questions within a minute"):
        ask(cast)


def test_a_follow_up_takes_the_next_place_in_its_thread(cast: Cast) -> None:
    first = ask(cast)
    second = ask(cast, "And by month?", thread=first.question.thread)
    assert [question.position for question in selectors.questions_of(first.question.thread)] == [1, 2]
    assert second.question.thread == first.question.thread


def test_a_viewer_sees_the_connection_but_may_not_ask(cast: Cast) -> None:
    assert connection_permissions.may_see_connection(cast.ben, cast.shop)
    with pytest.raises(Connection.DoesNotExist):
        services.ask(user=cast.ben, connection=cast.shop, text="How many?")


def test_a_stranger_sees_nothing_of_it(cast: Cast) -> None:
    run = ask(cast)
    assert not connection_selectors.connections_for(cast.cleo).exists()
    for person in (cast.cleo, cast.ben):
        with pytest.raises(Run.DoesNotExist):
            selectors.run_to_see(person, run.pk)
        with pytest.raises(Thread.DoesNotExist):
            selectors.thread_to_see(person, run.question.thread.pk)
        with pytest.raises(Connection.DoesNotExist):
            services.ask(user=person, connection=cast.shop, text="?", thread=run.question.thread)
        with pytest.raises(Run.DoesNotExist):
            services.cancel_run(user=person, run=run)
        with pytest.raises(Question.DoesNotExist):
            services.ask_again(user=person, question=run.question)
        assert services.delete_threads(user=person, thread_ids=[run.question.thread.pk]) == 0
        assert not search.found(person).exists()


def test_a_team_mate_who_may_ask_cannot_go_on_in_anothers_thread(cast: Cast) -> None:
    thread = ask(cast).question.thread
    cast.team.memberships.filter(user=cast.ben).update(role="analyst")
    with pytest.raises(Thread.DoesNotExist):
        services.ask(user=cast.ben, connection=cast.shop, text="?", thread=thread)


def test_nobody_reruns_what_they_do_not_see(cast: Cast) -> None:
    run = ask(cast)
    Run.objects.filter(pk=run.pk).update(program=[{"op": "table_ref", "args": {"table": "orders"}, "out": "o"}])
    cast.team.memberships.filter(user=cast.ben).update(role="analyst")
    for person in (cast.ben, cast.cleo):
        with pytest.raises(Run.DoesNotExist):
            services.rerun(user=person, run=Run.objects.get(pk=run.pk))
    assert Run.objects.count() == 1


def test_a_thread_is_gone_on_with_on_its_own_connection_alone(cast: Cast) -> None:
    thread = ask(cast).question.thread
    depot = Connection.objects.create(name="Depot", kind="sqlite", database="depot.sqlite")
    cast.team.connections.add(depot)
    with pytest.raises(ValidationError, match="thread on Shop, and Depot is to be asked"):
        services.ask(user=cast.ada, connection=depot, text="And here?", thread=thread)
    assert Question.objects.count() == 1


def test_a_right_that_was_taken_away_ends_asking_at_once(cast: Cast) -> None:
    thread = ask(cast).question.thread
    cast.team.memberships.filter(user=cast.ada).delete()
    with pytest.raises(Connection.DoesNotExist):
        ask(cast)
    assert not permissions.may_follow_up(cast.ada, thread)


def test_a_connection_switched_off_cannot_be_asked(cast: Cast) -> None:
    Connection.objects.update(is_active=False)
    with pytest.raises(Connection.DoesNotExist):
        ask(cast)


def test_a_person_switched_off_may_do_nothing(cast: Cast) -> None:
    run = ask(cast)
    User.objects.filter(pk=cast.ada.pk).update(is_active=False)
    cast.ada.refresh_from_db()
    assert not connection_permissions.may_ask(cast.ada, cast.shop)
    assert not permissions.may_see_run(cast.ada, run)


def test_stopping_a_queued_run_ends_it_at_once(cast: Cast) -> None:
    run = ask(cast)
    services.cancel_run(user=cast.ada, run=run)
    run.refresh_from_db()
    assert run.status == Status.CANCELLED
    assert [event.kind for event in selectors.events_of(run)] == ["run_cancelled"]


def test_stopping_a_finished_run_changes_nothing(cast: Cast) -> None:
    run = ask(cast)
    Run.objects.update(status=Status.ANSWERED)
    services.cancel_run(user=cast.ada, run=run)
    run.refresh_from_db()
    assert (run.status, run.cancel_requested_at) == (Status.ANSWERED, None)


def test_deleting_leaves_live_runs_alone(cast: Cast) -> None:
    live, done = ask(cast), ask(cast)
    Run.objects.filter(pk=done.pk).update(status=Status.ANSWERED)
    ids = [live.question.thread.pk, done.question.thread.pk]
    assert services.delete_threads(user=cast.ada, thread_ids=ids) == 1
    assert list(Run.objects.all()) == [live]


def test_the_default_model_is_one_and_its_key_is_sealed(cast: Cast) -> None:
    for name in ("first", "second"):
        model = LanguageModel(name=name, model="openai/x", is_default=True)
        services.save_language_model(actor=cast.ada, language_model=model, key=f"key-of-{name}")
    assert selectors.default_language_model() == model
    assert LanguageModel.objects.filter(is_default=True).count() == 1
    assert b"key-of" not in bytes(model.key_encrypted)
    services.save_language_model(actor=cast.ada, language_model=model)
    model.refresh_from_db()
    assert model.key_encrypted, "saving without a key keeps the stored one"


ROWS = [["b", "10.5"], ["a", "9"], [None, None], ["c", "NaN"], ["B", "-2"]]


@pytest.mark.parametrize(
    ("place", "descending", "numeric", "order"),
    [
        (0, False, False, ["B", "a", "b", "c", None]),
        (0, True, False, ["c", "b", "a", "B", None]),
        (1, False, True, ["-2", "9", "10.5", "NaN", None]),
        (1, False, False, ["-2", "10.5", "9", "NaN", None]),
    ],
)
def test_rows_sort_as_what_they_are(place: int, descending: bool, numeric: bool, order: list[str | None]) -> None:
    cells = [row[place] for row in ROWS]
    assert [cells[at] for at in selectors.sorted_places(cells, descending, numeric=numeric)] == order


def test_mixed_cells_sort_without_an_error() -> None:
    cells = [2, "x", {"hex": "00"}, None, 1.5, True, [1]]
    assert cells[selectors.sorted_places(cells, False, numeric=False)[-1]] is None


@pytest.mark.parametrize("descending", [False, True])
def test_equal_cells_keep_their_order(descending: bool) -> None:
    for cells in ([1, 1, 1], ["x", "x", "x"], ["1.0", "1", "1.00"]):
        assert selectors.sorted_places(cells, descending, numeric=cells[0] != "x") == [0, 1, 2]
