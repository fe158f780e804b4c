"""Schedules of saved questions: started by Celery's beat every minute, and told about when their runs have ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from agents import permissions
from agents.answers import store
from agents.library import collecting, notices
from agents.models import Notice, Run, SavedQuestion, SavedRun, Status
from connections.models import User

LAST_DAY = 28


def next_moment(cadence: str, day: int, at: time, zone: str, after: datetime) -> datetime | None:
    """The first moment behind `after` at which the schedule is due; None without a cadence."""
    if not cadence:
        return None
    local = after.astimezone(ZoneInfo(zone))
    for ahead in range(0, 63):
        date = (local + timedelta(days=ahead)).date()
        fits = {"daily": True, "weekly": date.weekday() == day, "monthly": date.day == day}[cadence]
        moment = datetime.combine(date, at, ZoneInfo(zone))
        if fits and moment > after:
            return moment
    raise ValueError(f"day {day} does not fit {cadence}")


def schedule(
    *, user: User, saved: SavedQuestion, cadence: str, day: int, at: time, recipients: Iterable[User],
    only_when_changed: bool,
) -> None:  # fmt: skip
    """Set the schedule; "" for `cadence` ends it. Runs have the rights of whoever set it. Raises ValidationError."""
    if not permissions.may_edit_saved(user, saved):
        raise SavedQuestion.DoesNotExist
    fits = {"": True, "daily": True, "weekly": 0 <= day <= 6, "monthly": 1 <= day <= LAST_DAY}
    if not fits.get(cadence, False):
        raise ValidationError(f"Choose a weekday, or a day of the month from 1 to {LAST_DAY}.", code="day")
    told = [one for one in recipients if saved.collection.team.memberships.filter(user=one).exists()]
    with transaction.atomic():
        saved.cadence, saved.day, saved.at, saved.only_when_changed = cadence, day, at, only_when_changed
        saved.owner, saved.error = user, ""
        saved.next_at = next_moment(cadence, day, at, user.time_zone, timezone.now())
        saved.save()
        saved.recipients.set(told if cadence else [])


def start_due(now: datetime | None = None) -> int:
    """Start what is due; returns how many runs were queued. Two beats start nothing twice."""
    now = now or timezone.now()
    started = 0
    for saved in SavedQuestion.objects.filter(next_at__lte=now).select_related("owner", "connection"):
        following = None
        if saved.owner is not None and saved.owner.is_active:
            following = next_moment(saved.cadence, saved.day, saved.at, saved.owner.time_zone, now)
        taken = SavedQuestion.objects.filter(pk=saved.pk, next_at=saved.next_at).update(next_at=following)
        started += bool(taken and _start(saved))
    return started


def _start(saved: SavedQuestion) -> bool:
    if saved.owner is None or not saved.owner.is_active:
        _fail(saved, "Whoever set the schedule is gone. Somebody of the team must set it again.")
        return False
    try:
        run = collecting.run_again(user=saved.owner, saved=saved)
    except ValidationError as error:
        _fail(saved, " ".join(error.messages))
        return False
    except ObjectDoesNotExist:
        _fail(saved, f"{saved.owner} may not ask {saved.connection} any more.")
        return False
    SavedRun.objects.filter(run=run).update(scheduled=True)
    return True


def _fail(saved: SavedQuestion, error: str) -> None:
    SavedQuestion.objects.filter(pk=saved.pk).update(error=error)


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
        rows, value, number = _result(run)
        SavedRun.objects.filter(pk=saved_run.pk).update(value=value, number=number)
        if saved_run.scheduled:
            _tell(saved, run, hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest(), value)


def _tell(saved: SavedQuestion, run: Run, fingerprint: str, value: str) -> None:
    changed = fingerprint != saved.fingerprint
    SavedQuestion.objects.filter(pk=saved.pk).update(fingerprint=fingerprint, error="")
    if changed or not saved.only_when_changed:
        words = f"{saved.title}: {value}{'' if changed else ' (unchanged)'}"
        notices.tell(users=saved.recipients.all(), actor=None, kind=Notice.Kind.SCHEDULE, run=run, text=words)


def _result(run: Run) -> tuple[list[Any], str, float | None]:
    """All stored rows; the single number where it is one, else how many rows there are."""
    stored = run.results.filter(number=run.answer_result).first() if run.answer_result is not None else None
    if stored is None:
        return [run.answer], " ".join(run.answer.split())[:60], None
    rows = [list(row) for row in store.read(settings.RESULTS_DIR / stored.file)]
    count = stored.rows_stored if stored.row_count is None else stored.row_count
    if len(rows) == 1:
        for cell in rows[0]:
            number = _number(cell)
            if number is not None:
                return rows, f"{number:,.10g}"[:60], number
    return rows, f"{count:,} row{'' if count == 1 else 's'}", float(count)


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        return float(cell)
    except ValueError:
        return None


@receiver(post_save, sender=Run)
def saved_run_ended(instance: Run, **_: Any) -> None:
    if instance.finished_at is not None and instance.settings.get("program"):
        found = SavedRun.objects.filter(run=instance, settled=False).select_related("saved").first()
        if found is not None:
            found.run = instance
            transaction.on_commit(lambda: settle(found))
