"""A connection that is removed takes nothing with it that people keep, and its dialogue says what goes."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Evaluation, EvaluationCase, EvaluationState, RegressionQuestion, Run, StoredResult
from connections.models import CatalogueNote, Connection, Membership, Role, Team, User
from tests.web.conftest import as_person
from tests.web.measured import measured, with_trace
from tests.web.stories import Cast


@pytest.fixture
def root(people: Cast) -> Client:
    return as_person(User.objects.create_superuser("root"))


def remove(root: Client, connection: Connection) -> None:
    answer = root.post(reverse("connection_remove", args=[connection.pk]), follow=True)
    assert "What was asked and measured of it stays." in answer.content.decode()
    assert not Connection.objects.filter(pk=connection.pk).exists()


def test_the_dialogue_counts_what_goes_and_names_what_stays(root: Client, people: Cast) -> None:
    for table in ("orders", "items"):
        CatalogueNote.objects.create(connection=people.shop, table=table, text="Net.")
    page = root.get(reverse("connection_edit", args=[people.shop.pk])).content.decode()
    dialogue = page.split('id="remove-dialog"')[1].split("</dialog>")[0]
    assert "its catalogue and 2 notes for the model are deleted" in dialogue
    assert "Questions, answers, evaluations and the regression set stay" in dialogue


def test_its_evaluations_stay_whole_for_the_managers_of_its_teams(
    root: Client, people: Cast, manager: User, mona: Client, olga: Client, sara: Client, done: Evaluation
) -> None:
    run = with_trace(done, manager)
    later = measured(manager, people.shop, name="A week later", systems=[("zero-shot", "Scripted")])
    case = EvaluationCase.objects.get(run=run)
    addresses = [
        reverse("evaluation", args=[done.pk]), reverse("evaluation_case", args=[case.pk]),
        reverse("evaluation_report", args=[done.pk]), reverse("trace", args=[run.pk]),
        reverse("evaluation_progress", args=[done.pk]),
    ]  # fmt: skip
    kept = StoredResult.objects.count()
    remove(root, people.shop)
    assert (EvaluationCase.objects.count(), StoredResult.objects.count()) == (48, kept)
    listed = mona.get(reverse("evaluations")).content.decode()
    assert listed.count("Shop (removed)") == 2
    for address in addresses:
        assert mona.get(address).status_code == 200, address
        for stranger in (olga, sara):
            assert stranger.get(address).status_code == 404, address
    page = mona.get(reverse("evaluation", args=[later.pk])).content.decode()
    assert "From Shop regression: zero-shot, Scripted" in page
    assert "Run again" not in page
    mona.post(reverse("delete_evaluation", args=[done.pk]))
    assert list(Evaluation.objects.all()) == [later]


def test_two_connections_that_had_one_name_are_not_compared_for_who_saw_one(
    root: Client, people: Cast, manager: User, mona: Client, done: Evaluation
) -> None:
    remove(root, people.shop)
    other = Connection.objects.create(name="Shop", kind="sqlite", database="x")
    other.teams.add(Team.objects.create(name="Another"))
    boss = User.objects.create_user("boss")
    Membership.objects.create(team=Team.objects.get(name="Another"), user=boss, role=Role.MANAGER)
    theirs = measured(boss, other, name="Theirs")
    remove(root, other)
    page = as_person(boss).get(reverse("evaluation", args=[theirs.pk])).content.decode()
    assert "From Shop regression" not in page
    assert mona.get(reverse("evaluation", args=[theirs.pk])).status_code == 404


def test_what_still_goes_on_is_stopped_and_says_why(
    root: Client, people: Cast, manager: User, mona: Client
) -> None:
    running = measured(manager, people.shop, state=EvaluationState.RUNNING, finished_at=None)
    remove(root, people.shop)
    page = mona.get(reverse("evaluation", args=[running.pk])).content.decode()
    assert "The connection Shop was removed." in page
    assert reverse("continue_evaluation", args=[running.pk]) not in page
    mona.post(reverse("continue_evaluation", args=[running.pk]))
    running.refresh_from_db()
    assert running.state == EvaluationState.STOPPED


def test_its_regression_set_is_kept_under_its_name(root: Client, people: Cast, done: Evaluation) -> None:
    question = RegressionQuestion.objects.create(connection=people.shop, text="How many?", gold_sql="SELECT 1")
    remove(root, people.shop)
    question.refresh_from_db()
    assert (question.connection, question.connection_name, question.gold_sql) == (None, "Shop", "SELECT 1")


def test_the_admin_removes_no_more_than_the_page(root: Client, people: Cast, manager: User, done: Evaluation) -> None:
    run = with_trace(done, manager)
    root.post(reverse("admin:connections_connection_delete", args=[people.shop.pk]), {"post": "yes"})
    assert not Connection.objects.filter(pk=people.shop.pk).exists()
    done.refresh_from_db()
    assert (done.connection_name, list(done.kept_for.all())) == ("Shop", [people.team])
    assert Run.objects.filter(pk=run.pk).exists()
