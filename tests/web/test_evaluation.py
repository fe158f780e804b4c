"""The pages of evaluations: figures side by side, what changed, failures with their traces, and who sees them."""

from __future__ import annotations

import json
import re
import time

import pytest
from django.db import connection as own_database
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents import selectors
from agents.evaluation.statistics import compare
from agents.library import reviewing, search, search_index
from agents.models import Evaluation, EvaluationCase, EvaluationState, RegressionQuestion, Run, Status
from connections.models import AuditEntry, Membership, Role, Team, User
from tests.web.conftest import as_person
from tests.web.measured import measured, with_trace
from tests.web.stories import Cast


def page(client: Client, evaluation: Evaluation, **query: object) -> str:
    return client.get(reverse("evaluation", args=[evaluation.pk]), query).content.decode()


def figure(body: str, name: str) -> dict[str, list[dict[str, object]]]:
    found = re.search(rf'<script id="{name}-figure" type="application/json">(.*?)</script>', body, re.DOTALL)
    assert found is not None
    drawn: dict[str, list[dict[str, object]]] = json.loads(found[1])
    return drawn


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_systems_stand_side_by_side_with_what_is_more_than_chance(mona: Client, done: Evaluation) -> None:
    rows = re.findall(r"<tr>(.*?)</tr>", page(mona, done).split('id="systems"')[1].split("</table>")[0], re.DOTALL)[1:]
    first, second, third = (words(row) for row in rows)
    assert first.startswith("A react Baseline Scripted, on the frontier, 12 questions 66.7 %"), first
    assert "58.3 %" in second
    assert "lift Small, on the frontier" in third
    cases = EvaluationCase.objects.order_by("question__position")
    rights = [list(cases.filter(system=system).values_list("right", flat=True)) for system in done.systems.all()]
    expected = compare(rights[0], rights[1])
    assert f"{expected.b} lost, {expected.c} won" in second
    assert f"{expected.p_exact:.3f}" in second
    assert "\u2212" + f"{-expected.difference:.1f}" in second


def test_the_drawings_hold_every_system_and_the_frontier(mona: Client, done: Evaluation) -> None:
    body = page(mona, done)
    steps, best, dominated = figure(body, "pareto")["data"]
    assert (best["text"], dominated["text"]) == (["A", "B", "C"], [])
    assert figure(page(mona, done, plot="latency"), "pareto")["data"][1]["x"] != best["x"]
    assert [bars["name"] for bars in figure(body, "bars")["data"]] == ["A", "B", "C"]
    assert "simple" in str(figure(body, "bars")["data"][0]["x"])


def test_what_changed_is_told_between_any_two_and_against_the_evaluation_before(
    people: Cast, manager: User, mona: Client, done: Evaluation
) -> None:
    body = words(page(mona, done).split('id="changed"')[1].split("</section>")[0])
    assert body.startswith('> 3 worse 2 better 7 the same'), body
    assert "in week 4?" in body
    better = words(page(mona, done, way="better").split('id="changed"')[1].split("</section>")[0])
    assert "in week 5?" in better
    later = measured(manager, people.shop, name="A week later", systems=[("zero-shot", "Scripted")])
    zero_shot, = later.systems.all()
    EvaluationCase.objects.filter(system=zero_shot, question__position=0).update(right=True, tolerant=True)
    against = words(page(mona, later).split('id="changed"')[1].split("</section>")[0])
    assert "2 worse 4 better 6 the same" in against, against
    select = page(mona, later).split('id="ch-b"')[1].split("</select>")[0]
    chosen = re.search(r"selected>([^<]+)<", select)
    assert chosen is not None
    assert chosen[1] == "From Shop regression: zero-shot, Scripted"


def test_failures_are_listed_filtered_and_paged(people: Cast, manager: User, mona: Client) -> None:
    large = measured(manager, people.shop, questions=130)
    wrong = page(mona, large).split('id="case-list"')[1]
    count = EvaluationCase.objects.filter(system__evaluation=large, right=False).count()
    assert f"Page 1 of {-(-count // 50)}, {count} answers" in words(wrong)
    assert wrong.count("</tr>") == 51
    failed = page(mona, large, outcome="failed").split('id="case-list"')[1]
    assert "The 15 turns are used up." in failed
    assert "3 answers" in words(failed)
    system = large.systems.all()[1]
    simple = page(mona, large, outcome="all", system=system.pk, difficulty="simple").split('id="case-list"')[1]
    assert "44 answers" in words(simple)


def test_a_case_shows_both_tables_and_leads_to_its_trace(
    people: Cast, manager: User, mona: Client, done: Evaluation
) -> None:
    run = with_trace(done, manager)
    case = EvaluationCase.objects.get(run=run)
    body = mona.get(reverse("evaluation_case", args=[case.pk])).content.decode()
    assert "1 row only in the first, 0 rows only in the second, 7 in both" in words(body)
    assert reverse("trace", args=[run.pk]) in body
    assert body.count('<td class="num" dir="auto">970</td>') == 2
    assert reverse("trace", args=[run.pk]) in page(mona, done)


def test_managers_of_the_connection_see_the_evaluation_and_its_traces_and_nobody_else(
    people: Cast, manager: User, mona: Client, olga: Client, sara: Client, done: Evaluation
) -> None:
    run = with_trace(done, manager)
    other = User.objects.create_user("nina")
    Membership.objects.create(team=people.team, user=other, role=Role.MANAGER)
    rival = User.objects.create_user("rival")
    Membership.objects.create(team=Team.objects.create(name="Logistics"), user=rival, role=Role.MANAGER)
    for client, status in ((mona, 200), (as_person(other), 200), (olga, 404), (sara, 404), (as_person(rival), 404)):
        assert client.get(reverse("evaluation", args=[done.pk])).status_code == status
        assert client.get(reverse("trace", args=[run.pk])).status_code == status
    assert done.name not in as_person(rival).get(reverse("evaluations")).content.decode()


def test_what_evaluations_ask_is_on_no_list_of_questions(people: Cast, manager: User, done: Evaluation) -> None:
    run = with_trace(done, manager)
    Run.objects.filter(pk=run.pk).update(status=Status.FAILED)
    run.refresh_from_db()
    run.save()
    search_index.rebuild()
    assert not search.found(manager)
    assert not selectors.recent_threads(manager)
    assert reviewing.waiting(manager) == 0
    assert Run.objects.filter(pk=run.pk).exists()


def test_an_imported_evaluation_of_a_team_is_seen_by_its_managers(
    people: Cast, manager: User, mona: Client, olga: Client
) -> None:
    imported = measured(manager, people.shop, source="results", name="BIRD")
    Evaluation.objects.filter(pk=imported.pk).update(connection=None, team=people.team)
    assert "imported from results" in page(mona, imported)
    assert "Run again" not in page(mona, imported)
    assert olga.get(reverse("evaluation", args=[imported.pk])).status_code == 404


def test_the_report_is_the_one_of_the_command(mona: Client, done: Evaluation) -> None:
    answer = mona.get(reverse("evaluation_report", args=[done.pk]))
    body = answer.content.decode()
    assert answer.headers["Content-Type"].startswith("text/markdown")
    assert body.startswith("# Shop regression")
    assert "| react, Scripted | 12 | 66.7 |" in body
    assert "## More than chance?" in body
    assert AuditEntry.objects.get(action="evaluation report exported").object_id == str(done.pk)


def test_a_page_of_2000_questions_takes_as_many_queries_as_one_of_12(
    people: Cast, manager: User, mona: Client
) -> None:
    _, small, large = (measured(manager, people.shop, questions=size, name=str(size)) for size in (3, 12, 2000))
    counted = []
    for evaluation in (small, large):
        page(mona, evaluation)
        with CaptureQueriesContext(own_database) as queries:
            began = time.perf_counter()
            page(mona, evaluation)
            passed = time.perf_counter() - began
        counted.append(len(queries))
    assert counted[0] == counted[1]
    assert counted[0] <= 25
    assert passed < 2


def test_progress_is_said_aloud_by_tenths_and_its_button_stays(
    people: Cast, manager: User, mona: Client
) -> None:
    running = measured(manager, people.shop, state=EvaluationState.RUNNING, finished_at=None)
    EvaluationCase.objects.filter(system__evaluation=running, question__position__gt=2).update(state="waiting")
    body = page(mona, running)
    (said,) = re.findall(r"/progress\?said=(\d+)", body)
    shown = body.split('id="evaluation-progress"')[1].split('id="evaluation-results"')[0]
    assert shown.count('role="status"') == shown.count('id="evaluation-said" role="status"></p>') == 1
    address = reverse("evaluation_progress", args=[running.pk])
    second = mona.get(address, {"said": said}).content.decode()
    assert "9 of 36 answers" in words(second)
    assert "evaluation-said" not in second
    assert "<button" not in second
    EvaluationCase.objects.filter(system__evaluation=running, question__position=3).update(state="done")
    assert "33 % of the answers are there." in mona.get(address, {"said": said}).content.decode()


@pytest.mark.parametrize(
    ("query", "words_in_it"),
    [("before=999&after=abc&page=-4&plot=pie", "What changed"), ("page=99", "Page 1 of 1"),
     ("outcome=odd", "Not right")],
)  # fmt: skip
def test_an_odd_address_is_read_as_far_as_it_can_be(
    mona: Client, done: Evaluation, query: str, words_in_it: str
) -> None:
    answer = mona.get(f"{reverse('evaluation', args=[done.pk])}?{query}")
    assert answer.status_code == 200
    assert words_in_it in answer.content.decode()


def test_an_evaluation_without_answers_yet_has_a_page(people: Cast, manager: User, mona: Client) -> None:
    fresh = measured(manager, people.shop, state=EvaluationState.RUNNING, finished_at=None)
    EvaluationCase.objects.filter(system__evaluation=fresh).update(state="waiting")
    body = page(mona, fresh)
    assert "0 of 36 answers" in words(body)
    assert "No answer is there yet." in body
    assert "No price is known yet" in page(mona, fresh, plot="cost")
    assert 'hx-trigger="load delay:1s"' in body


def test_the_rail_and_the_pages_of_reviews_and_connections_lead_to_evaluations(
    people: Cast, mona: Client, olga: Client
) -> None:
    started = reverse("start_evaluation")
    assert started in mona.get(reverse("review")).content.decode()
    address = reverse("schema", args=[people.shop.pk])
    assert f"{started}?connection={people.shop.pk}" in mona.get(address).content.decode()
    assert started not in olga.get(address).content.decode()
    assert reverse("evaluations") in mona.get("/").content.decode()
    assert reverse("evaluations") not in olga.get("/").content.decode()


def test_an_evaluation_is_started_from_the_form_and_its_page_followed_stopped_and_continued(
    people: Cast, manager: User, mona: Client
) -> None:
    RegressionQuestion.objects.create(connection=people.shop, text="How many orders?", gold_sql="SELECT 1")
    form = mona.get(reverse("start_evaluation"), {"connection": people.shop.pk}).content.decode()
    assert f'value="{people.shop.pk}" selected>Shop: 1 question with a known answer' in form
    given = {"connection": people.shop.pk, "strategy": ["react", "lift"], "model": ["site"], "name": "Before"}
    answer = mona.post(reverse("start_evaluation"), given)
    evaluation = Evaluation.objects.get()
    assert answer.headers["Location"] == reverse("evaluation", args=[evaluation.pk])
    assert [system.strategy for system in evaluation.systems.all()] == ["react", "lift"]
    following = mona.get(reverse("evaluation_progress", args=[evaluation.pk])).content.decode()
    assert "0 of 2 answers" in words(following)
    mona.post(reverse("stop_evaluation", args=[evaluation.pk]))
    body = page(mona, evaluation)
    assert "Stopped at 0 of 2 answers." in words(body)
    mona.post(reverse("continue_evaluation", args=[evaluation.pk]))
    evaluation.refresh_from_db()
    assert evaluation.is_running


@pytest.mark.parametrize(
    ("given", "words_in_it"),
    [({}, "Choose at least one strategy and one model."), ({"connection": "77"}, "not yours to evaluate"),
     ({"strategy": "guess"}, "guess is not one of the available choices"),
     ({"strategy": "react", "model": "site"}, "Verify answers first")],
)  # fmt: skip
def test_a_form_that_cannot_be_started_says_why(
    people: Cast, mona: Client, given: dict[str, str], words_in_it: str
) -> None:
    answer = mona.post(reverse("start_evaluation"), {"connection": people.shop.pk, **given})
    assert answer.status_code == 422
    assert words_in_it in answer.content.decode()


def test_managers_of_another_team_start_stop_and_continue_nothing(
    people: Cast, sara: Client, olga: Client, done: Evaluation
) -> None:
    for name in ("stop_evaluation", "continue_evaluation"):
        for client in (sara, olga):
            assert client.post(reverse(name, args=[done.pk])).status_code == 404
