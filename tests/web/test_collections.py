"""Collections on the pages: saving an answer, running it with a value, setting its schedule."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Collection, Run, SavedQuestion, SavedRun, Status
from connections.models import Membership, Role, Team, User
from tests.web import stories
from tests.web.stories import Cast


def save(client: Client, people: Cast, **fields: str) -> SavedQuestion:
    run = stories.answered(people.olga, people.shop)
    given = {"place": f"team:{people.team.pk}", "name": "Reports", "title": "Sales by country", "parameter": "0",
             "name-0": "since", **fields}  # fmt: skip
    assert client.post(reverse("save", args=[run.pk]), given).status_code == 302
    return SavedQuestion.objects.get()


def test_an_answer_is_saved_seen_by_the_team_and_run_with_a_value(
    people: Cast, olga: Client, tom: Client, sara: Client
) -> None:
    saved = save(olga, people)
    address = reverse("collection", args=[saved.collection_id])
    page = tom.get(address).content.decode()
    assert ("Sales by country" in page, "<code>since</code>" in page) == (True, True)
    assert saved.run is not None
    assert tom.get(reverse("run", args=[saved.run.pk])).status_code == 200
    assert sara.get(address).status_code == 404
    assert 'name="value-since" value="2026-01-01"' in tom.get(reverse("saved", args=[saved.pk])).content.decode()
    place = tom.post(reverse("run_saved", args=[saved.pk]), {"value-since": "2025-07-01"}).headers["Location"]
    run = Run.objects.get(pk=place.rsplit("/", 1)[1])
    assert run.settings["program"][1]["args"]["predicate"] == "ordered_at >= '2025-07-01'"
    assert (run.strategy, run.question.asked_by, run.saved_run.with_own_values) == ("program", people.tom, True)


def test_a_viewer_reads_and_does_not_run(people: Cast, olga: Client, tom: Client) -> None:
    saved = save(olga, people)
    Membership.objects.filter(user=people.tom).update(role=Role.VIEWER)
    page = tom.get(reverse("saved", args=[saved.pk])).content.decode()
    assert "You may not ask Shop, so you cannot run it again" in page
    assert 'id="schedule-form"' not in page
    assert tom.post(reverse("run_saved", args=[saved.pk])).status_code == 404
    assert tom.post(reverse("collections"), {"team": people.team.pk, "name": "Mine"}).status_code == 422


def test_the_list_offers_a_rerun_to_those_who_may_ask_alone(people: Cast, olga: Client, tom: Client) -> None:
    saved = save(olga, people)
    address, rerun = reverse("collection", args=[saved.collection_id]), reverse("run_saved", args=[saved.pk])
    assert f'action="{rerun}"' in tom.get(address).content.decode()
    Membership.objects.filter(user=people.tom).update(role=Role.VIEWER)
    page = tom.get(address).content.decode()
    assert (saved.title in page, f'action="{rerun}"' in page) == (True, False)


def test_an_empty_list_says_whether_nothing_was_saved_or_found(people: Cast, olga: Client) -> None:
    saved = save(olga, people)
    address = reverse("collection", args=[saved.collection_id])
    for query, words in (("?q=kettles", "No question of this collection matches “kettles”."),
                         ("?show=verified", "No verified question of this collection.")):  # fmt: skip
        page = olga.get(address + query).content.decode()
        assert (words in page, "Nothing saved yet" in page) == (True, False)
    olga.post(reverse("delete_saved", args=[saved.pk]))
    assert "Nothing saved yet" in olga.get(address).content.decode()


def test_saving_says_what_is_wrong(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    address = reverse("save", args=[run.pk])
    for given, words in (({"place": "team:99", "title": "x"}, "Choose a collection"),
                         ({"place": f"team:{people.team.pk}", "title": "x"}, "a name"),
                         ({"place": "nonsense", "title": "x"}, "Choose a collection")):  # fmt: skip
        response = olga.post(address, given)
        assert (response.status_code, words in response.content.decode()) == (422, True)
    assert not SavedQuestion.objects.exists()
    failed = stories.finish(stories.ask(people.olga, people.shop), Status.FAILED)
    given = {"place": f"team:{people.team.pk}", "name": "Reports", "title": "x"}
    assert "Only an answer with steps" in olga.post(reverse("save", args=[failed.pk]), given).content.decode()


@pytest.mark.parametrize("wrong", [{"title": ""}, {"note": "x" * 301}, {"parameter": "0", "name-0": ""}])
def test_what_is_refused_leaves_no_empty_collection(people: Cast, olga: Client, wrong: dict[str, str]) -> None:
    run = stories.answered(people.olga, people.shop)
    given = {"place": f"team:{people.team.pk}", "name": "Weekly", "title": "Sales by country"}
    assert olga.post(reverse("save", args=[run.pk]), given | wrong).status_code == 422
    assert not Collection.objects.exists()
    assert olga.post(reverse("save", args=[run.pk]), given).status_code == 302
    assert Collection.objects.get().name == "Weekly"


def test_what_was_chosen_stays_when_it_is_refused(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    address = reverse("save", args=[run.pk])
    assert 'name="parameter" value="0">' in olga.get(address).content.decode()
    given = {"place": f"team:{people.team.pk}", "name": "Weekly", "title": "", "parameter": "0", "name-0": "since"}
    page = olga.post(address, given).content.decode()
    assert ('name="parameter" value="0" checked>' in page, 'name="name-0" value="since"' in page) == (True, True)
    teams = [Team.objects.create(name=name) for name in ("A first team", "Zebra")]
    for team in teams:
        Membership.objects.create(team=team, user=people.olga, role=Role.ANALYST)
    taken = {"team": teams[1].pk, "name": "Reports"}
    assert olga.post(reverse("collections"), taken).status_code == 302
    refused = olga.post(reverse("collections"), taken)
    assert (refused.status_code, "has a collection Reports already" in refused.content.decode()) == (422, True)
    assert f'<option value="{teams[1].pk}" selected>Zebra' in refused.content.decode()


def test_a_question_is_added_from_the_collection(people: Cast, olga: Client, tom: Client, sara: Client) -> None:
    saved = save(olga, people)
    address = reverse("add_question", args=[saved.collection_id])
    assert f'href="{address}"' in olga.get(reverse("collection", args=[saved.collection_id])).content.decode()
    other = stories.answered(people.olga, people.shop, "Median days from order to delivery")
    stories.answered(people.tom, people.shop, "What Tom asked")
    page = olga.get(address).content.decode()
    to_save = f"{reverse('save', args=[other.pk])}?place={saved.collection_id}"
    assert (to_save in page, page.count("In the collection"), "What Tom asked" in page) == (True, 1, False)
    found = olga.get(address, {"q": "median"}, headers={"HX-Request": "true"}).content.decode()
    assert (to_save in found, "In the collection" in found, "<html" in found) == (True, False, False)
    assert "No answer of yours matches “kettles”" in olga.get(address, {"q": "kettles"}).content.decode()
    chosen = f'<option value="collection:{saved.collection_id}" selected>'
    assert chosen in olga.get(to_save).content.decode()
    kept = olga.post(reverse("save", args=[other.pk]), {"place": f"collection:{saved.collection_id}", "title": ""})
    assert (kept.status_code, chosen in kept.content.decode()) == (422, True)
    Membership.objects.filter(user=people.tom).update(role=Role.VIEWER)
    assert (tom.get(address).status_code, sara.get(address).status_code) == (404, 404)
    assert address not in tom.get(reverse("collection", args=[saved.collection_id])).content.decode()


def test_a_schedule_is_set_and_shown(people: Cast, olga: Client, tom: Client) -> None:
    saved = save(olga, people)
    given = {"cadence": "weekly", "weekday": "4", "day": "1", "at": "16:00", "recipients": [str(people.tom.pk)],
             "only_when_changed": "on"}  # fmt: skip
    assert tom.post(reverse("schedule", args=[saved.pk]), given).status_code == 404
    assert olga.post(reverse("schedule", args=[saved.pk]), given).status_code == 302
    page = olga.get(reverse("collection", args=[saved.collection_id])).content.decode()
    assert "Fridays 16:00" in page
    assert "only when it changed" in page
    assert "Next:" in olga.get(reverse("saved", args=[saved.pk])).content.decode()
    assert olga.post(reverse("schedule", args=[saved.pk]), {**given, "at": "soon"}).status_code == 422


def test_a_schedule_that_is_refused_keeps_what_was_written(people: Cast, olga: Client) -> None:
    saved = save(olga, people)
    given = {"cadence": "weekly", "weekday": "4", "day": "9", "at": "soon", "recipients": [str(people.tom.pk)],
             "only_when_changed": "on"}  # fmt: skip
    refused = olga.post(reverse("schedule", args=[saved.pk]), given)
    page = refused.content.decode()
    assert (refused.status_code, "Choose a time such as 07:00" in page) == (422, True)
    for kept in ('value="weekly" selected', '<option value="4" selected>Friday', '<option value="9" selected>9',
                 'name="at" value="soon"', f'name="recipients" value="{people.tom.pk}" checked',
                 'name="only_when_changed" checked'):  # fmt: skip
        assert kept in page
    fresh = olga.get(reverse("saved", args=[saved.pk])).content.decode().split('id="schedule-form"')[1]
    for stored in ('value="" selected', 'name="at" value="07:00"'):
        assert stored in fresh
    assert " checked" not in fresh


def test_a_schedule_names_its_time_zone_and_keeps_it_when_another_adds_a_reader(
    people: Cast, olga: Client, mona: Client, tom: Client
) -> None:
    for name, zone in (("olga", "Europe/Berlin"), ("mona", "America/New_York")):
        User.objects.filter(username=name).update(time_zone=zone)
    saved = save(olga, people)
    given = {"cadence": "daily", "weekday": "0", "day": "1", "at": "07:00", "zone": "Europe/Berlin"}
    page = olga.get(reverse("saved", args=[saved.pk])).content.decode()
    assert '<option value="Europe/Berlin" selected>' in page
    olga.post(reverse("schedule", args=[saved.pk]), given)
    saved.refresh_from_db()
    due = saved.next_at
    assert "Daily 07:00 (Europe/Berlin)" in tom.get(reverse("saved", args=[saved.pk])).content.decode()
    form = mona.get(reverse("saved", args=[saved.pk])).content.decode().split('id="schedule-form"')[1]
    for shown in ('name="at" value="07:00"', '<option value="Europe/Berlin" selected>',
                  '<option value="America/New_York">', "now Olga Owner’s; when you set it, with yours",
                  "in your time zone (America/New_York)"):  # fmt: skip
        assert shown in form
    assert mona.post(reverse("schedule", args=[saved.pk]), {**given, "recipients": [people.tom.pk]}).status_code == 302
    saved.refresh_from_db()
    assert (saved.next_at, saved.owner) == (due, people.olga)
    assert mona.post(reverse("schedule", args=[saved.pk]), {**given, "zone": "Berlin"}).status_code == 422
    assert olga.post(reverse("schedule", args=[saved.pk]), {**given, "cadence": ""}).status_code == 302


def test_a_saved_question_is_removed_only_after_asking(people: Cast, olga: Client) -> None:
    saved = save(olga, people)
    page = olga.get(reverse("saved", args=[saved.pk])).content.decode()
    menu = page.split('<details class="menu">')[1].split("</details>")[0]
    assert f'action="{reverse("delete_saved", args=[saved.pk])}"' in menu
    assert page.count(reverse("delete_saved", args=[saved.pk])) == 1


def test_the_list_filters_and_draws_the_last_values(people: Cast, olga: Client) -> None:
    saved = save(olga, people)
    for number in (3.0, 5.0, 4.0):
        run = stories.answered(people.olga, people.shop)
        SavedRun.objects.create(saved=saved, run=run, number=number, value=f"{number:g}", settled=True)
    address = reverse("collection", args=[saved.collection_id])
    page = olga.get(address).content.decode()
    assert '<polyline points="0.0,22.0 42.0,2.0 84.0,12.0"/>' in page
    assert [name for name in ("?show=verified", "?show=scheduled", "?q=nothing") if "Sales by country<" in
            olga.get(address + name).content.decode()] == []  # fmt: skip
    assert "Sales by country<" in olga.get(f"{address}?q=sales").content.decode()


def test_who_made_it_deletes_it_and_the_runs_stay(people: Cast, olga: Client, tom: Client) -> None:
    saved = save(olga, people)
    assert tom.post(reverse("delete_collection", args=[saved.collection_id])).status_code == 404
    olga.post(reverse("delete_collection", args=[saved.collection_id]))
    assert (Collection.objects.exists(), Run.objects.count()) == (False, 1)
