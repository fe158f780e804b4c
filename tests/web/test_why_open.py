"""A run of somebody else says by what it is open to its reader."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from agents.library import collecting
from agents.models import Run, SavedQuestion, SavedRun, Status, Thread
from connections.models import Membership, Role, User
from tests.web import stories
from tests.web.conftest import as_person
from tests.web.measured import measured, with_trace
from tests.web.stories import Cast

REVIEWED = "You review this as a manager of Shop"
COLLECTED = "</a>, which is open to Retail analytics."


def note(client: Client, run: Run) -> str:
    """The sentences above the answer."""
    page = client.get(reverse("run", args=[run.pk]))
    assert page.status_code == 200
    return page.content.decode().split('id="share-note"')[1].split("</div>")[0]


@pytest.fixture
def mona(people: Cast) -> Client:
    user = User.objects.create_user("mona")
    Membership.objects.create(team=people.team, user=user, role=Role.MANAGER)
    return as_person(user)


@pytest.fixture
def saved(people: Cast) -> SavedQuestion:
    place = collecting.create_collection(user=people.olga, team=people.team, name="Reports")
    run = stories.answered(people.olga, people.shop)
    return collecting.save(user=people.olga, run=run, collection=place, title="Sales by country")


def test_what_is_in_a_collection_names_it(saved: SavedQuestion, people: Cast, tom: Client, mona: Client) -> None:
    assert saved.run is not None
    for client in (tom, mona):
        said = note(client, saved.run)
        assert (COLLECTED in said, reverse("collection", args=[saved.collection_id]) in said) == (True, True)
        assert (REVIEWED in said, "You see exactly what Olga Owner saw on" in said) == (False, True)


def test_a_scheduled_run_at_work_tells_of_no_moment_at_which_it_was_seen(
    saved: SavedQuestion, people: Cast, tom: Client
) -> None:
    run = stories.ask(people.olga, people.shop, "Sales by country")
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING)
    SavedRun.objects.create(saved=saved, run=run, scheduled=True)
    said = note(tom, run)
    assert (COLLECTED in said, "It is still at work" in said, " saw on " in said) == (True, True, False)


def test_a_deleted_connection_is_not_named(saved: SavedQuestion, tom: Client) -> None:
    assert saved.run is not None
    Thread.objects.update(connection=None)
    assert (COLLECTED in note(tom, saved.run), "None" in note(tom, saved.run)) == (True, False)
    assert "Its connection was deleted" in tom.get(reverse("run", args=[saved.run.pk])).content.decode()


def test_what_an_evaluation_asked_is_told_apart_from_what_is_reviewed(people: Cast, mona: Client) -> None:
    asked = with_trace(measured(people.olga, people.shop, questions=2), people.olga)
    failed = stories.finish(stories.ask(people.olga, people.shop, "Failed?"), Status.FAILED, error="Used up.")
    assert "An evaluation asked this, and you see it as a manager" in note(mona, asked)
    assert (REVIEWED in note(mona, asked), REVIEWED in note(mona, failed)) == (False, True)
