"""Asking, from the form to the queued run, with everything that people get wrong."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from agents.models import LanguageModel, Question, Run, Share, Status
from connections.models import Connection, ConnectionGrant
from tests.web import stories
from tests.web.conftest import as_person
from tests.web.stories import Cast


def test_a_question_is_queued_and_leads_to_its_run(people: Cast, olga: Client) -> None:
    response = olga.post(reverse("ask"), {"question": "How many orders?", "connection": people.shop.pk})
    run = Run.objects.get()
    assert (response.status_code, response.headers["Location"]) == (302, reverse("run", args=[run.pk]))
    assert (run.status, run.question.text) == (Status.QUEUED, "How many orders?")


def test_a_suggestion_is_asked_as_it_is_written(people: Cast, olga: Client) -> None:
    olga.post(reverse("ask"), {"question": "", "suggestion": "Which customers?", "connection": people.shop.pk})
    assert Question.objects.get().text == "Which customers?"


@pytest.mark.parametrize(
    ("question", "words"),
    [("", "Write a question first"), ("   \n", "Write a question first"), ("a" * 20_000, "20,000 characters")],
)
def test_what_cannot_be_asked_is_said_and_kept(people: Cast, olga: Client, question: str, words: str) -> None:
    response = olga.post(reverse("ask"), {"question": question, "connection": people.shop.pk})
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not Run.objects.exists()


def test_a_long_question_within_the_limit_is_shown_whole(people: Cast, olga: Client) -> None:
    text = "word " * (settings.QUESTION_CHARACTERS // 5 - 1) + "end"
    olga.post(reverse("ask"), {"question": text, "connection": people.shop.pk})
    page = olga.get(reverse("run", args=[Run.objects.get().pk])).content.decode()
    assert text in page


def test_a_stranger_cannot_ask_the_connection(people: Cast, sara: Client) -> None:
    response = sara.post(reverse("ask"), {"question": "How many?", "connection": people.shop.pk})
    assert response.status_code == 422
    assert not Run.objects.exists()


def test_a_viewer_cannot_ask(people: Cast) -> None:
    people.tom.memberships.update(role="viewer")
    response = as_person(people.tom).post(reverse("ask"), {"question": "How many?", "connection": people.shop.pk})
    assert response.status_code == 422
    assert not Run.objects.exists()


def test_a_follow_up_stays_in_the_thread(people: Cast, olga: Client) -> None:
    first = stories.answered(people.olga, people.shop)
    olga.post(reverse("follow_up", args=[first.question.thread_id]), {"question": "Only for Germany"})
    questions = first.question.thread.questions.all()
    assert [question.text for question in questions] == [first.question.text, "Only for Germany"]


def test_nobody_follows_up_in_anothers_thread(people: Cast, tom: Client) -> None:
    first = stories.answered(people.olga, people.shop)
    assert tom.post(reverse("follow_up", args=[first.question.thread_id]), {"question": "Mine"}).status_code == 404


def test_asking_again_makes_another_attempt(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop)
    stories.finish(run, Status.FAILED, error_type="ModelUnavailableError", error="Nobody answers.")
    assert olga.post(reverse("ask_again", args=[run.pk])).status_code == 302
    fresh = run.question.runs.exclude(pk=run.pk).get()
    page = olga.get(reverse("run", args=[fresh.pk])).content.decode()
    assert "attempt 2" in page
    assert reverse("run", args=[run.pk]) in page


def test_stop_asks_the_worker_to_stop(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop)
    assert olga.post(reverse("stop", args=[run.pk])).status_code == 302
    run.refresh_from_db()
    assert run.status == Status.CANCELLED


def test_a_clarifying_option_goes_on_in_the_thread_and_is_ticked(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop, "Who are our best customers?")
    stories.finish(run, Status.CLARIFY, answer="What makes them best?", options=["Sales", "Margin"])
    olga.post(reverse("follow_up", args=[run.question.thread_id]), {"suggestion": "Margin"})
    page = olga.get(reverse("thread", args=[run.question.thread_id])).content.decode()
    assert page.count("disabled") >= 2
    assert "#i-tick" in page


def test_the_form_is_safe_against_other_sites(people: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.olga, backend="django.contrib.auth.backends.ModelBackend")
    response = client.post(reverse("ask"), {"question": "How many?", "connection": people.shop.pk})
    assert response.status_code == 403
    assert "Load the page again" in response.content.decode() or "too old" in response.content.decode()


@pytest.fixture
def small(db: None) -> LanguageModel:
    """Beside the default one."""
    LanguageModel.objects.create(name="Large", model="openai/large", is_default=True)
    return LanguageModel.objects.create(name="Small", model="openai/small")


@pytest.fixture
def stock(people: Cast) -> Connection:
    """A second connection, behind the first one in the list."""
    found = Connection.objects.create(name="Stock", kind="sqlite", database="stock.sqlite")
    ConnectionGrant.objects.create(team=people.team, connection=found)
    return found


def chosen(page: str, name: str, form: str = "composer") -> str:
    """The value that a form of the page would send of its list `name`."""
    fields = page.split(f'id="{form}"' if form == "composer" else f'action="{form}"')[1].split("</form>")[0]
    options = fields.split(f'name="{name}"')[1].split("</select>")[0]
    found = re.search(r'value="([^"]*)" selected', options) or re.search(r'value="([^"]*)"', options)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("text", ["", "a" * 20_000])
def test_an_error_keeps_the_chosen_connection_model_and_text(
    olga: Client, small: LanguageModel, stock: Connection, text: str
) -> None:
    given = {"question": text, "connection": stock.pk, "model": small.pk}
    page = olga.post(reverse("ask"), given).content.decode()
    assert (chosen(page, "connection"), chosen(page, "model")) == (str(stock.pk), str(small.pk))
    assert f">{text}</textarea>" in page


def test_a_model_that_is_gone_keeps_the_chosen_connection(
    olga: Client, small: LanguageModel, stock: Connection
) -> None:
    LanguageModel.objects.filter(pk=small.pk).update(is_active=False)
    given = {"question": "How many?", "connection": stock.pk, "model": small.pk}
    response = olga.post(reverse("ask"), given)
    assert response.status_code == 422
    assert chosen(response.content.decode(), "connection") == str(stock.pk)
    assert ">How many?</textarea>" in response.content.decode()


def test_the_start_page_keeps_the_model_of_its_address(olga: Client, small: LanguageModel, stock: Connection) -> None:
    LanguageModel.objects.filter(pk=small.pk).update(size="small")
    page = olga.get("/", {"connection": stock.pk, "model": small.pk, "q": "How many?"}).content.decode()
    assert (chosen(page, "connection"), chosen(page, "model")) == (str(stock.pk), str(small.pk))
    assert "Small answers. It is a small model" in page
    default = LanguageModel.objects.get(is_default=True)
    assert chosen(olga.get("/", {"model": "777"}).content.decode(), "model") == str(default.pk)


def test_an_error_in_a_thread_keeps_the_chosen_model(people: Cast, olga: Client, small: LanguageModel) -> None:
    first = stories.answered(people.olga, people.shop)
    Run.objects.update(language_model=LanguageModel.objects.get(is_default=True))
    address = reverse("follow_up", args=[first.question.thread_id])
    page = olga.post(address, {"question": "", "model": small.pk}).content.decode()
    assert chosen(page, "model") == str(small.pk)


def test_a_thread_goes_on_with_its_model(people: Cast, olga: Client, small: LanguageModel) -> None:
    run = stories.ask(people.olga, people.shop, "Who are our best customers?")
    stories.finish(run, Status.CLARIFY, answer="What makes them best?", options=["Sales"], language_model=small)
    thread = run.question.thread
    olga.post(reverse("follow_up", args=[thread.pk]), {"suggestion": "Sales"})
    assert Run.objects.latest("created_at").language_model == small
    without = Run.objects.create(question=thread.questions.last(), strategy="program")
    stories.finish(without, answer="Four.")
    page = olga.get(reverse("thread", args=[thread.pk])).content.decode()
    assert chosen(page, "model") == str(small.pk)


def test_another_attempt_is_offered_as_the_one_that_is_shown(people: Cast, olga: Client, small: LanguageModel) -> None:
    run = stories.answered(people.olga, people.shop)
    Run.objects.update(language_model=small, strategy="lift")
    page = olga.get(reverse("run", args=[run.pk])).content.decode()
    form = reverse("ask_again", args=[run.pk])
    assert (chosen(page, "strategy", form), chosen(page, "model", form)) == ("lift", str(small.pk))


def test_another_attempt_without_a_choice_is_made_as_the_one_that_failed(
    people: Cast, olga: Client, small: LanguageModel
) -> None:
    run = stories.ask(people.olga, people.shop)
    stories.finish(run, Status.FAILED, error_type="ModelUnavailableError", language_model=small, strategy="lift")
    olga.post(reverse("ask_again", args=[run.pk]))
    fresh = run.question.runs.exclude(pk=run.pk).get()
    assert (fresh.strategy, fresh.language_model) == ("lift", small)


def test_an_attempt_that_cannot_be_made_keeps_what_was_chosen(
    people: Cast, olga: Client, small: LanguageModel, settings: Settings
) -> None:
    settings.QUESTIONS_PER_MINUTE = 1
    run = stories.answered(people.olga, people.shop)
    form = reverse("ask_again", args=[run.pk])
    response = olga.post(form, {"strategy": "reforce", "model": small.pk})
    page = response.content.decode()
    assert response.status_code == 422
    assert (chosen(page, "strategy", form), chosen(page, "model", form)) == ("reforce", str(small.pk))


@pytest.mark.parametrize("given", [{"model": "777"}, {"strategy": "guess"}])
def test_another_attempt_is_not_made_in_another_way_than_chosen(
    people: Cast, olga: Client, given: dict[str, str]
) -> None:
    run = stories.answered(people.olga, people.shop)
    response = olga.post(reverse("ask_again", args=[run.pk]), given)
    assert response.status_code == 422
    assert "Select a valid choice" in response.content.decode()
    assert Run.objects.get() == run


@pytest.mark.parametrize("given", [{}, {"model": "777"}])
def test_a_reader_of_an_answer_is_shown_nothing_around_it(people: Cast, tom: Client, given: dict[str, str]) -> None:
    run = stories.answered(people.olga, people.shop)
    Share.objects.create(run=run, person=people.tom)
    assert tom.get(reverse("run", args=[run.pk])).status_code == 200
    assert tom.post(reverse("ask_again", args=[run.pk]), given).status_code == 404
    assert Run.objects.get() == run


HOSTILE = '<script>alert("1")</script> \u202e\' OR 1=1 -- </textarea>{{ 7|add:7 }} &amp; <img src=x onerror=1>'


def test_hostile_text_is_shown_as_text_everywhere(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop, HOSTILE)
    columns = [
        {"name": HOSTILE, "type": HOSTILE, "semantic": "text"},
        {"name": "n", "type": "INT", "semantic": "integer"},
    ]
    program = [stories.call("table_ref", HOSTILE, table=HOSTILE), stories.call("execute", rel=HOSTILE)]
    stories.save(run, [*stories.beginning(run), *stories.right_turn(1)])
    stories.keep_result(run, [[HOSTILE, 1], [HOSTILE, 2]], columns)
    stories.finish(run, answer=HOSTILE, answer_result=1, sql=HOSTILE, program=program, model_name=HOSTILE)
    addresses = [
        f"{reverse('run', args=[run.pk])}?tab={tab}&step=1" for tab in ("answer", "table", "chart", "steps", "sql")
    ]
    for address in [*addresses, reverse("history"), reverse("home"), reverse("trace", args=[run.pk])]:
        page = olga.get(address).content.decode()
        assert "<script>alert" not in page, address
        assert "<img src=x" not in page, address
        assert "{{ 7|add:7 }}" in page or "script" not in page, address
