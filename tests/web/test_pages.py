"""Every page answers for those who may see it, and is not there for anybody else."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from agents.models import Run, Status
from connections.models import ConnectionGrant, User
from tests.web import stories
from tests.web.stories import Cast

TABS = ("answer", "table", "chart", "steps", "sql")


def of_run(run: Run) -> dict[str, str]:
    """Every address that shows a run or a part of it."""
    return {
        "thread": reverse("thread", args=[run.question.thread_id]),
        "run": reverse("run", args=[run.pk]),
        "turns": reverse("turns", args=[run.pk]),
        "trace": reverse("trace", args=[run.pk]),
        "trace_json": reverse("trace_json", args=[run.pk]),
        "prompt": reverse("prompt", args=[run.pk, 3]),
        **{f"tab {tab}": f"{reverse('run', args=[run.pk])}?tab={tab}" for tab in TABS},
    }


@pytest.mark.parametrize("page", ["home", "history", "connections", "settings", "password_change"])
def test_pages_of_ones_own_answer(olga: Client, page: str) -> None:
    assert olga.get(reverse(page)).status_code == 200


@pytest.mark.parametrize("tab", TABS)
def test_a_cache_keeps_no_page_and_tells_it_from_its_fragments(people: Cast, olga: Client, tab: str) -> None:
    run = stories.answered(people.olga, people.shop)
    for address in (of_run(run)[f"tab {tab}"], reverse("history"), reverse("trace_json", args=[run.pk])):
        for headers in ({}, {"HX-Request": "true"}):
            response = olga.get(address, headers=headers)
            assert {"private", "no-store"} <= set(response.headers["Cache-Control"].split(", ")), address
            assert {"HX-Request", "Cookie"} <= set(response.headers["Vary"].split(", ")), address


def test_what_is_the_same_for_everybody_may_be_cached(client: Client) -> None:
    response = client.get("/static/css/app.css")
    assert response.getvalue()  # reading it to its end closes the file
    assert "no-store" not in response.headers.get("Cache-Control", "")


@pytest.mark.parametrize("page", ["home", "history", "connections", "settings"])
def test_pages_ask_a_visitor_to_log_in(people: Cast, client: Client, page: str) -> None:
    response = client.get(reverse(page))
    assert (response.status_code, response.headers["Location"].split("?")[0]) == (302, reverse("login"))


def test_the_owner_sees_every_part_of_a_run(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    seen = {name: olga.get(address).status_code for name, address in of_run(run).items()}
    assert seen == dict.fromkeys(seen, 200)


def test_a_private_run_is_not_there_for_team_mate_and_stranger(people: Cast, tom: Client, sara: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    for client in (tom, sara):
        seen = {name: client.get(address).status_code for name, address in of_run(run).items()}
        assert seen == dict.fromkeys(seen, 404)


@pytest.mark.parametrize("action", ["stop", "ask_again"])
def test_nobody_else_acts_on_a_run(people: Cast, tom: Client, sara: Client, action: str) -> None:
    run = stories.ask(people.olga, people.shop)
    for client in (tom, sara):
        assert client.post(reverse(action, args=[run.pk])).status_code == 404
    run.refresh_from_db()
    assert run.cancel_requested_at is None
    assert run.question.runs.count() == 1


def test_a_connection_is_there_for_the_team_only(people: Cast, tom: Client, sara: Client) -> None:
    address = reverse("schema", args=[people.shop.pk])
    assert tom.get(address).status_code == 200
    assert sara.get(address).status_code == 404
    assert "Shop" not in sara.get(reverse("connections")).content.decode()


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANCELLED, Status.UNANSWERABLE, Status.CLARIFY])
def test_runs_without_a_table_have_a_page(people: Cast, olga: Client, status: Status) -> None:
    run = stories.ask(people.olga, people.shop)
    stories.save(run, [*stories.beginning(run), *stories.wrong_turn()])
    stories.finish(
        run, status, answer="Which one?", error="All 15 turns are used up.", options=["By sales", "By margin"]
    )
    assert olga.get(reverse("run", args=[run.pk])).status_code == 200


def test_a_live_run_is_connected_to_its_stream_behind_the_last_event(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop)
    stories.save(run, [*stories.beginning(run), *stories.wrong_turn()])
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING)
    page = olga.get(reverse("run", args=[run.pk])).content.decode()
    last = run.events.count()
    assert f'hx-sse:connect="{reverse("stream", args=[run.pk])}?after={last}"' in page
    assert 'id="stop"' in page


def test_a_generated_password_is_changed_first(people: Cast, olga: Client) -> None:
    people.olga.must_change_password = True
    people.olga.save()
    response = olga.get(reverse("home"), follow=True)
    assert response.redirect_chain == [(reverse("password_change"), 302)]
    assert "Set your own password" in response.content.decode()
    short = {"old_password": "olga's long password", "new_password1": "short", "new_password2": "short"}
    assert "too short" in olga.post(reverse("password_change"), short).content.decode()
    good = {**short, "new_password1": "a better password 7", "new_password2": "a better password 7"}
    assert olga.post(reverse("password_change"), good).headers["Location"] == reverse("home")
    assert olga.get(reverse("home")).status_code == 200


def test_a_locked_login_says_so(people: Cast, client: Client, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    wrong = {"username": "olga", "password": "wrong"}
    assert "do not match" in client.post(reverse("login"), wrong).content.decode()
    response = client.post(reverse("login"), wrong)
    assert response.status_code == 429
    assert "locked" in response.content.decode()


def test_an_unknown_address_has_a_page(olga: Client) -> None:
    response = olga.get("/nowhere")
    assert (response.status_code, "nothing at this address" in response.content.decode()) == (404, True)


def test_a_connection_is_offered_to_be_added_by_those_who_may(people: Cast, olga: Client) -> None:
    ConnectionGrant.objects.all().delete()
    address = f'href="{reverse("connection_add")}"'
    User.objects.filter(pk=people.olga.pk).update(is_staff=True)
    page = olga.get(reverse("home")).content.decode()
    assert ("There is no database to ask yet" in page, "Add a connection" in page) == (True, False)
    people.olga.user_permissions.set(Permission.objects.filter(content_type__app_label="connections"))
    assert address in olga.get(reverse("home")).content.decode()


def test_an_older_question_asked_again_has_ids_of_its_own_and_can_be_stopped(people: Cast, olga: Client) -> None:
    first = stories.answered(people.olga, people.shop)
    second = stories.follow(first, "Only for Germany")
    stories.save(second, [*stories.beginning(second), *stories.right_turn(1), *stories.ending(2)])
    stories.keep_result(second)
    stories.finish(second, answer="So it is.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    again = Run.objects.create(question=first.question, strategy="react", status=Status.RUNNING)
    stories.save(again, [*stories.beginning(again), *stories.right_turn(1)])
    page = olga.get(reverse("run", args=[again.pk])).content.decode()
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert sorted({one for one in ids if ids.count(one) > 1}) == []
    prefix = f"r{str(again.pk)[:8]}-"
    assert {"turn-1", f"{prefix}turn-1", f"{prefix}run-status", "result-1", "stop"} <= set(ids)
    assert f'formaction="{reverse("stop", args=[again.pk])}"' in page
    stream = f"{reverse('stream', args=[again.pk])}?after={again.events.count()}&amp;newest={second.pk}"
    assert f'hx-sse:connect="{stream}"' in page
