"""Evaluations of a connection's regression set: started, gone on with, stopped.

An evaluation is rows: a case for each question and system. `advance` scores the cases whose runs have ended and queues
the next ones, a few at a time, as runs like any other: with a lease, a trace, limits and caps. It is called when a run
of an evaluation ends, and by the workers' upkeep, so whatever dies, the rows tell what is not there yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from agents import permissions, services, spending, tasks
from agents.errors import CapReachedError
from agents.evaluation.systems import VOTING
from agents.library.regression import questions_of
from agents.llm.profiles import ProfileError
from agents.models import (
    LIVE,
    CaseState,
    Evaluation,
    EvaluationCase,
    EvaluationQuestion,
    EvaluationState,
    EvaluationSystem,
    LanguageModel,
    Run,
    Status,
)
from agents.profiles import chain_of
from agents.strategies import STRATEGIES
from agents.traces import recorder
from connections import audit
from connections.errors import ConnectionFailedError
from connections.models import Connection, User

AT_A_TIME = 4
"""Runs of one evaluation that wait or work; the workers' other places are for people."""

MOST_SYSTEMS, MOST_QUESTIONS = 12, 2_000
SAMPLES = (1, 3, 5)
BATCH = 500

log = structlog.get_logger(__name__)

class Choice(NamedTuple):
    """A strategy with a model, and how many of its drafts vote; 1 where it has none."""

    strategy: str
    model: LanguageModel | None
    samples: int = 1


def start(*, user: User, connection: Connection, choices: Sequence[Choice], name: str = "") -> Evaluation:
    """Store an evaluation of every question of the regression set whose answer is known, and begin it. Raises
    Connection.DoesNotExist where the right is missing, ValidationError."""
    if not permissions.may_evaluate(user, connection):
        raise Connection.DoesNotExist
    known = questions_of(connection).records
    _check(choices, len(known))
    now = timezone.localtime()
    name = " ".join(name.split())[:200] or f"{connection.name} regression, {now.day} {now:%b %Y}"
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            name=name, connection=connection, created_by=user, began_at=timezone.now()
        )
        systems = EvaluationSystem.objects.bulk_create([
            EvaluationSystem(evaluation=evaluation, position=place, strategy=one.strategy, samples=one.samples,
                             language_model=one.model, model_name=chain_of(one.model)[0].name)
            for place, one in enumerate(choices)
        ])  # fmt: skip
        questions = EvaluationQuestion.objects.bulk_create([
            EvaluationQuestion(evaluation=evaluation, position=place, key=one.id, text=one.question,
                               evidence=one.evidence, gold_sql=list(one.gold_sql))
            for place, one in enumerate(known)
        ], BATCH)  # fmt: skip
        cases = [EvaluationCase(system=system, question=question) for question in questions for system in systems]
        EvaluationCase.objects.bulk_create(cases, BATCH)
        detail = {"connection": connection.name, "questions": len(known), "systems": [str(one) for one in systems]}
        audit.record("evaluation started", actor=user, target=evaluation, detail=detail)
        transaction.on_commit(lambda: tasks.enqueue_evaluation(evaluation.pk))
    return evaluation


def _check(choices: Sequence[Choice], questions: int) -> None:
    if not choices:
        raise ValidationError("Choose at least one strategy and one model.", code="choices")
    if len(choices) > MOST_SYSTEMS:
        raise ValidationError(
            f"{len(choices)} strategies with models are too many; at most {MOST_SYSTEMS} are asked.", code="choices"
        )
    if any(one.strategy not in STRATEGIES for one in choices):
        raise ValidationError(f"Choose strategies out of {', '.join(STRATEGIES)}.", code="strategy")
    if any(one.samples not in (SAMPLES if one.strategy in VOTING else (1,)) for one in choices):
        words = f"Drafts vote in the strategies {', '.join(VOTING)}: {', '.join(map(str, SAMPLES))} of them."
        raise ValidationError(words, code="samples")
    if not questions:
        raise ValidationError(
            "No question of this connection has an answer that is known. Verify answers first.", code="questions"
        )
    if questions > MOST_QUESTIONS:
        raise ValidationError(f"At most {MOST_QUESTIONS:,} questions can be asked; these are more.", code="questions")


def stop(*, user: User, evaluation: Evaluation) -> None:
    """Queue nothing more, and stop the runs that are at work; what is there stays."""
    if Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING).update(state=EvaluationState.STOPPED):
        audit.record("evaluation stopped", actor=user, target=evaluation)
    for run in Run.objects.filter(evaluation_case__system__evaluation=evaluation, status__in=LIVE):
        services.stop_run(run, by=user)


def delete(*, user: User, evaluation: Evaluation) -> None:
    """Delete it with its answers, scores and traces. Raises Evaluation.DoesNotExist where the right is missing,
    ValidationError while it goes on or a run of it is still at work."""
    if not permissions.visible_evaluations(user).filter(pk=evaluation.pk).exists():
        raise Evaluation.DoesNotExist
    with transaction.atomic():
        if Evaluation.objects.select_for_update().filter(pk=evaluation.pk, state=EvaluationState.RUNNING).exists():
            raise ValidationError("The evaluation goes on. Stop it first, then delete it.", code="running")
        if Run.objects.filter(question__thread__evaluation=evaluation, status__in=LIVE).exists():
            raise ValidationError("Its last runs are being stopped. Delete it in a moment.", code="running")
        audit.record("evaluation deleted", actor=user, target=evaluation)
        evaluation.delete()


def go_on(*, user: User, evaluation: Evaluation) -> None:
    """Continue one that was stopped, with what is not there. It goes on in the name of `user`, under their caps."""
    if evaluation.connection is None or not permissions.may_evaluate(user, evaluation.connection):
        raise Evaluation.DoesNotExist
    with transaction.atomic():
        done = _cases(evaluation.pk).filter(state=CaseState.DONE).count()
        moved = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.STOPPED).update(
            state=EvaluationState.RUNNING, error="", began_at=timezone.now(), done_before=done, created_by=user
        )
        if moved:
            audit.record("evaluation continued", actor=user, target=evaluation)
            transaction.on_commit(lambda: tasks.enqueue_evaluation(evaluation.pk))


# --- What workers do -------------------------------------------------------------------------------------------------


def ended(run_id: UUID) -> None:
    """A worker has left this run: where it belongs to an evaluation, that can go on."""
    for evaluation_id in EvaluationCase.objects.filter(run=run_id).values_list("system__evaluation", flat=True):
        tasks.enqueue_evaluation(evaluation_id)


def wake() -> None:
    """Ring for the evaluations of which nothing is at work: the broker lost them, or a cap held them."""
    at_work = EvaluationCase.objects.filter(state=CaseState.WORKING, run__status__in=LIVE)
    idle = Evaluation.objects.filter(state=EvaluationState.RUNNING).exclude(
        pk__in=at_work.values("system__evaluation")
    )
    for evaluation_id in idle.values_list("pk", flat=True):
        tasks.enqueue_evaluation(evaluation_id)


def advance(evaluation_id: int) -> None:
    """Score what has ended, ask what is next, end when nothing is left. Harmless where there is nothing to do."""
    evaluation = Evaluation.objects.select_related("connection", "created_by").filter(pk=evaluation_id).first()
    if evaluation is None or evaluation.connection is None:
        return
    user, connection = evaluation.created_by, evaluation.connection
    if user is None or not permissions.may_evaluate(user, connection):
        _halt(evaluation, f"{user or 'A deleted person'} may not evaluate {connection} any more. Somebody else can.")
        return
    try:
        for case in _left(evaluation_id):
            _settle(case, evaluation, connection, user)
    except ConnectionFailedError as error:
        _halt(evaluation, f"The answers cannot be compared: {error}")
        return
    with transaction.atomic():
        if Evaluation.objects.select_for_update().filter(pk=evaluation_id, state=EvaluationState.RUNNING).exists():
            _queue_next(evaluation, user)


def _cases(evaluation_id: int) -> QuerySet[EvaluationCase]:
    return EvaluationCase.objects.filter(system__evaluation=evaluation_id)


def _left(evaluation_id: int) -> QuerySet[EvaluationCase]:
    """Cases whose runs have ended or are gone, and which do not say so yet."""
    found = _cases(evaluation_id).filter(state=CaseState.WORKING).exclude(run__status__in=LIVE)
    return found.select_related("run__question__thread", "question")


def _settle(case: EvaluationCase, evaluation: Evaluation, connection: Connection, user: User) -> None:
    from agents.library import case_scores  # late: most processes score nothing

    run = case.run
    # Read now: it may have been stopped or continued since.
    running = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING)
    if run is None or (run.status == Status.CANCELLED and not running.filter(began_at__lt=run.created_at).exists()):
        _ask_again(case)
    elif run.error_type == CapReachedError.__name__:  # says nothing of the system
        _ask_again(case)
        _halt(evaluation, run.error)
    else:
        case_scores.settle(case, run, connection, user)


def _ask_again(case: EvaluationCase) -> None:
    """Its run was stopped with the evaluation or by a cap: it waits again, and the run goes."""
    with transaction.atomic():
        this = EvaluationCase.objects.filter(pk=case.pk, state=CaseState.WORKING, run=case.run)
        if this.update(state=CaseState.WAITING, run=None) and case.run is not None:
            recorder.delete_results(Run.objects.filter(pk=case.run.pk))
            case.run.question.thread.delete()


def _queue_next(evaluation: Evaluation, user: User) -> None:
    counted = _cases(evaluation.pk).aggregate(
        working=Count("pk", filter=Q(state=CaseState.WORKING)), waiting=Count("pk", filter=Q(state=CaseState.WAITING))
    )
    if not counted["working"] and not counted["waiting"]:
        Evaluation.objects.filter(pk=evaluation.pk).update(
            state=EvaluationState.DONE, error="", finished_at=timezone.now()
        )
        return
    waiting = _cases(evaluation.pk).filter(state=CaseState.WAITING).select_related("system__language_model", "question")
    room = max(AT_A_TIME - counted["working"], 0)
    for case in waiting.order_by("question__position", "system__position")[:room]:
        try:
            _ask(case, evaluation, user)
        except (ValidationError, ProfileError) as error:
            # What others use now they may not need: the upkeep tries again.
            if getattr(error, "code", "") != spending.AT_WORK:
                _halt(evaluation, " ".join(getattr(error, "messages", [str(error)])))
            return


def _ask(case: EvaluationCase, evaluation: Evaluation, user: User) -> None:
    system = case.system
    if chain_of(system.language_model)[0].name != system.model_name:
        words = f"The model {system.model_name} is not there any more, or has another name."
        raise ValidationError(words, code="model")
    run = services.measure(
        user=user, evaluation=evaluation, text=case.question.text, evidence=case.question.evidence,
        strategy=system.strategy, language_model=system.language_model, samples=system.samples,
    )  # fmt: skip
    EvaluationCase.objects.filter(pk=case.pk).update(state=CaseState.WORKING, run=run)


def _halt(evaluation: Evaluation, reason: str) -> None:
    Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING).update(
        state=EvaluationState.STOPPED, error=reason
    )
    log.warning("evaluation stopped", evaluation=evaluation.pk, reason=reason)
