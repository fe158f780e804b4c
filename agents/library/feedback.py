"""Verdicts, verification, the managers' review, and the regression set of a connection."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents import permissions
from agents.library import notices
from agents.models import Feedback, Notice, Reason, RegressionQuestion, Review, Run, Status, Verification
from connections import audit
from connections.models import Connection, User

CHARACTERS = 2_000


def trusted(connection: Connection, limit: int = 3) -> QuerySet[Verification]:
    """Verified answers of a connection, the newest first."""
    found = Verification.objects.filter(run__question__thread__connection=connection)
    return found.select_related("run__question", "by").order_by("-at")[:limit]


def judge(*, user: User, run: Run, good: bool, reason: str = "", text: str = "") -> Feedback:
    """Give a verdict, or change one's own. Raises ValidationError."""
    if not permissions.may_judge(user, run):
        raise Run.DoesNotExist
    if reason and reason not in Reason.values:
        raise ValidationError(f"There is no reason {reason!r}.", code="reason")
    if len(text) > CHARACTERS:
        raise ValidationError(f"The words have {len(text):,} characters; at most {CHARACTERS:,} fit.", code="long")
    words = {"reason": "" if good else reason, "text": text.strip().replace("\x00", "")}
    verdict, _ = Feedback.objects.update_or_create(run=run, user=user, defaults={"good": good, **words})
    return verdict


def take_back(*, user: User, run: Run) -> None:
    Feedback.objects.filter(user=user, run=run).delete()


def verify(*, user: User, run: Run, note: str = "", in_regression_set: bool = True) -> Verification:
    """Mark the answer as trusted: it is suggested, open to whoever sees the connection, and, where wanted, measured
    from now on."""
    if not permissions.may_verify(user, run):
        raise Run.DoesNotExist
    with transaction.atomic():
        verification, made = Verification.objects.get_or_create(
            run=run, defaults={"by": user, "note": note.strip()[:500]}
        )
        if made:
            audit.record("verified", actor=user, target=run.question, detail={"run": str(run.pk)})
            notices.tell(users=[run.question.asked_by], actor=user, kind=Notice.Kind.VERIFIED, run=run)
        if in_regression_set:
            add_to_regression_set(user=user, run=run)
    return verification


def withdraw_verification(*, user: User, run: Run) -> None:
    if not permissions.may_verify(user, run):
        raise Run.DoesNotExist
    with transaction.atomic():
        if Verification.objects.filter(run=run).delete()[0]:
            RegressionQuestion.objects.filter(run=run).delete()
            audit.record("verification withdrawn", actor=user, target=run.question, detail={"run": str(run.pk)})


def add_to_regression_set(*, user: User, run: Run) -> RegressionQuestion:
    """Measure with this question. Its SQL counts as right only where the answer is verified."""
    connection = run.question.thread.connection
    if connection is None or not permissions.may_review(user, run):
        raise Run.DoesNotExist
    is_right = run.status == Status.ANSWERED and Verification.objects.filter(run=run).exists()
    added, _ = RegressionQuestion.objects.update_or_create(
        run=run,
        defaults={"connection": connection, "text": run.question.text, "evidence": run.question.evidence,
                  "gold_sql": run.sql if is_right else ""},
        create_defaults={"connection": connection, "text": run.question.text, "evidence": run.question.evidence,
                         "gold_sql": run.sql if is_right else "", "added_by": user},
    )  # fmt: skip
    return added


def add_all_to_regression_set(*, user: User, run_ids: Iterable[UUID]) -> int:
    runs = list(_reviewable(user, run_ids))
    for run in runs:
        add_to_regression_set(user=user, run=run)
    return len(runs)


def close_reviews(*, user: User, run_ids: Iterable[UUID]) -> int:
    """Mark runs as looked at."""
    runs = list(_reviewable(user, run_ids))
    for run in runs:
        Review.objects.update_or_create(run=run, defaults={"done_by": user, "done_at": timezone.now()})
    return len(runs)


def reopen_reviews(*, user: User, run_ids: Iterable[UUID]) -> int:
    return Review.objects.filter(run__in=_reviewable(user, run_ids)).delete()[0]


def _reviewable(user: User, run_ids: Iterable[UUID]) -> QuerySet[Run]:
    return permissions.reviewable_runs(user).filter(pk__in=list(run_ids)).select_related("question__thread__connection")
