"""Schedules of saved questions: started by Celery's beat every minute, and told about when their runs have ended."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from agents import permissions
from agents.library import collecting, notices
from agents.library.saved_outcomes import Outcome, outcome_of
from agents.models import Notice, Run, SavedQuestion, SavedRun, Status
from connections.models import User

LAST_DAY = 28

log = structlog.get_logger(__name__)


def next_moment(cadence: str, day: int, at: time, zone: tzinfo, after: datetime) -> datetime | None:
    """The first moment behind `after` at which the schedule is due; None without a cadence."""
    if not cadence:
        return None
    local = after.astimezone(zone)
    for ahead in range(0, 63):
        date = (local + timedelta(days=ahead)).date()
        fits = {"daily": True, "weekly": date.weekday() == day, "monthly": date.day == day}[cadence]
        moment = datetime.combine(date, at, zone)
        if fits and moment > after:
            return moment
    raise ValueError(f"day {day} does not fit {cadence}")


def zone_to_set(user: User, saved: SavedQuestion) -> ZoneInfo:
    """The one that a schedule has keeps its time where it is, whoever changes something else about it."""
    return saved.zone if saved.cadence else user.zone


def schedule(
    *, user: User, saved: SavedQuestion, cadence: str, day: int, at: time, recipients: Iterable[User],
    only_when_changed: bool, zone: ZoneInfo | None = None,
) -> None:  # fmt: skip
    """Set the schedule; "" for `cadence` ends it. Runs have the rights of whoever set it; `at` is in `zone`, or else in
    that of `zone_to_set`. Raises ValidationError."""
    if not permissions.may_edit_saved(user, saved):
        raise SavedQuestion.DoesNotExist
    fits = {"": True, "daily": True, "weekly": 0 <= day <= 6, "monthly": 1 <= day <= LAST_DAY}
    if not fits.get(cadence, False):
        raise ValidationError(f"Choose a weekday, or a day of the month from 1 to {LAST_DAY}.", code="day")
    told = [one for one in recipients if saved.collection.team.memberships.filter(user=one).exists()]
    zone = zone or zone_to_set(user, saved)
    with transaction.atomic():
        saved.cadence, saved.day, saved.at, saved.only_when_changed = cadence, day, at, only_when_changed
        saved.scheduled_by, saved.time_zone, saved.error = user if cadence else None, zone.key, ""
        saved.next_at = next_moment(cadence, day, at, zone, timezone.now())
        saved.save()
        saved.recipients.set(told if cadence else [])


def start_due(now: datetime | None = None) -> int:
    """Start what is due; returns how many runs were queued. Two beats start nothing twice."""
    now = now or timezone.now()
    due = SavedQuestion.objects.filter(next_at__lte=now).select_related("scheduled_by", "connection", "collection")
    return sum(_start_apart(saved, now) for saved in due)


def _start_apart(saved: SavedQuestion, now: datetime) -> bool:
    try:
        return _take(saved, now) and _start(saved)
    except Exception:  # noqa: BLE001  one schedule's edge: the others go on
        log.exception("schedule not started", saved=saved.pk)
        SavedQuestion.objects.filter(pk=saved.pk, next_at=saved.next_at).update(next_at=None)
        _fail(saved, "It could not be started, by a fault of this site; the log of its worker says more.")
        return False


def _take(saved: SavedQuestion, now: datetime) -> bool:
    """Move it to its next moment; false where another beat has."""
    following = None
    if saved.scheduled_by is not None and saved.scheduled_by.is_active:
        following = next_moment(saved.cadence, saved.day, saved.at, saved.zone, now)
    return bool(SavedQuestion.objects.filter(pk=saved.pk, next_at=saved.next_at).update(next_at=following))


def _start(saved: SavedQuestion) -> bool:
    if saved.scheduled_by is None or not saved.scheduled_by.is_active:
        _fail(saved, "Whoever set the schedule is gone. Somebody of the team must set it again.")
        return False
    try:
        collecting.run_again(user=saved.scheduled_by, saved=saved, scheduled=True)
    except ValidationError as error:
        _fail(saved, " ".join(error.messages))
        return False
    except ObjectDoesNotExist:
        _fail(saved, f"{saved.scheduled_by} may not ask {saved.connection} any more.")
        return False
    return True


def _fail(saved: SavedQuestion, error: str) -> None:
    """Say so on its page, to whoever set the schedule, and to whoever waits for the result."""
    with transaction.atomic():
        SavedQuestion.objects.filter(pk=saved.pk).update(error=error)
        told = [*saved.recipients.all(), *([saved.scheduled_by] if saved.scheduled_by is not None else [])]
        words = f"{saved.title}: no result. {error}"
        notices.tell(users=told, actor=None, kind=Notice.Kind.SCHEDULE, saved=saved, text=words)


def settle(saved_run: SavedRun) -> None:
    """Keep the value of a run that has ended; tell of a scheduled one, where it is to be told."""
    run, saved = saved_run.run, saved_run.saved
    with transaction.atomic():
        if not SavedRun.objects.filter(pk=saved_run.pk, settled=False).update(settled=True):
            return
        if run.status != Status.ANSWERED:
            if saved_run.scheduled:
                _fail(saved, run.error or f"The run ended as {run.get_status_display().lower()}.")
            return
        found = outcome_of(run)
        SavedRun.objects.filter(pk=saved_run.pk).update(value=found.value, number=found.number)
        if saved_run.scheduled:
            _tell(saved, run, found)


def _tell(saved: SavedQuestion, run: Run, found: Outcome) -> None:
    changed = found.fingerprint != saved.fingerprint
    SavedQuestion.objects.filter(pk=saved.pk).update(fingerprint=found.fingerprint, error="")
    if changed or not saved.only_when_changed:
        words = f"{saved.title}: {found.value}{'' if changed else f' ({found.compared}unchanged)'}"
        notices.tell(users=saved.recipients.all(), actor=None, kind=Notice.Kind.SCHEDULE, run=run, text=words)


@receiver(post_save, sender=Run)
def saved_run_ended(instance: Run, **_: Any) -> None:
    if instance.finished_at is not None and instance.settings.get("program"):
        found = SavedRun.objects.filter(run=instance, settled=False).select_related("saved").first()
        if found is not None:
            found.run = instance
            transaction.on_commit(lambda: settle(found))
