"""A folder that `manage.py evaluate` made, kept as an evaluation: its results, and its traces read-only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from agents.evaluation import tables
from agents.evaluation.harness import RESULTS
from agents.evaluation.results import CaseResult, by_system, read_results
from agents.library.imported_traces import keep_trace
from agents.models import (
    CaseState,
    Evaluation,
    EvaluationCase,
    EvaluationQuestion,
    EvaluationState,
    EvaluationSystem,
    Run,
    Status,
)
from connections import audit
from connections.models import Connection, Team, User
from connections.storable import storable

BATCH = 500


def import_evaluation(
    folder: Path, *, owner: User, connection: Connection | None = None, team: Team | None = None, name: str = "",
    traces: bool = True,
) -> Evaluation:  # fmt: skip
    """Seen by the managers of `connection`, or by those of `team`. Raises ValidationError, and OSError for what cannot
    be read."""
    results = list({(one.system, one.id): one for one in read_results(folder / RESULTS)}.values())
    if not results:
        raise ValidationError(f"{folder} holds no {RESULTS} with results of `manage.py evaluate`.", code="empty")
    unknown = {one.status for one in results} - set(Status.values)
    if unknown:
        raise ValidationError(f"Results have the status {', '.join(sorted(unknown))}, which is unknown.", code="status")
    with transaction.atomic():
        now = timezone.now()
        evaluation = Evaluation.objects.create(
            name=(name or folder.resolve().name)[:200], connection=connection, team=team, created_by=owner,
            source=folder.resolve().name[:300], began_at=now, finished_at=now, state=EvaluationState.DONE,
        )  # fmt: skip
        systems = _systems(evaluation, list(by_system(results)))
        questions = _questions(evaluation, results)
        cases = [
            _case(one, systems[one.system], questions[one.id], _document(folder, one), owner, keep_run=traces)
            for one in results
        ]
        EvaluationCase.objects.bulk_create(cases, BATCH)
        detail = {"folder": evaluation.source, "results": len(results), "for": evaluation.whose}
        audit.record("evaluation imported", actor=owner, target=evaluation, detail=detail)
    return evaluation


def _systems(evaluation: Evaluation, names: Sequence[str]) -> Mapping[str, EvaluationSystem]:
    """ "react, Scripted" is a strategy with a model."""
    made = []
    for place, name in enumerate(names):
        strategy, _, model = storable(name).partition(", ")
        made.append(EvaluationSystem(
            evaluation=evaluation, position=place, strategy=strategy[:60], model_name=model[:200]
        ))  # fmt: skip
    return dict(zip(names, EvaluationSystem.objects.bulk_create(made), strict=True))


def _questions(evaluation: Evaluation, results: Iterable[CaseResult]) -> Mapping[str, EvaluationQuestion]:
    first: dict[str, CaseResult] = {}
    for one in results:
        first.setdefault(one.id, one)
    made = [
        EvaluationQuestion(
            evaluation=evaluation, position=place, key=storable(one.id)[:200], text=storable(one.question),
            db_id=storable(one.db_id)[:200], difficulty=storable(one.difficulty)[:60], answerable=one.answerable,
            gold_sql=storable(list(one.gold_sql)),
        )
        for place, one in enumerate(first.values())
    ]  # fmt: skip
    return dict(zip(first, EvaluationQuestion.objects.bulk_create(made, BATCH), strict=True))


def _case(
    one: CaseResult, system: EvaluationSystem, question: EvaluationQuestion, document: Mapping[str, Any], owner: User,
    *, keep_run: bool,
) -> EvaluationCase:  # fmt: skip
    error, usage, table = one.error or {}, one.usage, document.get("table")
    kept = tables.beginning(table["columns"], table["rows"], table.get("row_count")) if table else None
    return EvaluationCase(
        system=system, question=question, state=CaseState.DONE, status=one.status, right=one.right,
        execution=one.execution, tolerant=one.tolerant, soft_f1=one.soft_f1, judged=one.judged,
        judge_reason=storable(one.judge_reason), answer=storable(one.answer), sql=storable(one.sql),
        error_type=storable(str(error.get("type", "")))[:60], error=storable(str(error.get("message", ""))),
        turns=one.turns, calls=one.calls, input_tokens=usage.get("input") or 0, cached_tokens=usage.get("cached") or 0,
        output_tokens=usage.get("output") or 0, cost=usage.get("cost"), seconds=one.seconds,
        predicted=storable(kept),
        run=_run(one, system, document, owner) if keep_run and document.get("events") else None,
    )  # fmt: skip


def _run(one: CaseResult, system: EvaluationSystem, document: Mapping[str, Any], owner: User) -> Run | None:
    """None where another version wrote events that cannot be read here: the scores are worth keeping without."""
    told = {
        **document, "question": one.question, "model": system.model_name, "strategy": system.strategy,
        "connection": one.db_id, "asked_by": "",
    }  # fmt: skip
    try:
        return keep_trace(told, owner=owner, file=one.trace, evaluation=system.evaluation)
    except ValidationError:
        return None


def _document(folder: Path, one: CaseResult) -> Mapping[str, Any]:
    """What was kept as the trace; empty where it is missing or no JSON. A path that leads out of the folder is not
    followed."""
    path = (folder / one.trace).resolve()
    if not one.trace or not path.is_relative_to(folder.resolve()) or not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
