"""Steps changed, runs repeated and SQL opened as steps: everything without a model, and only by those who may ask."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from agents.library import sharing
from agents.models import Run, Status
from connections.models import QueryLogEntry
from connections.pool import close_shared_pools
from tests.web import stories
from tests.web.stories import PROGRAM, Cast


@pytest.fixture
def run(people: Cast, settings: Settings, tmp_path: Path) -> Iterator[Run]:
    settings.DATABASES_DIR = tmp_path
    sqlite3.connect(tmp_path / "shop.sqlite").close()
    yield stories.answered(people.olga, people.shop)
    close_shared_pools()  # the next test's connection has the same number, and another file


FILTER = {"rel": "orders", "predicate": "ordered_at >= '2025-01-01'"}


def test_the_step_is_shown_as_a_form(run: Run, olga: Client) -> None:
    page = olga.get(reverse("run", args=[run.pk]) + "?tab=steps&step=2").content.decode()
    assert 'name="predicate" value="ordered_at &gt;= &#x27;2026-01-01&#x27;"' in page
    assert '<datalist id="step-names"><option value="id"></option></datalist>' in page
    assert "Rerun from here" in page


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (FILTER, ""),
        ({**FILTER, "predicate": "ordered >= 1"}, "ordered"),
        ({**FILTER, "predicate": "ordered_at >= ("}, "predicate"),
        ({**FILTER, "predicate": "(SELECT 1)"}, "sub-quer"),
        ({**FILTER, "rel": "nothing"}, "no relation"),
        ({**FILTER, "predicate": "x" * 60_000}, "x"),
    ],
)
def test_a_step_is_checked_as_one_writes(run: Run, olga: Client, written: dict[str, str], words: str) -> None:
    said = olga.post(reverse("check_step", args=[run.pk, 2]), written)
    assert said.status_code == 200
    assert (words in said.content.decode()) if words else said.content.strip() == b""
    assert not QueryLogEntry.objects.exists()


def test_a_change_that_breaks_a_later_step_names_that_step(run: Run, olga: Client) -> None:
    grouped = {"rel": "joined", "group_by": "country", "aggs-0-fn": "count", "aggs-0-column": "*", "aggs-0-as": "n"}
    said = olga.post(reverse("check_step", args=[run.pk, 5]), grouped).content.decode()
    assert "Step 6 no longer fits" in said
    assert "sales" in said


def test_a_changed_step_is_run_as_another_attempt(run: Run, olga: Client) -> None:
    response = olga.post(reverse("run_step", args=[run.pk, 2]), FILTER)
    fresh = run.question.runs.exclude(pk=run.pk).get()
    assert response.headers["Location"] == reverse("run", args=[fresh.pk])
    assert (fresh.status, fresh.strategy, fresh.language_model) == (Status.QUEUED, "program", None)
    assert fresh.settings["program"] == [PROGRAM[0], {**PROGRAM[1], "args": FILTER}, *PROGRAM[2:]]
    assert "step 2 changed" in olga.get(reverse("run", args=[fresh.pk])).content.decode()


def test_a_changed_program_is_saved_as_a_new_question(run: Run, olga: Client) -> None:
    words = {"keep": "new", "question": "Sales since 2025?"}
    olga.post(reverse("run_step", args=[run.pk, 2]), FILTER | words)
    fresh = Run.objects.exclude(pk=run.pk).get()
    assert (fresh.question.text, fresh.question.thread.title) == ("Sales since 2025?", "Sales since 2025?")
    assert fresh.question.thread_id != run.question.thread_id


def test_what_does_not_fit_is_not_run_and_what_was_written_stays(run: Run, olga: Client) -> None:
    response = olga.post(reverse("run_step", args=[run.pk, 2]), {**FILTER, "predicate": "nowhere = '<b>'"})
    page = response.content.decode()
    assert response.status_code == 422
    assert 'value="nowhere = &#x27;&lt;b&gt;&#x27;"' in page
    assert "nowhere" in page.split('role="status"')[1]
    assert Run.objects.count() == 1


def test_a_rerun_repeats_the_same_program(run: Run, olga: Client) -> None:
    olga.post(reverse("rerun", args=[run.pk]))
    fresh = run.question.runs.exclude(pk=run.pk).get()
    assert fresh.settings == {"program": PROGRAM, "rerun_of": str(run.pk)}


def test_who_sees_it_and_may_ask_reruns_it_as_a_question_of_their_own(
    run: Run, people: Cast, olga: Client, tom: Client
) -> None:
    sharing.share(user=people.olga, run=run, people=[people.tom])
    address = reverse("rerun", args=[run.pk])
    pages = (reverse("run", args=[run.pk]), reverse("trace", args=[run.pk]))
    assert all(f'action="{address}"' in tom.get(page).content.decode() for page in pages)
    place = tom.post(address).headers["Location"]
    fresh = Run.objects.exclude(pk=run.pk).get()
    assert place == reverse("run", args=[fresh.pk])
    assert (fresh.question.text, fresh.question.asked_by) == (run.question.text, people.tom)
    assert (fresh.question.thread.owner, fresh.question.thread.connection) == (people.tom, people.shop)
    assert fresh.settings == {"program": PROGRAM, "rerun_of": str(run.pk)}
    assert (tom.get(place).status_code, olga.get(place).status_code) == (200, 404)
    people.tom.memberships.update(role="viewer")
    assert not any(f'action="{address}"' in tom.get(page).content.decode() for page in pages)
    assert tom.post(address).status_code == 404


def test_a_rerun_that_is_refused_shows_a_colleague_nothing_of_the_thread(
    run: Run, people: Cast, tom: Client, settings: Settings
) -> None:
    sharing.share(user=people.olga, run=run, people=[people.tom])
    stories.finish(stories.follow(run, "A private follow-up"), answer="Secret.")
    settings.QUESTIONS_PER_MINUTE = 0
    refused = tom.post(reverse("rerun", args=[run.pk]))
    page = refused.content.decode()
    assert (refused.status_code, "which is the limit" in page, "Read-only." in page) == (422, True, True)
    assert "private follow-up" not in page


def test_a_run_without_steps_cannot_be_repeated(people: Cast, olga: Client) -> None:
    run = stories.finish(stories.ask(people.olga, people.shop), Status.FAILED, error="It broke.")
    response = olga.post(reverse("rerun", args=[run.pk]))
    assert response.status_code == 422
    assert "no steps" in response.content.decode()


@pytest.mark.parametrize("name", ["rerun", "check_step", "run_step"])
def test_others_and_those_who_lost_the_right_find_nothing(
    run: Run, people: Cast, name: str, olga: Client, tom: Client, sara: Client
) -> None:
    address = reverse(name, args=[run.pk] if name == "rerun" else [run.pk, 2])
    assert [client.post(address, FILTER).status_code for client in (tom, sara)] == [404, 404]
    people.olga.memberships.update(role="viewer")
    assert olga.post(address, FILTER).status_code == 404
    assert Run.objects.count() == 1


@pytest.mark.parametrize("number", [0, 7, 8, 99])
def test_only_steps_with_arguments_can_be_changed(run: Run, olga: Client, number: int) -> None:
    assert olga.post(reverse("run_step", args=[run.pk, number]), FILTER).status_code == 404


JOIN = "FROM orders o JOIN customers c ON c.id = o.customer_id"
SQL = f"SELECT c.country, SUM(o.total) AS sales\n{JOIN}\nGROUP BY c.country"


def test_sql_is_opened_as_steps_and_run(run: Run, people: Cast, olga: Client) -> None:
    given = {"connection": people.shop.pk, "sql": SQL}
    page = olga.post(reverse("open_sql"), given).content.decode()
    assert page.count('<li class="step"') == 5
    assert '<svg class="dag"' in page
    olga.post(reverse("open_sql"), {**given, "run": "yes", "question": "Sales by country"})
    fresh = Run.objects.exclude(pk=run.pk).get()
    assert (fresh.question.text, fresh.settings["sql"]) == ("Sales by country", SQL)
    assert [call["op"] for call in fresh.settings["program"]][-1] == "execute"


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("", ["Invalid argument.", "Paste one SELECT"]),
        ("DROP TABLE orders", ["Statement not allowed."]),
        ("SELECT nothing\nFROM orders", ["Unknown column.", "nothing"]),
        ("SELECT * FROM nowhere", ["nowhere"]),
        ("SELECT id FROM orders WHERE", ["Expression syntax.", "<mark>"]),
        ("SELECT id,\n  random() OVER () FROM orders", ["id=\"sql-problem\""]),
        ("WITH RECURSIVE n AS (\n  SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 9) SELECT x FROM n",
         ["Cannot lift.", "recursive", "line 1, column", "<mark>"]),
    ],
)  # fmt: skip
def test_what_cannot_be_opened_is_named_with_its_place(
    run: Run, people: Cast, olga: Client, sql: str, words: list[str]
) -> None:
    response = olga.post(reverse("open_sql"), {"connection": people.shop.pk, "sql": sql, "run": "yes"})
    page = response.content.decode()
    assert response.status_code == 422
    assert [word for word in words if word.lower() not in page.lower()] == []
    assert "Error." not in page, "the names of our classes are no words for people"
    assert Run.objects.count() == 1


def test_a_stranger_opens_no_sql(run: Run, people: Cast, sara: Client) -> None:
    response = sara.post(reverse("open_sql"), {"connection": people.shop.pk, "sql": SQL, "run": "yes"})
    assert Run.objects.count() == 1
    assert "GROUP BY" not in response.content.decode() or response.status_code == 422
