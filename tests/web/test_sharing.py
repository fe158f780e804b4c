"""Who sees a shared answer, for how long, and what they cannot do with it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents import permissions
from agents.library import sharing
from agents.models import Run, Share
from connections.models import Membership, Role, Team, User
from tests.web import stories
from tests.web.conftest import as_person
from tests.web.stories import Cast
from tests.web.test_pages import of_run

RULE = "Who may see the result is decided by the share; who may run it again is decided by the connection."
# What tells of the whole database, not only of the result.
OF_THE_CATALOGUE = {"trace_json", "prompt"}


def share_by(client: Client, run: Run, **fields: Any) -> str:
    return client.post(reverse("share", args=[run.pk]), {"days": "30", **fields}).content.decode()


def link_in(page: str) -> str:
    found = re.search(r"http://testserver(/link/[\w-]+)", page)
    assert found
    return found[1]


def opens(client: Client, run: Run) -> dict[str, int]:
    """The run's addresses but that of the whole thread, which stays with its owner."""
    return {name: client.get(address).status_code for name, address in of_run(run).items() if name != "thread"}


def test_with_a_person(people: Cast, olga: Client, tom: Client, sara: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    assert "Shared" in share_by(olga, run, audience="tom teammate")
    assert set(opens(tom, run).values()) == {200}
    assert tom.get(reverse("thread", args=[run.question.thread_id])).status_code == 404
    assert set(opens(sara, run).values()) == {404}


def test_with_a_team_until_one_leaves_it(people: Cast, olga: Client, tom: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    share_by(olga, run, audience="Retail analytics")
    assert tom.get(reverse("run", args=[run.pk])).status_code == 200
    Membership.objects.filter(user=people.tom).delete()
    assert set(opens(tom, run).values()) == {404}


def test_by_a_link_a_stranger_sees_the_result_and_not_the_database(people: Cast, olga: Client, sara: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    link = link_in(share_by(olga, run, link="on"))
    assert opens(sara, run)["run"] == 404
    assert sara.get(link).headers["Location"] == reverse("run", args=[run.pk])
    assert opens(sara, run) == {name: 404 if name in OF_THE_CATALOGUE else 200 for name in opens(sara, run)}
    reply = sara.get(f"{reverse('trace', args=[run.pk])}?at=model-1").content.decode()
    assert "Raw reply" not in reply


def test_a_visitor_must_log_in_to_open_a_link(people: Cast, olga: Client, client: Client) -> None:
    link = link_in(share_by(olga, stories.answered(people.olga, people.shop), link="on"))
    assert client.get(link).headers["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_a_revoked_or_expired_link_is_not_there_at_once(people: Cast, olga: Client, sara: Client, end: str) -> None:
    run = stories.answered(people.olga, people.shop)
    link = link_in(share_by(olga, run, link="on"))
    sara.get(link)
    assert set(opens(sara, run).values()) == {200, 404}
    share = Share.objects.get()
    if end == "revoked":
        olga.post(reverse("revoke_share", args=[share.pk]))
    else:
        Share.objects.update(expires_at=timezone.now() - timedelta(milliseconds=1))
    assert sara.get(link).status_code == 404
    assert set(opens(sara, run).values()) == {404}


def test_the_replay_says_what_it_is_and_what_cannot_be_done(people: Cast, olga: Client, sara: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    sara.get(link_in(share_by(olga, run, link="on")))
    page = sara.get(reverse("run", args=[run.pk])).content.decode()
    assert RULE in page
    assert "You see exactly what Olga Owner saw on" in page
    assert "You have no access to the connection Shop, so you cannot rerun it or ask a follow-up" in page
    assert 'id="composer"' not in page
    assert "Ask it yourself" not in page
    assert RULE in olga.get(reverse("share", args=[run.pk])).content.decode()


@pytest.mark.parametrize("address", ["ask_again", "stop", "share"])
def test_a_viewer_by_link_can_do_nothing_to_the_run(people: Cast, olga: Client, sara: Client, address: str) -> None:
    run = stories.answered(people.olga, people.shop)
    sara.get(link_in(share_by(olga, run, link="on")))
    assert sara.post(reverse(address, args=[run.pk]), {"link": "on"}).status_code == 404
    follow_up = reverse("follow_up", args=[run.question.thread_id])
    assert sara.post(follow_up, {"question": "And now?"}).status_code == 404
    rows = sara.get(reverse("step_rows", args=[run.pk, 1])).content.decode()
    assert "may not ask Shop" in rows
    assert Run.objects.count() == 1


def test_a_team_mate_who_may_ask_is_told_how(people: Cast, olga: Client, tom: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    share_by(olga, run, audience="Retail analytics")
    assert "Ask it yourself" in tom.get(reverse("run", args=[run.pk])).content.decode()
    Membership.objects.filter(user=people.tom).update(role=Role.VIEWER)
    assert "You are a viewer of Shop" in tom.get(reverse("run", args=[run.pk])).content.decode()


def test_only_this_run_is_shared_not_what_the_asker_did_later(people: Cast, olga: Client, tom: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    share_by(olga, run, audience="tom")
    later = stories.follow(run, "A private follow-up")
    stories.finish(later, answer="Secret.")
    assert tom.get(reverse("run", args=[later.pk])).status_code == 404
    assert "private follow-up" not in tom.get(reverse("run", args=[run.pk])).content.decode()


@pytest.mark.parametrize(
    ("audience", "words"),
    [("", "Name a person or a team"), ("sara", "Nobody in your teams is called sara"),
     ("Finance", "no team of yours"), ("tom, nobody at all", "called nobody at all"), ("Al Same", "Several people")],
)  # fmt: skip
def test_names_that_cannot_be_shared_with_are_told(people: Cast, olga: Client, audience: str, words: str) -> None:
    Team.objects.create(name="Finance")
    for name in ("al", "al2"):
        twin = User.objects.create_user(name, first_name="Al", last_name="Same")
        Membership.objects.create(team=people.team, user=twin)
    assert words in share_by(olga, stories.answered(people.olga, people.shop), audience=audience)
    assert not Share.objects.exists()


def test_every_name_that_the_dialogue_offers_can_be_shared_with(people: Cast, olga: Client) -> None:
    for name in ("Sales, EMEA", "Sales", "EMEA", " Odd,  name,"):
        Membership.objects.create(team=Team.objects.create(name=name), user=people.olga)
    for username, first, last in (("kim", "", ""), ("k.lee", "Kim", ""), ("Mina", "", ""), ("m.ode", "Mina", ""),
                                  ("anna", "Berg, Anna", ""), ("berg", "Berg", ""), ("al", "Al", "Same"),
                                  ("al2", "Al", "Same"), ("group", "EMEA", "")):  # fmt: skip
        mate = User.objects.create_user(username, first_name=first, last_name=last)
        Membership.objects.create(team=people.team, user=mate)
    mates, groups_of_olga = permissions.people_to_share_with(people.olga), permissions.teams_to_share_with(people.olga)
    offered = sharing.offered_names(mates, groups_of_olga)
    everybody = {"Sales, EMEA", "Sales", "EMEA", " Odd,  name,", "Retail analytics", "kim", "k.lee", "Mina", "m.ode",
                 "Berg, Anna", "Berg", "al", "al2", "group", "Tom Teammate"}  # fmt: skip
    page = olga.get(reverse("share", args=[stories.answered(people.olga, people.shop).pk])).content.decode()
    assert {name for name, _ in offered} == everybody
    assert all(f'<option value="{name}">' in page for name in everybody)
    for name, about in offered:
        found, groups = sharing.named(people.olga, name)
        assert [*(one.get_username() for one in found), *("Team" for _ in groups)] == [about], name
        assert [one.name for one in groups] == ([name] if about == "Team" else [])
    found, groups = sharing.named(people.olga, "kim, Berg, Anna ,Sales,EMEA, sales , tom,")
    assert [one.get_username() for one in found] == ["kim", "anna", "tom"]
    assert [one.name for one in groups] == ["Sales, EMEA", "Sales"]


def test_the_dialogue_counts_who_cannot_run_it_again(people: Cast, olga: Client) -> None:
    Membership.objects.filter(user=people.tom).update(role=Role.VIEWER)
    page = share_by(olga, stories.answered(people.olga, people.shop), audience="Retail analytics", days="7")
    assert "2 people, 1 without access to Shop" in page
    until = Share.objects.get().expires_at
    assert until is not None
    assert timedelta(days=6) < until - timezone.now() < timedelta(days=7)


def test_the_thread_says_with_whom_it_is_shared(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    address = reverse("run", args=[run.pk])
    assert "Private to you" in olga.get(address).content.decode()
    sharing.share(user=people.olga, run=run, people=[people.tom], teams=[people.team])
    assert "Shared with Tom Teammate, Retail analytics" in olga.get(address).content.decode()


def test_nobody_shares_or_revokes_for_somebody_else(people: Cast, olga: Client, tom: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    share_by(olga, run, audience="tom")
    assert tom.get(reverse("share", args=[run.pk])).status_code == 404
    assert tom.post(reverse("revoke_share", args=[Share.objects.get().pk])).status_code == 404
    assert as_person(people.sara).post(reverse("revoke_share", args=[Share.objects.get().pk])).status_code == 404
    assert Share.live.count() == 1
