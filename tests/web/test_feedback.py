"""Verdicts, verification, the review list and the regression set: who may, who sees, what follows."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from agents.evaluation.records import read_records
from agents.models import Feedback, Notice, Reason, RegressionQuestion, Run, Share, Status, StoredResult, Verification
from connections.models import AuditEntry, Connection, Membership, Role, Team, User
from tests.web import stories
from tests.web.conftest import as_person
from tests.web.measured import measured, with_trace
from tests.web.stories import Cast


@pytest.fixture
def mona(people: Cast) -> Client:
    """The manager of Retail analytics."""
    user = User.objects.create_user("mona", first_name="Mona", last_name="Manager")
    Membership.objects.create(team=people.team, user=user, role=Role.MANAGER)
    return as_person(user)


@pytest.fixture
def rival(people: Cast) -> Client:
    """The manager of another team, which has another connection."""
    user = User.objects.create_user("rival")
    team = Team.objects.create(name="Logistics")
    Membership.objects.create(team=team, user=user, role=Role.MANAGER)
    team.connections.add(Connection.objects.create(name="Depot", kind="sqlite", database="depot.sqlite"))
    return as_person(user)


def judge(client: Client, run: Run, **given: str) -> int:
    return client.post(reverse("judge", args=[run.pk]), given).status_code


def sees(client: Client, run: Run) -> bool:
    return client.get(reverse("run", args=[run.pk])).status_code == 200


def test_a_verdict_is_given_changed_and_taken_back(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    judge(olga, run, verdict="bad", reason="wrong_number", text="Counts web orders, too")
    assert list(Feedback.objects.values_list("good", "reason", "text")) == [
        (False, "wrong_number", "Counts web orders, too")
    ]
    page = olga.get(reverse("run", args=[run.pk])).content.decode()
    assert 'aria-pressed="true" aria-label="Bad answer"' in page
    judge(olga, run, verdict="good", reason="wrong_number")
    assert list(Feedback.objects.values_list("good", "reason")) == [(True, "")]
    judge(olga, run, verdict="")
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [({"verdict": "bad", "reason": "made_up"}, "no reason &#x27;made_up&#x27;"),
     ({"verdict": "splendid"}, "cannot be read"), ({"verdict": "bad", "text": "x" * 3000}, "3,000 characters")],
)  # fmt: skip
def test_a_verdict_that_cannot_be_kept_is_refused_in_words(
    people: Cast, olga: Client, given: dict[str, str], words: str
) -> None:
    run = stories.answered(people.olga, people.shop)
    page = olga.post(reverse("judge", args=[run.pk]), given, headers={"HX-Request": "true"}).content.decode()
    assert words in page
    assert not Feedback.objects.exists()


def test_managers_see_what_failed_or_was_judged_and_nothing_else(
    people: Cast, olga: Client, tom: Client, mona: Client, rival: Client
) -> None:
    plain, judged = (stories.answered(people.olga, people.shop, text) for text in ("Plain?", "Judged?"))
    failed = stories.finish(stories.ask(people.olga, people.shop, "Failed?"), Status.FAILED, error="Used up.")
    judge(olga, judged, verdict="good")
    runs = (plain, judged, failed)
    assert [sees(mona, run) for run in runs] == [False, True, True]
    for client in (tom, rival):
        assert [sees(client, run) for run in runs] == [False, False, False]
    assert "You review this as a manager of Shop" in mona.get(reverse("run", args=[failed.pk])).content.decode()
    page = mona.get(reverse("review")).content.decode()
    assert ("Judged?" in page, "Failed?" in page, "Plain?" in page) == (True, True, False)


@pytest.mark.parametrize("address", ["review", "review_export"])
def test_the_review_list_is_for_managers(people: Cast, olga: Client, tom: Client, address: str) -> None:
    assert [client.get(reverse(address)).status_code for client in (olga, tom)] == [404, 404]


def test_a_manager_of_elsewhere_can_do_nothing_to_a_run(people: Cast, olga: Client, rival: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    judge(olga, run, verdict="bad")
    assert rival.post(reverse("verify", args=[run.pk])).status_code == 404
    rival.post(reverse("review"), {"action": "done", "run": [str(run.pk)]})
    rival.post(reverse("review"), {"action": f"add:{run.pk}"})
    assert not Verification.objects.exists()
    assert not RegressionQuestion.objects.exists()
    assert not hasattr(Run.objects.get(pk=run.pk), "review")


def test_only_managers_verify_and_only_answers(people: Cast, olga: Client, tom: Client, mona: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    failed = stories.finish(stories.ask(people.olga, people.shop), Status.FAILED)
    verify = reverse("verify", args=[run.pk])
    assert [client.post(verify).status_code for client in (olga, tom, mona)] == [404, 404, 404]
    judge(olga, run, verdict="good")
    assert mona.post(reverse("verify", args=[failed.pk])).status_code == 404
    assert mona.post(verify, {"regression": "on"}).status_code == 302
    assert Verification.objects.get().by_name == "Mona Manager"


def test_a_verified_answer_is_badged_suggested_first_open_and_measured(
    people: Cast, olga: Client, tom: Client, sara: Client, mona: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.DATABASES_DIR = tmp_path
    (tmp_path / "shop.sqlite").touch()
    run = stories.answered(people.olga, people.shop, "Sales by country, net of returns?")
    judge(olga, run, verdict="good")
    mona.post(reverse("verify", args=[run.pk]), {"regression": "on", "note": "Matches finance"})
    assert "Verified by Mona Manager" in olga.get(reverse("run", args=[run.pk])).content.decode()
    home = tom.get(reverse("home")).content.decode()
    first = home[home.index('class="suggest"') :].split("</li>")[0]
    assert "Sales by country, net of returns?" in first
    assert "Verified by Mona Manager" in first
    assert (sees(tom, run), sees(sara, run)) == (True, False)
    out = tmp_path / "set.jsonl"
    call_command("regression_set", "Shop", "--out", str(out), stdout=StringIO())
    assert [(one.question, one.gold_sql) for one in read_records(out)] == [(run.question.text, (stories.SQL,))]
    assert out.stat().st_mode & 0o77 == 0
    assert AuditEntry.objects.filter(action="verified", actor_name="mona").exists()
    assert Notice.objects.filter(user=people.olga, kind="verified").exists()
    mona.post(reverse("verify", args=[run.pk]), {"withdraw": "on"})
    assert (sees(tom, run), RegressionQuestion.objects.exists()) == (False, False)
    assert AuditEntry.objects.filter(action="verification withdrawn").exists()


def test_a_manager_adds_any_run_that_they_see_from_its_trace_and_is_told(
    people: Cast, olga: Client, tom: Client, mona: Client
) -> None:
    manager = User.objects.get(username="mona")
    own, shared = stories.answered(manager, people.shop, "Mine?"), stories.answered(people.olga, people.shop, "Hers?")
    private = stories.answered(people.olga, people.shop, "Private?")
    Share.objects.create(run=shared, person=manager)
    for run in (own, shared):
        address = reverse("add_to_regression_set", args=[run.pk])
        assert f'action="{address}"' in mona.get(reverse("trace", args=[run.pk])).content.decode()
        page = mona.post(address, follow=True).content.decode()
        assert "in the regression set of Shop, where it waits for a verified answer" in page
        assert (f'action="{address}"' in page, "In the regression set" in page) == (False, True)
        assert (olga.post(address).status_code, tom.post(address).status_code) == (404, 404)
    assert mona.post(reverse("add_to_regression_set", args=[private.pk])).status_code == 404
    assert set(RegressionQuestion.objects.values_list("text", flat=True)) == {"Mine?", "Hers?"}


def test_what_an_evaluation_asked_is_not_added_to_the_set_that_it_comes_from(people: Cast, mona: Client) -> None:
    run = with_trace(measured(people.olga, people.shop, questions=2), people.olga)
    page = mona.get(reverse("trace", args=[run.pk]))
    assert (page.status_code, "regression set" in page.content.decode()) == (200, False)
    assert mona.post(reverse("add_to_regression_set", args=[run.pk])).status_code == 404
    assert not RegressionQuestion.objects.exists()


def test_the_regression_set_says_what_it_lacks(people: Cast, mona: Client, tmp_path: Path) -> None:
    failed = stories.finish(stories.ask(people.olga, people.shop, "Hard one?"), Status.FAILED)
    mona.post(reverse("review"), {"action": f"add:{failed.pk}"})
    said = StringIO()
    call_command("regression_set", "Shop", "--out", str(tmp_path / "set.jsonl"), stdout=said)
    assert "0 questions written" in said.getvalue()
    assert "1 more wait for a verified answer" in said.getvalue()
    with pytest.raises(CommandError, match="there are: Shop"):
        call_command("regression_set", "Nowhere", "--out", str(tmp_path / "x"))


@pytest.fixture
def odd_runs(people: Cast, olga: Client) -> dict[str, Run]:
    """One run of each kind that is reviewed; Priya's failed, the others are Olga's."""
    priya = User.objects.create_user("priya", first_name="Priya", last_name="Nair")
    Membership.objects.create(team=people.team, user=priya, role=Role.ANALYST)
    bad, good = (stories.answered(people.olga, people.shop, text) for text in ("Bad one?", "Good one?"))
    failed = stories.finish(stories.ask(priya, people.shop, "Failed one?"), Status.FAILED, model_name="Slow",
                            error_type="BudgetExhaustedError", error="Used up.")  # fmt: skip
    empty = stories.finish(stories.ask(people.olga, people.shop, "Empty one?"), answer="None.", answer_result=1)
    stories.keep_result(empty, rows=())
    judge(olga, bad, verdict="bad", reason="should_ask", text="Best was never defined")
    judge(olga, good, verdict="good")
    return {"Bad": bad, "Good": good, "Failed": failed, "Empty": empty}


def listed(client: Client, query: str = "") -> list[str]:
    page = client.get(f"{reverse('review')}?{query}").content.decode()
    return [name for name in ("Bad", "Good", "Failed", "Empty") if f"{name} one?</a>" in page]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Bad", "Good", "Failed", "Empty"]),
        ("done=on", []),
        ("kind=bad", ["Bad"]),
        ("kind=good", ["Good"]),
        ("kind=failed", ["Failed"]),
        ("kind=no_rows", ["Empty"]),
        ("reason=should_ask", ["Bad"]),
        ("reason=BudgetExhaustedError", ["Failed"]),
        ("person={priya}", ["Failed"]),
        ("person={olga}", ["Bad", "Good", "Empty"]),
        ("connection={shop}", ["Bad", "Good", "Failed", "Empty"]),
        ("connection=99", []),
        ("model=Slow", ["Failed"]),
        ("model=Nobody", []),
        ("q=never+defined", ["Bad"]),
        ("q=empty", ["Empty"]),
        ("q=empty&kind=failed", []),
    ],
)
def test_the_list_is_filtered(
    people: Cast, odd_runs: dict[str, Run], mona: Client, query: str, names: list[str]
) -> None:
    ids = {"olga": people.olga.pk, "shop": people.shop.pk, "priya": odd_runs["Failed"].question.asked_by_id}
    assert listed(mona, query.format(**ids)) == names


def test_every_filter_of_the_list_stands_on_the_page(odd_runs: dict[str, Run], mona: Client) -> None:
    page = mona.get(reverse("review")).content.decode()
    for name in ("q", "done", "kind", "reason", "person", "connection", "model"):
        assert f' name="{name}"' in page
    for words in ("Answered with 0 rows", "Priya Nair", "Slow", "Should have asked back (1)", "Budget exhausted (1)",
                  "1 time in 30 days", "0 rows</span>"):  # fmt: skip
        assert words in page


def test_an_answer_after_a_step_without_rows_is_not_one_of_0_rows(people: Cast, mona: Client) -> None:
    run = stories.answered(people.olga, people.shop, "Empty one?")
    StoredResult.objects.filter(run=run).update(number=2, row_count=0)
    assert listed(mona) == []


def test_the_list_is_worked_through_and_opened_again_by_a_new_verdict(
    odd_runs: dict[str, Run], olga: Client, mona: Client
) -> None:
    bad, failed = odd_runs["Bad"], odd_runs["Failed"]
    mona.post(reverse("review"), {"action": "done", "run": [str(bad.pk), str(failed.pk), "nonsense"]})
    assert (listed(mona), listed(mona, "done=on")) == (["Good", "Empty"], ["Bad", "Failed"])
    judge(olga, bad, verdict="bad", reason=Reason.OTHER)
    assert listed(mona) == ["Bad", "Good", "Empty"]
    mona.post(reverse("review"), {"action": f"open:{failed.pk}"})
    assert listed(mona) == ["Bad", "Good", "Failed", "Empty"]


def test_the_list_is_exported_without_formulas(people: Cast, olga: Client, mona: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    judge(olga, run, verdict="bad", reason="other", text="=1+1")
    lines = mona.get(reverse("review_export")).content.decode()
    assert "Something else" in lines
    assert ",'=1+1," in lines
    assert AuditEntry.objects.get(action="review list exported").detail == {"runs": 1}
