"""How long things are kept, what would go now, and letting it go. The settings' *_DAYS decide; 0 keeps for ever."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Min, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from agents.models import LIVE, Run, SavedRun, Share, Status, StoredResult, Thread
from agents.models.ownership import answers_of_a_team, of_a_team
from agents.traces import recorder
from connections import audit
from connections.models import AuditEntry, QueryLogEntry


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing with its setting: what is older than the moment, by which date, and how it goes."""

    name: str
    setting: str
    dated: str
    old: Callable[[datetime], QuerySet[Any]]
    remove: Callable[[QuerySet[Any], datetime], int]


@dataclass(frozen=True, slots=True)
class Due:
    """What of one kind would go now; `oldest` is None where nothing would."""

    kind: Kind
    days: int
    number: int
    oldest: datetime | None


def due() -> list[Due]:
    """A preview: nothing is changed."""
    found = []
    for kind in KINDS:
        days = int(getattr(settings, kind.setting))
        entries = kind.old(_moment(days)) if days else None
        oldest = entries.aggregate(oldest=Min(kind.dated))["oldest"] if entries is not None else None
        found.append(Due(kind, days, entries.count() if entries is not None else 0, oldest))
    return found


def apply() -> Mapping[str, int]:
    """Delete what is due, and write down how much. By kind, how many went."""
    gone = {}
    for kind in KINDS:
        if days := int(getattr(settings, kind.setting)):
            moment = _moment(days)
            number = kind.remove(kind.old(moment), moment)
            if number:
                gone[kind.name] = number
    if gone:
        audit.record("retention", actor_name="schedule", detail=gone)
    return gone


def _moment(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _old_threads(moment: datetime) -> QuerySet[Any]:
    """Threads that rest: nobody works in them, nothing of them is shared, and no team has anything of them."""
    kept = Q(questions__runs__in=Share.live.values("run")) | Q(questions__runs__status__in=LIVE)
    kept_ids = Thread.objects.filter(kept | of_a_team("questions__runs__")).values("pk")
    return Thread.objects.filter(updated_at__lt=moment).exclude(pk__in=kept_ids)


def _remove_threads(threads: QuerySet[Any], _: datetime) -> int:
    number = 0
    for thread in threads.iterator():
        with transaction.atomic():
            recorder.delete_results(Run.objects.filter(question__thread=thread))
            thread.delete()
            number += 1
    return number


def _old_results(moment: datetime) -> QuerySet[Any]:
    """Each result carries the date until which it is kept; what is shared or a team has is kept longer."""
    kept = Q(pk__in=Share.live.values("run")) | answers_of_a_team("") | Q(pk__in=_newest_of_saved_questions())
    expired = StoredResult.objects.filter(expires_at__lt=timezone.now())
    return expired.exclude(run__in=Run.objects.filter(kept).values("pk"))


def _newest_of_saved_questions() -> QuerySet[Any, Any]:
    """Keys of the runs that show what each saved question gave last. One that runs every day must not keep them all."""
    given = SavedRun.objects.filter(saved=OuterRef("saved"), with_own_values=False, run__status=Status.ANSWERED)
    newest = given.order_by("-created_at", "-pk").values("pk")[:1]
    return SavedRun.objects.filter(pk=Subquery(newest)).values("run")


def _remove_results(results: QuerySet[Any], _: datetime) -> int:
    """The rows go, the trace stays."""
    number = 0
    for result in results.iterator():
        (settings.RESULTS_DIR / result.file).unlink(missing_ok=True)
        number += StoredResult.objects.filter(pk=result.pk).update(expires_at=None)
    return number


def _ended_shares(moment: datetime) -> QuerySet[Any]:
    return Share.objects.filter(Q(expires_at__lt=moment) | Q(revoked_at__lt=moment))


def _remove(entries: QuerySet[Any], _: datetime) -> int:
    number: int = entries.count()
    entries.delete()
    return number


KINDS = (
    Kind("questions", "QUESTION_DAYS", "updated_at", _old_threads, _remove_threads),
    Kind("rows of results", "RESULT_DAYS", "expires_at", _old_results, _remove_results),
    Kind("ended shares and links", "LINK_DAYS", "created_at", _ended_shares, _remove),
    Kind("query log entries", "LOG_DAYS", "at", QueryLogEntry.objects.all().before,
         lambda _, moment: QueryLogEntry.objects.all().retire(moment)),
    Kind("audit log entries", "LOG_DAYS", "at", AuditEntry.objects.all().before,
         lambda _, moment: AuditEntry.objects.all().retire(moment)),
)  # fmt: skip
