"""Evaluations as they are when everything was asked, for the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from agents.evaluation import tables
from agents.models import (
    CaseState,
    Evaluation,
    EvaluationCase,
    EvaluationQuestion,
    EvaluationState,
    EvaluationSystem,
    Run,
    SearchEntry,
    Status,
)
from connections.models import Connection, User
from tests.web import stories

LEVELS = ("simple", "moderate", "challenging")
SYSTEMS = (("react", "Scripted"), ("zero-shot", "Scripted"), ("lift", "Small"))
FAILURE = {"status": Status.FAILED, "error_type": "BudgetExhaustedError", "error": "The 15 turns are used up."}


def measured(
    user: User, shop: Connection, *, questions: int = 12, systems: Sequence[tuple[str, str]] = SYSTEMS,
    name: str = "Shop regression", **fields: Any,
) -> Evaluation:  # fmt: skip
    """The first system is right but for every fourth question, the next one but for every third, and so on; the last
    question fails everywhere."""
    evaluation = Evaluation.objects.create(**{
        "name": name, "connection": shop, "created_by": user, "began_at": timezone.now(),
        "finished_at": timezone.now(), "state": EvaluationState.DONE, **fields,
    })  # fmt: skip
    asked = EvaluationSystem.objects.bulk_create([
        EvaluationSystem(evaluation=evaluation, position=place, strategy=strategy, model_name=model)
        for place, (strategy, model) in enumerate(systems)
    ])  # fmt: skip
    gold = tables.beginning(stories.COLUMNS, stories.ROWS)
    posed = EvaluationQuestion.objects.bulk_create([
        EvaluationQuestion(
            evaluation=evaluation, position=place, key=f"{shop.pk}-{place}", gold_sql=[stories.SQL], gold=gold,
            text=f"What did each country buy in week {place + 1}?", difficulty=LEVELS[place % 3],
        )
        for place in range(questions)
    ])  # fmt: skip
    EvaluationCase.objects.bulk_create([case_of(system, one, questions) for one in posed for system in asked], 500)
    return evaluation


def case_of(system: EvaluationSystem, question: EvaluationQuestion, questions: int) -> EvaluationCase:
    place, which = question.position, system.position
    right = place % (4 - min(which, 2)) != 0
    rows = stories.ROWS if right else stories.ROWS[:-1]
    case = EvaluationCase(
        system=system, question=question, state=CaseState.DONE, status=Status.ANSWERED, right=right, execution=right,
        tolerant=right, soft_f1=1.0 if right else 0.8, answer="Germany bought **most**.", sql=stories.SQL,
        predicted=tables.beginning(stories.COLUMNS, rows), turns=4 - which, calls=11 - 3 * which, input_tokens=9000,
        cached_tokens=8000, output_tokens=200, cost=0.03 / (1 + 4 * which), seconds=14.0 - 5 * which + place % 5,
    )  # fmt: skip
    if place == questions - 1:
        failed = {"right": False, "execution": False, "tolerant": False, "soft_f1": 0.0, "predicted": None, **FAILURE}
        for name, value in failed.items():
            setattr(case, name, value)
    return case


def with_trace(evaluation: Evaluation, user: User) -> Run:
    """Give the first wrong case of the first system a run with a trace."""
    case = EvaluationCase.objects.filter(system__evaluation=evaluation, right=False).first()
    assert case is not None
    assert evaluation.connection is not None
    run = stories.answered(user, evaluation.connection, case.question.text)
    run.question.thread.evaluation = evaluation
    run.question.thread.save()
    SearchEntry.objects.filter(run=run).delete()
    EvaluationCase.objects.filter(pk=case.pk).update(run=run)
    return run
