"""What a manager chooses for an evaluation, and deleting one."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from agents.models import Evaluation, EvaluationState, RegressionQuestion, Run, Status, Thread
from connections.models import AuditEntry, User
from tests.web import stories
from tests.web.measured import measured, with_trace
from tests.web.stories import Cast


@pytest.fixture
def known(people: Cast) -> None:
    RegressionQuestion.objects.create(connection=people.shop, text="How many orders?", gold_sql="SELECT 1")


def started(mona: Client, people: Cast, **given: object) -> list[str]:
    mona.post(reverse("start_evaluation"), {"connection": people.shop.pk, "model": "site", **given})
    return [system.method for system in Evaluation.objects.get().systems.all()]


@pytest.mark.usefixtures("known")
def test_each_number_of_drafts_is_a_system_where_drafts_can_vote(people: Cast, mona: Client) -> None:
    methods = started(mona, people, strategy=["react", "lift"], samples=["1", "3"])
    assert methods == ["react", "lift", "lift with a vote of 3"]


@pytest.mark.usefixtures("known")
def test_without_a_choice_nothing_votes(people: Cast, mona: Client) -> None:
    assert started(mona, people, strategy=["lift"]) == ["lift"]


@pytest.mark.usefixtures("known")
def test_another_number_of_drafts_is_refused(people: Cast, mona: Client) -> None:
    given = {"connection": people.shop.pk, "model": "site", "strategy": "lift", "samples": "4"}
    answer = mona.post(reverse("start_evaluation"), given)
    assert answer.status_code == 422
    assert "4 is not one of the available choices" in answer.content.decode()


def test_deleting_asks_first_and_takes_answers_traces_and_rows(
    people: Cast, manager: User, mona: Client, done: Evaluation, django_capture_on_commit_callbacks: Any
) -> None:
    run, other = with_trace(done, manager), stories.answered(people.olga, people.shop)
    kept = measured(manager, people.shop, name="Another")
    rows = settings.RESULTS_DIR / run.results.get().file
    page = mona.get(reverse("evaluation", args=[done.pk])).content.decode()
    assert "This cannot be undone." in page
    address = reverse("delete_evaluation", args=[done.pk])
    assert f'action="{address}"' in page
    assert mona.get(address).status_code == 405
    with django_capture_on_commit_callbacks(execute=True):
        assert mona.post(address).headers["Location"] == reverse("evaluations")
    assert list(Evaluation.objects.all()) == [kept]
    assert list(Run.objects.all()) == [other]
    assert not Thread.objects.exclude(evaluation=None).exists()
    assert not rows.exists()
    assert AuditEntry.objects.filter(action="evaluation deleted", actor_name="mona").exists()


def test_what_goes_on_is_not_deleted(people: Cast, manager: User, mona: Client) -> None:
    running = measured(manager, people.shop, state=EvaluationState.RUNNING, finished_at=None)
    address = reverse("delete_evaluation", args=[running.pk])
    assert address not in mona.get(reverse("evaluation", args=[running.pk])).content.decode()
    assert "Stop it first" in mona.post(address, follow=True).content.decode()
    assert Evaluation.objects.filter(pk=running.pk).exists()


def test_what_was_stopped_is_not_deleted_while_a_run_of_it_is_still_at_work(
    manager: User, mona: Client, done: Evaluation
) -> None:
    run = with_trace(done, manager)
    address = reverse("delete_evaluation", args=[done.pk])
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING)
    assert "Its last runs are being stopped" in mona.post(address, follow=True).content.decode()
    assert Evaluation.objects.filter(pk=done.pk).exists()
    Run.objects.filter(pk=run.pk).update(status=Status.CANCELLED)
    mona.post(address)
    assert not Evaluation.objects.filter(pk=done.pk).exists()


def test_nobody_else_deletes(olga: Client, sara: Client, done: Evaluation) -> None:
    for client in (olga, sara):
        assert client.post(reverse("delete_evaluation", args=[done.pk])).status_code == 404
    assert Evaluation.objects.filter(pk=done.pk).exists()
