"""Comments on a question, mentions, and being told on the page and by mail."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from agents import tasks
from agents.library import notices, sharing
from agents.models import Comment, Notice, Run, Share
from connections.models import Membership, Role, User
from tests.web import stories
from tests.web.conftest import as_person
from tests.web.stories import Cast


@pytest.fixture
def run(people: Cast) -> Run:
    shared = stories.answered(people.olga, people.shop)
    sharing.share(user=people.olga, run=shared, people=[people.tom])
    Notice.objects.all().delete()
    return shared


def say(client: Client, run: Run, text: str) -> str:
    response = client.post(reverse("comment", args=[run.pk]), {"text": text}, headers={"HX-Request": "true"})
    return response.content.decode()


def told(user: User) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def test_a_comment_tells_the_asker_and_a_mention_tells_whoever_is_meant(
    people: Cast, olga: Client, tom: Client, run: Run
) -> None:
    assert "Is this net of returns?" in say(tom, run, "Is this net of returns?")
    assert told(people.olga) == ["comment"]
    say(olga, run, "Yes, @tom. Mail me at olga@tom if not.")
    assert told(people.tom) == ["mention"]
    say(tom, run, "Thanks, @OLGA!")
    assert told(people.olga) == ["comment", "mention"]
    page = tom.get(reverse("run", args=[run.pk])).content.decode()
    assert "3 comments" in page


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "Write something"), ("@sara look", "Nobody in your teams has the user name sara"),
     ("x" * 5000, "5,000 characters"), ("@nobody.at.all", "nobody.at.all")],
)  # fmt: skip
def test_what_cannot_be_said_is_refused_and_kept(
    people: Cast, olga: Client, run: Run, text: str, words: str
) -> None:
    page = say(olga, run, text)
    assert words in page
    assert text in page
    assert not Comment.objects.exists()


def test_who_does_not_see_the_answer_is_not_mentioned_behind_their_back(people: Cast, olga: Client) -> None:
    private = stories.answered(people.olga, people.shop)
    assert "Tom Teammate does not see this answer" in say(olga, private, "@tom, is that right?")
    assert told(people.tom) == []


def test_nobody_comments_on_what_they_do_not_see(people: Cast, sara: Client, run: Run) -> None:
    assert sara.post(reverse("comment", args=[run.pk]), {"text": "Hello"}).status_code == 404


def test_a_comment_is_deleted_by_its_author_or_the_asker(
    people: Cast, olga: Client, tom: Client, sara: Client, run: Run
) -> None:
    for text in ("First", "Second"):
        say(tom, run, text)
    say(olga, run, "Olga's")
    first, second, olgas = (reverse("delete_comment", args=[one.pk]) for one in Comment.objects.order_by("pk"))
    assert (sara.post(first).status_code, tom.post(olgas).status_code) == (404, 404)
    assert (tom.post(first).status_code, olga.post(second).status_code) == (302, 302)
    assert [one.text for one in Comment.objects.all()] == ["Olga's"]


def test_words_are_shown_as_words(people: Cast, olga: Client, run: Run) -> None:
    page = say(olga, run, "<script>alert(1)</script>\nand a second line")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>and" in page


def test_notices_are_ones_own_and_lead_to_the_answer(people: Cast, olga: Client, tom: Client, run: Run) -> None:
    say(olga, run, "Look, @tom")
    notice = Notice.objects.get()
    assert '1<span class="vh"> unread' in tom.get(reverse("home")).content.decode()
    assert "Olga Owner</strong> mentioned you" in tom.get(reverse("notices")).content.decode()
    assert olga.get(reverse("notice", args=[notice.pk])).status_code == 404
    place = tom.get(reverse("notice", args=[notice.pk])).headers["Location"]
    assert place == f"{reverse('run', args=[run.pk])}#comments-{run.question_id}"
    assert notices.unread(people.tom) == 0


def test_older_notices_are_counted(people: Cast, olga: Client, tom: Client, run: Run, monkeypatch: Any) -> None:
    monkeypatch.setattr(notices, "KEPT_ON_PAGE", 2)
    for text in ("First, @tom", "Second, @tom"):
        say(olga, run, text)
    assert "The newest" not in tom.get(reverse("notices")).content.decode()
    say(olga, run, "Third, @tom")
    page = tom.get(reverse("notices")).content.decode()
    assert ("The newest 2 of 3 are shown." in page, "First, @tom" in page) == (True, False)


def test_all_notices_are_read_at_once(people: Cast, olga: Client, tom: Client, run: Run) -> None:
    for _ in range(3):
        say(olga, run, "@tom")
    assert notices.unread(people.tom) == 3
    tom.post(reverse("notices"))
    assert notices.unread(people.tom) == 0


@pytest.mark.parametrize(("url", "address", "mailed"), [
    ("", "tom@example.com", 0), ("smtp://localhost", "", 0), ("smtp://localhost", "tom@example.com", 1),
])  # fmt: skip
def test_a_mail_goes_out_where_mail_is_set_up_and_the_person_has_an_address(
    people: Cast, olga: Client, run: Run, settings: Settings, monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any, url: str, address: str, mailed: int,
) -> None:  # fmt: skip
    settings.EMAIL_URL = url
    people.tom.email = address
    people.tom.save()
    monkeypatch.setattr(tasks, "enqueue_mail", notices.send)
    with django_capture_on_commit_callbacks(execute=True):
        say(olga, run, "Look, @tom: the tents.")
    assert len(mail.outbox) == mailed
    for sent in mail.outbox:
        assert sent.to == ["tom@example.com"]
        assert sent.subject == "Olga Owner mentioned you"
        assert "the tents" in sent.body
        assert f"{settings.SITE_URL}{reverse('run', args=[run.pk])}" in sent.body


def test_what_was_read_on_the_page_is_not_mailed(people: Cast, olga: Client, run: Run) -> None:
    people.tom.email = "tom@example.com"
    people.tom.save()
    say(olga, run, "@tom")
    notices.read(user=people.tom)
    notices.send(Notice.objects.get().pk)
    assert mail.outbox == []


def test_whoever_cannot_run_it_asks_the_managers_for_access(people: Cast, sara: Client, run: Run) -> None:
    sharing_link = sharing.make_link(user=people.olga, run=run)
    sara.get(reverse("open_link", args=[sharing_link]))
    people.team.memberships.filter(user=people.tom).update(role="manager")
    page = sara.post(reverse("ask_for_access", args=[run.pk]), follow=True).content.decode()
    assert "managers of its teams were told" in page
    assert told(people.tom) == ["access"]


def test_access_is_asked_for_once_a_person_thread_and_day(
    people: Cast, olga: Client, tom: Client, sara: Client, run: Run
) -> None:
    mona = User.objects.create_user("mona")
    Membership.objects.create(team=people.team, user=mona, role=Role.MANAGER)
    Membership.objects.filter(user=people.tom).update(role=Role.VIEWER)
    beside = stories.finish(stories.follow(run, "And in Spain?"))
    for one in (run, beside):
        Share.objects.create(run=one, person=people.sara)
    for one in (run, run, beside):
        page = sara.post(reverse("ask_for_access", args=[one.pk]), follow=True).content.decode()
    assert "You asked for access already" in page
    assert told(mona) == ["access"]
    tom.post(reverse("ask_for_access", args=[run.pk]))
    assert told(mona) == ["access", "access"], "another person asks for themselves"
    Notice.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert "were told" in sara.post(reverse("ask_for_access", args=[run.pk]), follow=True).content.decode()
    assert told(mona) == ["access", "access", "access"]


@pytest.mark.parametrize("htmx", [True, False])
def test_a_comment_on_an_answer_that_was_closed_since_is_deleted_and_that_is_said(
    people: Cast, tom: Client, run: Run, htmx: bool
) -> None:
    say(tom, run, "Is this net?")
    Share.objects.update(revoked_at=timezone.now())
    headers = {"HX-Request": "true"} if htmx else {}
    gone = tom.post(reverse("delete_comment", args=[Comment.objects.get().pk]), headers=headers)
    place = gone.headers["HX-Redirect" if htmx else "Location"]
    assert (gone.status_code, place) == (200 if htmx else 302, reverse("home"))
    assert not Comment.objects.exists()
    assert "not open to you any more" in tom.get(place).content.decode()


def test_a_comment_is_deleted_beside_another_answer_that_is_still_open(people: Cast, tom: Client, run: Run) -> None:
    say(tom, run, "Is this net?")
    Share.objects.update(revoked_at=timezone.now())
    later = stories.finish(Run.objects.create(question=run.question, strategy="react"))
    Share.objects.create(run=later, person=people.tom)
    gone = tom.post(reverse("delete_comment", args=[Comment.objects.get().pk]), headers={"HX-Request": "true"})
    assert (gone.status_code, f'action="{reverse("comment", args=[later.pk])}"' in gone.content.decode()) == (200, True)


def test_readers_of_one_run_see_what_was_said_about_it_and_not_about_a_later_one(
    people: Cast, olga: Client, tom: Client, sara: Client, run: Run
) -> None:
    later = stories.finish(Run.objects.create(question=run.question, strategy="react"))
    for about, text in ((run, "Fine so far."), (later, "Now it is 42.")):
        say(olga, about, text)

    def seen(client: Client) -> tuple[bool, bool]:
        page = client.get(reverse("run", args=[run.pk])).content.decode()
        return "Fine so far." in page, "Now it is 42." in page

    assert (seen(olga), seen(tom), seen(sara)) == ((True, True), (True, False), (False, False))
    sharing.share(user=people.olga, run=later, teams=[people.team])
    assert seen(tom) == (True, True)


def test_who_asks_for_access_gives_no_question_away(
    people: Cast, sara: Client, run: Run, mailoutbox: list[Any], settings: Settings
) -> None:
    settings.EMAIL_URL = "smtp://localhost"
    mona = User.objects.create_user("mona", email="mona@example.com")
    Membership.objects.create(team=people.team, user=mona, role=Role.MANAGER)
    Share.objects.create(run=run, person=people.sara)
    sara.post(reverse("ask_for_access", args=[run.pk]))
    notice = Notice.objects.get(user=mona)
    notices.send(notice.pk)
    manager = as_person(mona)
    page = manager.get(reverse("notices")).content.decode()
    for words in (page, mailoutbox[-1].body):
        assert "To ask Shop." in words
        assert run.question.text not in words
    assert manager.get(reverse("notice", args=[notice.pk]), follow=True).status_code == 200


def test_a_notice_tells_nothing_of_an_answer_that_was_closed_since(
    people: Cast, tom: Client, run: Run, mailoutbox: list[Any], settings: Settings
) -> None:
    settings.EMAIL_URL = "smtp://localhost"
    User.objects.filter(pk=people.tom.pk).update(email="tom@example.com")
    Notice.objects.create(user=people.tom, actor=people.olga, kind="mention", run=run, text="@tom it is 42")
    assert "it is 42" in tom.get(reverse("notices")).content.decode()
    Share.objects.update(revoked_at=timezone.now())
    page = tom.get(reverse("notices")).content.decode()
    assert ("not open to you any more" in page, "it is 42" in page, run.question.text in page) == (True, False, False)
    notices.send(Notice.objects.get().pk)
    assert mailoutbox == []
