"""The managers' list: runs that failed, found no rows or got a verdict, filtered, with how often each cause came up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from agents import permissions
from agents.answers.failures import error_in_words
from agents.models import Feedback, Reason, Run, Status
from connections.models import User

CAUSES_WITHIN = timedelta(days=30)
KINDS = (
    ("failed", "Failed"), ("bad", "Marked bad"), ("good", "Marked good"), ("no_rows", "Answered with 0 rows"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filters:
    """Of the list. `done`: what was looked at already. Empty fields filter nothing."""

    done: bool = False
    kind: str = ""
    reason: str = ""
    person: int | None = None
    connection: int | None = None
    model: str = ""
    search: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A run on the list: what was found, in words, and how often its cause came up lately."""

    run: Run
    verdict: Feedback | None
    cause: str
    times: int


def found_runs(user: User, filters: Filters) -> QuerySet[Run]:
    """Newest first, annotated with `judged_at`, the moment of the last verdict."""
    found = Run.objects.filter(pk__in=permissions.reviewable_runs(user).values("pk"))
    found = found.annotate(judged_at=Max("feedback__updated_at"))
    is_open = Q(review=None) | Q(judged_at__gt=F("review__done_at"))
    is_done = Q(judged_at=None) | Q(judged_at__lte=F("review__done_at"))
    found = found.filter(is_done, review__isnull=False) if filters.done else found.filter(is_open)
    conditions = {
        "failed": Q(status=Status.FAILED),
        "bad": Q(pk__in=Feedback.objects.filter(good=False).values("run")),
        "good": Q(pk__in=Feedback.objects.filter(good=True).values("run")),
        "no_rows": Q(pk__in=permissions.answered_with_no_rows()),
    }
    if filters.kind in conditions:
        found = found.filter(conditions[filters.kind])
    if filters.reason:
        by_verdict = Q(pk__in=Feedback.objects.filter(good=False, reason=filters.reason).values("run"))
        found = found.filter(by_verdict | Q(error_type=filters.reason))
    if filters.person is not None:
        found = found.filter(question__asked_by=filters.person)
    if filters.connection is not None:
        found = found.filter(question__thread__connection_id=filters.connection)
    if filters.model:
        found = found.filter(model_name=filters.model)
    for word in filters.search.split():
        found = found.filter(Q(question__text__icontains=word) | Q(feedback__text__icontains=word))
    related = ("question__thread__connection", "question__asked_by", "review", "verification", "in_regression_set")
    return found.select_related(*related).prefetch_related("feedback__user").order_by("-created_at")


def findings(user: User, runs: Sequence[Run]) -> list[Finding]:
    times = _causes(user)
    shown = []
    for run in runs:
        verdict = next(iter(run.feedback.all()), None)
        key = _cause_key(run, verdict)
        shown.append(Finding(run, verdict, cause_in_words(key), times.get(key, 0)))
    return shown


def causes(user: User) -> list[tuple[str, str]]:
    """Causes that came up lately, the most frequent first, for the filter."""
    return [(key, f"{cause_in_words(key)} ({times})") for key, times in _causes(user).most_common()]


def people(user: User) -> QuerySet[User]:
    """Who asked what `user` reviews."""
    askers = permissions.reviewable_runs(user).values("question__asked_by")
    return User.objects.filter(pk__in=askers).order_by("first_name", "last_name", "username")


def models(user: User) -> list[str]:
    names = permissions.reviewable_runs(user).exclude(model_name="").order_by("model_name")
    return list(names.values_list("model_name", flat=True).distinct())


def waiting(user: User) -> int:
    return found_runs(user, Filters()).count()


def cause_in_words(key: str) -> str:
    """A reason's label, or an error's name as words; "" for none."""
    return Reason(key).label if key in Reason.values else error_in_words(key) if key else ""


def _causes(user: User) -> Counter[str]:
    since = timezone.now() - CAUSES_WITHIN
    runs = permissions.reviewable_runs(user).filter(created_at__gt=since).values("pk")
    counted: Counter[str] = Counter()
    bad = Feedback.objects.filter(run__in=runs, good=False).exclude(reason="")
    counted.update(bad.values_list("reason", flat=True))
    failed = Run.objects.filter(pk__in=runs, status=Status.FAILED).exclude(error_type="")
    counted.update(failed.values_list("error_type", flat=True))
    return counted


def _cause_key(run: Run, verdict: Feedback | None) -> str:
    if verdict is not None and verdict.reason:
        return verdict.reason
    return run.error_type if run.status == Status.FAILED else ""
