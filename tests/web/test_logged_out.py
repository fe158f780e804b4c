"""A session that ends while a page is open: people come back to the page after the login, with what they typed."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from agents.models import Comment, Question, Run
from connections.login import LONGEST_ADDRESS
from tests.server.rights import LOGIN, ROUTES, Place, furnish
from tests.server.test_rights import ALL_ROUTES, address
from tests.web import stories
from tests.web.stories import Cast

SEEN = "http://testserver/notices/?page=2"
OWN = {name: path for _, name, path in ALL_ROUTES
       if name in ROUTES and ROUTES[name].policy["anonymous"] == LOGIN and ":" not in name
       and name != "password_change"}  # fmt: skip


@pytest.fixture
def place(db: None) -> Place:
    return furnish()


@pytest.fixture
def run(people: Cast) -> Run:
    return stories.answered(people.olga, people.shop)


def following(answer: Any) -> str:
    """Where the login leads to."""
    where = urlsplit(answer.headers.get("HX-Redirect") or answer.headers["Location"])
    assert where.path == reverse("login")
    return parse_qs(where.query)["next"][0]


def after_the_login(answer: Any) -> str:
    given = {"username": "olga", "password": "olga's long password", "next": following(answer)}
    page = Client(REMOTE_ADDR="127.0.0.1").post(reverse("login"), given, follow=True)
    assert page.status_code == 200
    return unescape(page.content.decode())


def composer_of(page: str) -> str:
    found = re.search(r'<textarea id="q"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("field", ["question", "suggestion"])
def test_a_question_waits_for_the_login(people: Cast, client: Client, field: str) -> None:
    other = stories.Connection.objects.create(name="A first one", kind="sqlite", database="x.sqlite")
    stories.ConnectionGrant.objects.create(team=people.team, connection=other)
    given = {field: "Größer als 3 & 4?\nBy month", "connection": people.shop.pk}
    page = after_the_login(client.post(reverse("ask"), given))
    assert composer_of(page) == given[field]
    assert f'value="{people.shop.pk}" selected' in page
    assert not Question.objects.exists()


@pytest.mark.parametrize("seen", ["run", "thread", ""])
def test_a_follow_up_waits_for_the_login_on_the_page_where_it_was_typed(client: Client, run: Run, seen: str) -> None:
    thread = run.question.thread_id
    pages = {"run": f"{reverse('run', args=[run.pk])}?tab=table", "thread": reverse("thread", args=[thread])}
    headers = {"Referer": f"http://testserver{pages[seen]}"} if seen else {}
    answer = client.post(reverse("follow_up", args=[thread]), {"question": "And in Spain?"}, headers=headers)
    assert following(answer).startswith(pages[seen or "thread"])
    assert composer_of(after_the_login(answer)) == "And in Spain?"


def test_a_statement_waits_for_the_login(people: Cast, client: Client) -> None:
    given = {"sql": "SELECT 1 < 2", "connection": people.shop.pk}
    assert "SELECT 1 < 2</textarea>" in after_the_login(client.post(reverse("open_sql"), given))


@pytest.mark.parametrize("htmx", [True, False])
def test_a_comment_waits_for_the_login_at_its_question(people: Cast, client: Client, run: Run, htmx: bool) -> None:
    stories.finish(stories.follow(run, "And in Spain?"))
    headers = {"HX-Request": "true", "HX-Current-URL": SEEN} if htmx else {}
    answer = client.post(reverse("comment", args=[run.pk]), {"text": "Is this <net>?"}, headers=headers)
    assert answer.status_code == (200 if htmx else 302)
    areas = re.findall(r'<textarea class="input" id="comment-([^"]+)"[^>]*>(.*?)</textarea>', after_the_login(answer))
    assert len(areas) == 2
    assert dict(areas)[str(run.question_id)] == "Is this <net>?"
    assert sum(bool(text) for _, text in areas) == 1
    assert not Comment.objects.exists()


def test_a_question_too_long_for_an_address_is_not_lost_in_silence(people: Cast, client: Client) -> None:
    text = "ü" * (settings.QUESTION_CHARACTERS // 2)
    answer = client.post(reverse("ask"), {"question": text, "connection": people.shop.pk})
    assert len(answer.headers["Location"]) < LONGEST_ADDRESS
    assert following(answer) == "/"
    assert "too long to be kept" in client.get(answer.headers["Location"]).content.decode()


def test_whatever_is_sent_leads_back_to_a_page(place: Place, client: Client) -> None:
    back, wrong = Client(), []
    back.force_login(place.people["owner"], backend="django.contrib.auth.backends.ModelBackend")
    for name, path in OWN.items():
        shown = following(client.post(address(path, place)))
        if back.get(shown).status_code == 405:
            wrong.append((name, shown))
    assert not wrong


@pytest.mark.parametrize("method", ["get", "post"])
def test_htmx_puts_no_login_into_a_page(place: Place, client: Client, method: str) -> None:
    for name, path in OWN.items():
        if name == "comment":
            continue
        answer = getattr(client, method)(
            address(path, place), headers={"HX-Request": "true", "HX-Current-URL": SEEN}
        )
        assert (answer.status_code, "Location" in answer.headers) == (200, False), name
        assert following(answer) == "/notices/?page=2", name


@pytest.mark.parametrize("elsewhere", ["https://evil.example/x", "//evil.example", "javascript:x", "notices/", "http:"])
def test_the_login_leads_to_no_other_site(db: None, client: Client, elsewhere: str) -> None:
    for headers in ({"HX-Request": "true", "HX-Current-URL": elsewhere}, {"Referer": elsewhere}):
        assert following(client.post(reverse("theme"), headers=headers)) == "/"
