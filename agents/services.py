"""Writes: questions and their runs, cancelling, language models.

Everything is keyword-only and raises `ValidationError` with words for people. Runs are queued after the commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from agents import permissions, selectors, spending, tasks
from agents.models import LIVE, Evaluation, LanguageModel, Question, Run, Status, Thread
from agents.strategies import PROGRAM, STRATEGIES
from agents.traces import recorder
from connections import audit, crypto
from connections import permissions as connection_permissions
from connections.models import Connection, User

TITLE_CHARACTERS = 120
KEY_ANEW = "Type the key anew, or delete the stored one: it was given for another server."

Program = Sequence[Mapping[str, Any]]


def ask(
    *,
    user: User,
    connection: Connection,
    text: str,
    thread: Thread | None = None,
    evidence: str = "",
    strategy: str = "",
    language_model: LanguageModel | None = None,
) -> Run:
    """Store a question, in `thread` or a new one, with a queued run. "" for `strategy` is the site's own choice.

    Raises ValidationError, and Connection.DoesNotExist or Thread.DoesNotExist where the right is missing.
    """
    if not connection_permissions.may_ask(user, connection):
        raise Connection.DoesNotExist
    if thread is not None and not permissions.may_follow_up(user, thread):
        raise Thread.DoesNotExist
    if thread is not None and thread.connection_id != connection.pk:
        raise ValidationError(
            f"The question goes on with a thread on {thread.connection}, and {connection} is to be asked. Name "
            f"{thread.connection}, or ask without the thread.",
            code="connection",
        )
    text, evidence = _checked_text(text), _checked_evidence(evidence)
    _check_rate(user)
    with transaction.atomic():
        thread = thread or Thread.objects.create(owner=user, connection=connection, title=_title(text))
        question = _add_question(thread, user, text, evidence)
        run = _queue_run(question, strategy, language_model)
        audit.record("asked", actor=user, target=question, detail={"connection": connection.name, "run": str(run.pk)})
    return run


def ask_again(
    *, user: User, question: Question, strategy: str = "", language_model: LanguageModel | None = None
) -> Run:
    """Another run for the same question, by another strategy or model."""
    if not permissions.may_follow_up(user, question.thread):
        raise Question.DoesNotExist
    _check_rate(user)
    with transaction.atomic():
        run = _queue_run(question, strategy, language_model)
        audit.record("asked again", actor=user, target=question, detail={"run": str(run.pk)})
    return run


def measure(
    *,
    user: User,
    evaluation: Evaluation,
    text: str,
    evidence: str,
    strategy: str,
    language_model: LanguageModel | None,
    samples: int = 1,
) -> Run:
    """Ask a question of an evaluation, under the caps like any other. It is on no list of questions and counts for no
    rate. Raises ValidationError; nothing is stored then."""
    with transaction.atomic():
        thread = Thread.objects.create(
            owner=user, connection=evaluation.connection, evaluation=evaluation, title=_title(text)
        )
        question = _add_question(thread, user, text, evidence)
        return _reserved(question, strategy, language_model, {"samples": samples})


def rerun(*, user: User, run: Run, program: Program = (), step: int = 0) -> Run:
    """Run the program of `run` again on fresh data, without a model: for its owner as another run of the question, for
    whoever else sees it and may ask the connection as a question of their own.

    `program` is the changed one where somebody changed `step`. Raises ValidationError where there is nothing to run,
    Run.DoesNotExist where the right is missing.
    """
    connection = run.question.thread.connection
    if connection is None or not (permissions.may_see_run(user, run) and permissions.may_run_again(user, run)):
        raise Run.DoesNotExist
    calls = list(program) or run.steps
    if not calls:
        raise ValidationError("This run has no steps that could be run again. Ask the question again.", code="no_steps")
    _check_rate(user)
    origin = {"rerun_of": str(run.pk), **({"step": step} if step else {})}
    with transaction.atomic():
        owns = permissions.owns_run(user, run)
        question = run.question if owns else _ask_apart(user, connection, run.question.text)
        fresh = _queue_program(question, calls, origin)
        audit.record("run again", actor=user, target=question, detail={"run": str(fresh.pk), **origin})
    return fresh


def ask_program(
    *, user: User, connection: Connection, text: str, program: Program, sql: str = "", scheduled: bool = False
) -> Run:
    """A new question that is answered by `program`, without a model. `sql` is the statement that it was lifted from.
    What is `scheduled` nobody asks now: it is held to no rate.

    Raises ValidationError, and Connection.DoesNotExist where the right is missing.
    """
    if not connection_permissions.may_ask(user, connection):
        raise Connection.DoesNotExist
    text = _checked_text(text)
    if not scheduled:
        _check_rate(user)
    with transaction.atomic():
        run = _queue_program(_ask_apart(user, connection, text), program, {"sql": sql} if sql else {})
        detail = {"connection": connection.name, "run": str(run.pk), "without_model": True}
        audit.record("asked", actor=user, target=run.question, detail=detail)
    return run


def cancel_run(*, user: User, run: Run) -> None:
    """Ask the worker to stop; a run that no worker has yet ends here. A finished run stays as it is."""
    if not permissions.may_cancel_run(user, run):
        raise Run.DoesNotExist
    stop_run(run, by=user)


def stop_run(run: Run, *, by: User) -> None:
    """As `cancel_run`, where the right to do so is settled."""
    with transaction.atomic():
        Run.objects.filter(pk=run.pk, status__in=LIVE, cancel_requested_at=None).update(
            cancel_requested_at=timezone.now()
        )
        if recorder.cancel_queued(run.pk, by=by.get_username()):
            spending.close(run)


def delete_threads(*, user: User, thread_ids: Iterable[UUID]) -> int:
    """Delete threads of `user` with all runs, traces and results; running ones stay. Returns how many went."""
    threads = Thread.objects.filter(owner=user, pk__in=list(thread_ids)).exclude(questions__runs__status__in=LIVE)
    number = 0
    for thread in threads:
        with transaction.atomic():
            audit.record("questions deleted", actor=user, target=thread)
            recorder.delete_results(Run.objects.filter(question__thread=thread))
            thread.delete()
            number += 1
    return number


def save_language_model(*, actor: User | None, language_model: LanguageModel, key: str | None = None) -> None:
    """Store a model profile; `key` None keeps the stored key, which goes to no other place than the one that it was
    stored for. The default is one at most. Raises ValidationError."""
    before = LanguageModel.objects.filter(pk=language_model.pk).first()
    if key is None and before is not None and goes_elsewhere(before, language_model.model, language_model.api_base):
        raise ValidationError(KEY_ANEW, code="key")
    if key is not None:
        language_model.key_encrypted = crypto.encrypt(key)
    language_model.full_clean()
    with transaction.atomic():
        language_model.save()
        if language_model.is_default:
            LanguageModel.objects.exclude(pk=language_model.pk).update(is_default=False)
        audit.record("language model saved", actor=actor, target=language_model, detail=_model_detail(language_model))


def goes_elsewhere(before: LanguageModel, model: str, api_base: str) -> bool:
    """Whether the key that `before` has would be sent to another server: another address, or another provider's own."""
    provider, other = before.model.partition("/")[0], model.partition("/")[0]
    return bool(before.key_encrypted) and (before.api_base or provider) != (api_base or other)


def _model_detail(language_model: LanguageModel) -> dict[str, Any]:
    return {"model": language_model.model, "has_key": bool(language_model.key_encrypted)}


def _checked_text(text: str) -> str:
    text = text.strip()
    if not text:
        raise ValidationError("Write a question first.", code="empty")
    if len(text) > settings.QUESTION_CHARACTERS:
        raise ValidationError(
            f"The question has {len(text):,} characters; at most {settings.QUESTION_CHARACTERS:,} can be asked. "
            "Leave out what the database knows already, or split it.",
            code="too_long",
        )
    if "\x00" in text:
        raise ValidationError("The question holds a NUL character; remove it.", code="nul")
    return text


def _checked_evidence(evidence: str) -> str:
    evidence = evidence.strip()
    if len(evidence) > settings.QUESTION_CHARACTERS:
        raise ValidationError(
            f"The extra knowledge has {len(evidence):,} characters; at most {settings.QUESTION_CHARACTERS:,} fit.",
            code="too_long",
        )
    return evidence.replace("\x00", "")


def _check_rate(user: User) -> None:
    since = timezone.now() - timedelta(minutes=1)
    runs = Run.objects.filter(question__asked_by=user, question__thread__evaluation=None, created_at__gt=since)
    asked = runs.exclude(saved_run__scheduled=True).count()
    if asked >= settings.QUESTIONS_PER_MINUTE:
        raise ValidationError(
            f"You asked {asked} questions within a minute, which is the limit. Wait a minute, then ask again.",
            code="too_many",
        )


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1] + "…"


def _ask_apart(user: User, connection: Connection, text: str) -> Question:
    """A question in a thread of its own."""
    thread = Thread.objects.create(owner=user, connection=connection, title=_title(text))
    return _add_question(thread, user, text, "")


def _add_question(thread: Thread, user: User, text: str, evidence: str) -> Question:
    Thread.objects.select_for_update().get(pk=thread.pk)  # two questions at once get two positions
    thread.save(update_fields=["updated_at"])
    return Question.objects.create(
        thread=thread, position=selectors.next_position(thread), text=text, evidence=evidence, asked_by=user
    )


def _queue_program(question: Question, program: Program, origin: Mapping[str, Any]) -> Run:
    run = Run.objects.create(
        question=question, strategy=PROGRAM, settings={"program": [dict(call) for call in program], **origin}
    )
    transaction.on_commit(lambda: tasks.enqueue_run(run.pk))
    return run


def _queue_run(question: Question, strategy: str, language_model: LanguageModel | None) -> Run:
    strategy = strategy or settings.STRATEGY
    if strategy not in STRATEGIES:
        raise ValidationError(f"There is no strategy {strategy!r}; choose {', '.join(STRATEGIES)}.", code="strategy")
    return _reserved(question, strategy, language_model or selectors.default_language_model(), {})


def _reserved(
    question: Question, strategy: str, language_model: LanguageModel | None, chosen: Mapping[str, Any]
) -> Run:
    run = Run.objects.create(
        question=question, strategy=strategy, language_model=language_model, status=Status.QUEUED, settings=chosen
    )
    spending.reserve(run)
    transaction.on_commit(lambda: tasks.enqueue_run(run.pk))
    return run
