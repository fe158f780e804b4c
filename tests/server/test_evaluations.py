"""Evaluations at work: asked of every system, scored, stopped and continued, under caps; also by real workers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from agents import runner, services, spending, tasks
from agents.library import evaluated, evaluating
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import (
    Cap,
    CaseState,
    Evaluation,
    EvaluationCase,
    EvaluationState,
    LanguageModel,
    RegressionQuestion,
    Run,
    Status,
    Thread,
    UsageEntry,
)
from connections.models import AuditEntry, Membership, QueryLogEntry, Role, User
from tests.server.conftest import Cast, make_cast
from tests.server.five_turns import SHOP

REPLY = "```sql\nSELECT count(*) FROM orders\n```"
RIGHT, WRONG, BROKEN = "SELECT count(*) FROM orders", "SELECT count(*) FROM customers", "SELECT nope FROM orders"


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("enqueue_run", "enqueue_evaluation"):
        monkeypatch.setattr(tasks, name, lambda key: None)


@pytest.fixture
def people(own_url: str, settings: Any) -> Cast:
    """Ben manages the team of the shop; there are two questions that the model gets right, one wrong, one broken."""
    settings.DATABASES_DIR.mkdir()
    with sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    cast = make_cast()
    Membership.objects.filter(user=cast.ben).update(role=Role.MANAGER)
    for place, gold in enumerate((RIGHT, WRONG, RIGHT, BROKEN, "")):
        RegressionQuestion.objects.create(connection=cast.shop, text=f"Question {place}?", gold_sql=gold)
    return cast


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer([], after=REPLY) as scripted:
        yield scripted


@pytest.fixture
def model(people: Cast, server: ScriptedServer) -> LanguageModel:
    return stored_model(server, "scripted", is_default=True)


def stored_model(server: ScriptedServer, name: str, **fields: Any) -> LanguageModel:
    model = LanguageModel(name=name, model="openai/scripted", api_base=server.api_base, **fields)
    services.save_language_model(actor=None, language_model=model, key="x")
    return model


def begun(people: Cast, *models: LanguageModel) -> Evaluation:
    choices = [evaluating.Choice("zero-shot", one) for one in models]
    return evaluating.start(user=people.ben, connection=people.shop, choices=choices)


def worked(evaluation: Evaluation, most: int = 100) -> int:
    """Do what workers do, with at most `most` runs; returns how many there were."""
    number = 0
    while number < most:
        evaluating.advance(evaluation.pk)
        queued = list(Run.objects.filter(status=Status.QUEUED).order_by("created_at")[: most - number])
        for run in queued:
            runner.run_one(run.pk)
        number += len(queued)
        if not queued:
            break
    evaluation.refresh_from_db()
    return number


def cases(evaluation: Evaluation, **found: Any) -> list[EvaluationCase]:
    return list(EvaluationCase.objects.filter(system__evaluation=evaluation, **found))


def test_every_question_is_asked_of_every_system_and_scored(
    people: Cast, model: LanguageModel, server: ScriptedServer
) -> None:
    second = stored_model(server, "other")
    evaluation = begun(people, model, second)
    assert worked(evaluation) == 8
    assert (evaluation.state, evaluation.error) == (EvaluationState.DONE, "")
    assert evaluation.finished_at is not None
    assert [case.right for case in cases(evaluation)] == [True, True, False, False, True, True, False, False]
    assert {case.status for case in cases(evaluation)} == {"answered"}
    broken = cases(evaluation)[-1]
    assert (broken.error_type, broken.error.split(":")[0]) == ("GoldError", "The gold query could not be run")
    wrong = cases(evaluation)[2]
    assert (wrong.predicted["rows"], wrong.question.gold["rows"]) == ([[4]], [[3]])
    assert wrong.run.question.thread.evaluation == evaluation
    assert {side.system.model_name for side in evaluated.sides_of(evaluated.results_of(evaluation))} == {
        "scripted", "other"
    }  # fmt: skip
    assert QueryLogEntry.objects.filter(purpose="gold", user=people.ben).count() == 8
    assert AuditEntry.objects.get(action="evaluation started").detail["questions"] == 4


def test_as_many_drafts_vote_as_was_chosen(people: Cast, model: LanguageModel) -> None:
    choices = [evaluating.Choice("lift", model), evaluating.Choice("lift", model, 3)]
    evaluation = evaluating.start(user=people.ben, connection=people.shop, choices=choices)
    worked(evaluation)
    assert [str(system) for system in evaluation.systems.all()] == ["lift, scripted", "lift with a vote of 3, scripted"]
    alone, voting = cases(evaluation)[:2]
    assert (alone.status, voting.status) == ("answered", "answered")
    assert branches(alone) == {""}
    assert {"candidate-1", "candidate-2"} <= branches(voting)


def branches(case: EvaluationCase) -> set[str]:
    assert case.run is not None
    return {reply.data.get("branch", "") for reply in case.run.events.filter(kind="model_reply")}


def test_a_few_are_at_work_at_a_time_and_all_are_paid_for(people: Cast, model: LanguageModel) -> None:
    evaluation = begun(people, model, model)
    evaluating.advance(evaluation.pk)
    evaluating.advance(evaluation.pk)
    assert Run.objects.filter(status=Status.QUEUED).count() == evaluating.AT_A_TIME
    worked(evaluation)
    spending.settle()
    assert UsageEntry.objects.filter(user=people.ben).exclude(closed_at=None).count() == 8
    assert evaluated.progress(evaluation) == evaluated.Progress(8, 8, 0.0)


def test_a_stopped_one_goes_on_with_what_is_not_there(people: Cast, model: LanguageModel, server: Any) -> None:
    evaluation = begun(people, model)
    worked(evaluation, most=1)
    evaluating.stop(user=people.ben, evaluation=evaluation)
    evaluating.advance(evaluation.pk)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.STOPPED
    assert [case.state for case in cases(evaluation)] == [CaseState.DONE, *[CaseState.WAITING] * 3]
    assert not Run.objects.filter(status__in=(Status.QUEUED, Status.CANCELLED)).exists()
    assert Thread.objects.count() == 1, "what was stopped is gone"
    worked(evaluation)
    assert len(server.requests) == 1
    evaluating.go_on(user=people.ben, evaluation=evaluation)
    evaluating.go_on(user=people.ben, evaluation=evaluation)
    assert worked(evaluation) == 3
    assert (evaluation.state, len(server.requests)) == (EvaluationState.DONE, 4)
    written = AuditEntry.objects.filter(action__startswith="evaluation").order_by("pk")
    assert [entry.action.split()[1] for entry in written] == ["started", "stopped", "continued"]


def test_a_run_that_is_stopped_alone_counts_as_no_answer(people: Cast, model: LanguageModel) -> None:
    evaluation = begun(people, model)
    evaluating.advance(evaluation.pk)
    first = cases(evaluation)[0].run
    assert first is not None
    services.cancel_run(user=people.ben, run=first)
    worked(evaluation)
    assert evaluation.state == EvaluationState.DONE
    assert [case.status for case in cases(evaluation)] == ["cancelled", "answered", "answered", "answered"]


def test_a_cap_that_is_used_up_stops_it_with_the_reason(people: Cast, model: LanguageModel) -> None:
    cap = Cap.objects.create(scope="each", amount=2, measure="questions", period="day")
    evaluation = begun(people, model)
    worked(evaluation)
    assert evaluation.state == EvaluationState.STOPPED
    assert "Your cap of 2 questions a day is used up" in evaluation.error
    assert len(cases(evaluation, state=CaseState.DONE)) == 2
    Cap.objects.filter(pk=cap.pk).update(amount=10)
    evaluating.go_on(user=people.ben, evaluation=evaluation)
    worked(evaluation)
    assert (evaluation.state, evaluation.error) == (EvaluationState.DONE, "")


def test_a_run_that_a_cap_ended_says_nothing_of_the_system(people: Cast, model: LanguageModel) -> None:
    evaluation = begun(people, model)
    evaluating.advance(evaluation.pk)
    first = cases(evaluation)[0].run
    assert first is not None
    Run.objects.filter(pk=first.pk).update(
        status=Status.FAILED, error_type="CapReachedError", error="Your cap is used up."
    )
    evaluating.advance(evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.error) == (EvaluationState.STOPPED, "Your cap is used up.")
    evaluating.go_on(user=people.ben, evaluation=evaluation)
    worked(evaluation)
    assert [case.status for case in cases(evaluation)] == ["answered"] * 4


def test_what_others_reserve_makes_it_wait_and_not_stop(people: Cast, model: LanguageModel, settings: Any) -> None:
    settings.RUN_MAX_COST = 5.0
    Cap.objects.create(scope="instance", amount=5)
    asked = services.ask(user=people.ada, connection=people.shop, text="How many?", strategy="zero-shot")
    evaluation = begun(people, model)
    evaluating.advance(evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, cases(evaluation, state=CaseState.WORKING)) == (EvaluationState.RUNNING, [])
    runner.run_one(asked.pk)
    assert worked(evaluation) == 4
    assert evaluation.state == EvaluationState.DONE


def test_it_stops_when_its_person_loses_the_right_and_a_manager_goes_on(people: Cast, model: LanguageModel) -> None:
    evaluation = begun(people, model)
    Membership.objects.filter(user=people.ben).update(role=Role.ANALYST)
    worked(evaluation)
    assert evaluation.error.startswith("ben may not evaluate Shop any more")
    Membership.objects.filter(user=people.ada).update(role=Role.MANAGER)
    with pytest.raises(Evaluation.DoesNotExist):
        evaluating.go_on(user=people.ben, evaluation=evaluation)
    evaluating.go_on(user=people.ada, evaluation=evaluation)
    assert worked(evaluation) == 4
    assert set(Run.objects.values_list("question__asked_by__username", flat=True)) == {"ada"}


def test_no_model_stands_in_for_one_that_is_measured(people: Cast, model: LanguageModel) -> None:
    with ScriptedServer([], after=Turn(status=401, message="no such key")) as locked:
        shut = stored_model(locked, "shut", fallback=model)
        evaluation = begun(people, shut)
        worked(evaluation)
    assert {case.error_type for case in cases(evaluation)} == {"ModelAuthenticationError"}
    assert evaluated.sides_of(evaluated.results_of(evaluation))[0].figures.failed == 4


def test_a_model_that_was_renamed_is_not_measured_under_the_old_name(people: Cast, model: LanguageModel) -> None:
    evaluation = begun(people, model)
    LanguageModel.objects.filter(pk=model.pk).update(name="newer")
    worked(evaluation)
    assert evaluation.error == "The model scripted is not there any more, or has another name."


def test_evaluating_counts_for_no_rate_and_makes_no_noise_for_people(
    people: Cast, model: LanguageModel, settings: Any
) -> None:
    settings.QUESTIONS_PER_MINUTE = 1
    worked(begun(people, model))
    services.ask(user=people.ben, connection=people.shop, text="How many?", strategy="zero-shot")


def test_workers_look_for_an_evaluation_of_which_nothing_is_at_work(
    people: Cast, model: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[int] = []
    monkeypatch.setattr(tasks, "enqueue_evaluation", rung.append)
    evaluation = Evaluation.objects.create(name="Lost", connection=people.shop, began_at=timezone.now())
    evaluating.wake()
    assert rung == [evaluation.pk]
    busy = begun(people, model)
    rung.clear()
    evaluating.advance(busy.pk)
    evaluating.wake()
    assert rung == [evaluation.pk]
    run = cases(busy)[0].run
    assert run is not None
    evaluating.ended(run.pk)
    assert rung == [evaluation.pk, busy.pk]


def test_an_evaluation_without_choices_or_known_answers_is_refused(people: Cast, model: LanguageModel) -> None:
    with pytest.raises(ValidationError, match="Choose at least one strategy"):
        begun(people)
    with pytest.raises(ValidationError, match="13 strategies with models are too many; at most 12"):
        begun(people, *[model] * 13)
    RegressionQuestion.objects.update(gold_sql="")
    with pytest.raises(ValidationError, match="Verify answers first"):
        begun(people, model)
    stranger = User.objects.get(username="cleo")
    with pytest.raises(people.shop.DoesNotExist):
        evaluating.start(user=stranger, connection=people.shop, choices=[evaluating.Choice("react", model)])
    assert not Evaluation.objects.exists()
