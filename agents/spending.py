"""Caps, kept by reservation: a run reserves all that it may use before it is queued, and pays what it used at its end.

Whoever asks first locks the caps that apply; so however many ask at once, the open reservations and what is spent stay
below every cap but for the last run that was let in. Before each call to the model the caps are asked again, so that
one that was lowered, or used up by others, ends the runs at work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.utils import timezone

from agents.errors import CapReachedError
from agents.llm.messages import Usage
from agents.models import LIVE, Cap, LanguageModel, Run, RunEvent, UsageEntry
from agents.models.usage import told
from agents.traces.events import ModelReply, Retry, RunCancelled, RunFailed, RunFinished
from connections import permissions as connection_permissions
from connections.models import Team, User

NO_LIMIT = Decimal(100_000)  # what a run reserves whose cost nothing limits: it runs alone under a cap
ASKED = (ModelReply.kind, Retry.kind)
ENDS = (RunFinished.kind, RunFailed.kind, RunCancelled.kind)
AT_WORK = "cap_at_work"  # the code of a refusal that may be over when the runs at work have ended


@dataclass(frozen=True, slots=True)
class Level:
    """How full a cap is. `used` is what was spent, `reserved` what the `open` runs at work may still spend."""

    cap: Cap
    used: float
    reserved: float
    open: int
    resets_at: datetime

    @property
    def percent(self) -> int:
        return round(100 * self.used / float(self.cap.amount))

    @property
    def is_used_up(self) -> bool:
        return self.used >= float(self.cap.amount)

    @property
    def is_full(self) -> bool:
        return self.used + self.reserved >= float(self.cap.amount)


def reserve(run: Run) -> None:
    """Let `run` in, or raise ValidationError naming the cap that stops it. Called in the transaction that stores it."""
    user, connection = run.question.asked_by, run.question.thread.connection
    assert connection is not None, "who may ask has a connection to ask"
    team = connection_permissions.asking_team(user, connection)
    caps = caps_of(user, team, run.language_model).select_for_update()
    for cap in caps:
        level = level_of(cap, user)
        if level.is_full:
            raise ValidationError(refusal(level), code="cap" if level.is_used_up else AT_WORK)
    UsageEntry.objects.create(
        run_id=run.pk,
        at=timezone.now(),
        user=user,
        user_name=user.get_full_name() or user.get_username(),
        team=team,
        connection=connection,
        connection_name=connection.name,
        language_model=run.language_model,
        model_name=run.language_model.name if run.language_model else "",
        reserved_tokens=settings.RUN_MAX_TOKENS,
        reserved_cost=Decimal(str(settings.RUN_MAX_COST)) or NO_LIMIT,
    )


def close(run: Run) -> None:
    """Turn the reservation into what the run used: also one that failed or was stopped."""
    _close(run.pk, run.model_name)


def settle() -> None:
    """Close what a run left open that ended in no usual way."""
    live = Run.objects.filter(status__in=LIVE).values("pk")
    for entry in UsageEntry.objects.filter(closed_at=None).exclude(run_id__in=live):
        _close(entry.run_id, "")


@receiver(pre_delete, sender=Run)
def run_goes(instance: Run, **_: Any) -> None:
    """What its replies tell of goes with it: a run that is still open pays now."""
    if UsageEntry.objects.filter(run_id=instance.pk, closed_at=None).exists():
        close(instance)


def _close(run_id: UUID, model_name: str) -> None:
    used = _used(run_id)
    usage = {name: sum(int(one.get(name) or 0) for one in used) for name in ("input", "cached", "output")}
    cost = sum((Decimal(str(one.get("cost") or 0)) for one in used), Decimal(0))
    UsageEntry.objects.filter(run_id=run_id, closed_at=None).update(
        closed_at=timezone.now(),
        input_tokens=usage["input"],
        cached_tokens=usage["cached"],
        output_tokens=usage["output"],
        cost=round(cost, 8),
        **({"model_name": model_name} if model_name else {}),
    )


def _used(run_id: UUID) -> list[Mapping[str, Any]]:
    """What the end of the run tells, which counts a request that was stopped, too; without it, its replies and the
    attempts that failed."""
    events = list(RunEvent.objects.filter(run_id=run_id, kind__in=(*ASKED, *ENDS)).values_list("kind", "data"))
    ended = [data["usage"] for kind, data in events if kind in ENDS and data.get("usage")]
    return ended or [data for kind, data in events if kind in ASKED]


# --- At work ---------------------------------------------------------------------------------------------------------


class Allowance:
    """Whether a run at work may go on: asked before each call to the model, by one query where no cap is active."""

    def __init__(self, run: Run) -> None:
        self._run_id, self._user, self._model = run.pk, run.question.asked_by, run.language_model

    @cached_property
    def _entry(self) -> UsageEntry | None:
        return UsageEntry.objects.select_related("team").filter(run_id=self._run_id).first()

    def __call__(self, usage: Usage) -> None:
        """Write down what was used so far, so that others' caps know of it. Raises CapReachedError."""
        if not Cap.objects.filter(is_active=True).exists():  # as nearly everywhere: the shortest question there is
            return
        entry = self._entry
        if entry is None:
            return
        caps = list(caps_of(self._user, entry.team, self._model).select_related("team", "language_model"))
        if not caps:
            return
        UsageEntry.objects.filter(pk=entry.pk, closed_at=None).update(
            input_tokens=usage.input,
            cached_tokens=usage.cached,
            output_tokens=usage.output,
            cost=round(Decimal(str(usage.cost or 0)), 8),
        )
        for cap in caps:
            level = level_of(cap, self._user)
            if _spent_by(level, entry) >= float(cap.amount):
                raise CapReachedError(stop(level, self._user))


def _spent_by(level: Level, entry: UsageEntry) -> float:
    """What counts against the run of `entry`: all that was spent, but only the questions asked before its own."""
    if level.cap.measure != Cap.Measure.QUESTIONS:
        return level.used
    start, _ = period_of(level.cap.period, timezone.now())
    return _counted(level.cap, entry.user).filter(at__gte=start, pk__lt=entry.pk).count()


# --- Caps ------------------------------------------------------------------------------------------------------------


def caps_of(user: User, team: Team | None, language_model: LanguageModel | None) -> QuerySet[Cap]:
    """The caps under which `user` asks in `team`. In one order, so that two who ask cannot lock each other out."""
    wide = Q(scope__in=(Cap.Scope.INSTANCE, Cap.Scope.EACH_PERSON)) | Q(scope=Cap.Scope.PERSON, user=user)
    narrow = Q(scope=Cap.Scope.TEAM, team=team, team__isnull=False) | Q(
        scope=Cap.Scope.MODEL, language_model=language_model, language_model__isnull=False
    )
    # By a subquery of keys: PostgreSQL locks no row at the open end of a join.
    keys = Cap.objects.filter(wide | narrow, is_active=True).values("pk")
    return Cap.objects.filter(pk__in=keys).order_by("pk")


def level_of(cap: Cap, user: User | None = None) -> Level:
    """How full `cap` is now; one for every person is measured for `user`."""
    start, end = period_of(cap.period, timezone.now())
    entries = _counted(cap, user).filter(at__gte=start)
    at_work = Q(closed_at=None)
    sums = entries.aggregate(
        spent=Sum("cost"), input=Sum("input_tokens"), output=Sum("output_tokens"), number=Count("pk"),
        open=Count("pk", filter=at_work), left_cost=Sum(F("reserved_cost") - F("cost"), filter=at_work),
        left_tokens=Sum(F("reserved_tokens") - F("input_tokens") - F("output_tokens"), filter=at_work),
    )  # fmt: skip
    used, reserved = {
        Cap.Measure.MONEY.value: (float(sums["spent"] or 0), float(sums["left_cost"] or 0)),
        Cap.Measure.TOKENS.value: (
            float((sums["input"] or 0) + (sums["output"] or 0)), float(sums["left_tokens"] or 0)
        ),
        Cap.Measure.QUESTIONS.value: (float(sums["number"]), 0.0),
    }[cap.measure]  # fmt: skip
    return Level(cap, used, max(0.0, reserved), sums["open"], end)


def _counted(cap: Cap, user: User | None) -> QuerySet[UsageEntry]:
    if cap.scope == Cap.Scope.INSTANCE:
        return UsageEntry.objects.all()
    if cap.scope == Cap.Scope.TEAM:
        return UsageEntry.objects.filter(team=cap.team)
    if cap.scope == Cap.Scope.MODEL:
        return UsageEntry.objects.filter(language_model=cap.language_model)
    return UsageEntry.objects.filter(user=cap.user if cap.scope == Cap.Scope.PERSON else user)


def period_of(period: str, now: datetime) -> tuple[datetime, datetime]:
    """From when to when the period runs that `now` lies in; in the site's time zone."""
    day = timezone.localtime(now, timezone.get_default_timezone()).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == Cap.Period.DAY:
        return day, day + timedelta(days=1)
    if period == Cap.Period.WEEK:
        start = day - timedelta(days=day.weekday())
        return start, start + timedelta(days=7)
    start = day.replace(day=1)
    return start, (start + timedelta(days=32)).replace(day=1)


def levels_for(user: User, teams: Sequence[Team]) -> list[Level]:
    """The caps that the usage page shows to somebody who sees `teams`."""
    caps = Cap.objects.filter(is_active=True).select_related("user", "team", "language_model").order_by("scope", "pk")
    if not user.is_staff:
        own = Q(scope=Cap.Scope.EACH_PERSON) | Q(user=user)
        caps = caps.filter(own | Q(team__in=teams) | Q(user__memberships__team__in=teams)).distinct()
    return [level_of(cap, user) for cap in caps]


def refusal(level: Level) -> str:
    """Why nothing can be asked now, until when, and who can change it."""
    cap, measure = level.cap, level.cap.measure
    limit = _limit(cap, "Your cap")
    if level.is_used_up:
        return f"{limit} is used up: {told(measure, level.used)} so far. {_outlook(level)}"
    at_work = "1 question that is" if level.open == 1 else f"{level.open} questions that are"
    return (
        f"{limit} may be used up by {at_work} at work now ({told(measure, level.used)} used before). "
        "Ask again when they are done."
    )


def stop(level: Level, asker: User) -> str:
    """Why the run of `asker` was ended on its way. Whoever sees the run reads it, so no sum of others is told."""
    limit = _limit(level.cap, f"The cap of {asker.get_full_name() or asker.get_username()}")
    return f"{limit} was reached while this run was at work. {_outlook(level)}"


def _limit(cap: Cap, personal: str) -> str:
    """Whose cap it is, of what, by which period."""
    whose = {
        Cap.Scope.INSTANCE.value: "The cap of this instance", Cap.Scope.TEAM.value: f"The cap of {cap.team}",
        Cap.Scope.MODEL.value: f"The cap of {cap.language_model}",
    }.get(cap.scope, personal)  # fmt: skip
    return f"{whose} of {cap.told_amount} a {cap.period}"


def _outlook(level: Level) -> str:
    until = f"{level.resets_at.day} {level.resets_at:%b %Y, %H:%M %Z}"
    return f"It begins anew on {until}. An administrator can raise it."
