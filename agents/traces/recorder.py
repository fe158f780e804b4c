"""The trace in the database: events saved as they happen, by the one worker that owns the run.

Ownership is a lease: a token in the run's row. Every write first renews the lease in the same transaction, and a worker
whose token is no longer there writes nothing (RunLostError). The database's row lock settles races.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.db.models.sql import UpdateQuery
from django.utils import timezone

from agents import endings
from agents.errors import RunLostError
from agents.models import LiveThought, Run, RunEvent, Status, StoredResult
from agents.traces import doorbell
from agents.traces.events import Event, Final, ModelReply, RunCancelled, ThoughtDelta, from_json, to_json
from connections.statements import Delete, Insert
from connections.storable import storable

LEASE = timedelta(seconds=20)
PACE = 0.15

log = structlog.get_logger(__name__)

_insert_event = Insert(RunEvent)
_delete_thought = Delete(LiveThought)


def take(run_id: UUID, worker: str) -> str | None:
    """Become the owner of a run that is queued or whose owner died: its lease token, or None when somebody has it."""
    token = f"{worker}:{uuid.uuid4().hex[:12]}"
    taken = waiting().filter(pk=run_id).update(
        status=Status.RUNNING,
        lease_owner=token,
        lease_until=Now() + LEASE,
        attempt=F("attempt") + 1,
        started_at=Coalesce("started_at", Now()),
    )  # fmt: skip
    return token if taken else None


def waiting() -> QuerySet[Run]:
    """Runs that a worker may take: queued ones, and ones whose owner let its lease run out."""
    return Run.objects.filter(Q(status=Status.QUEUED) | Q(status=Status.RUNNING, lease_until__lt=Now()))


class Lease:
    """One worker's hold on one run."""

    def __init__(self, run_id: UUID, token: str) -> None:
        self.run_id, self.token = run_id, token
        self._renewal: tuple[str, Any] | None = None

    def renew(self) -> None:
        """Raises RunLostError when another worker owns the run, or it has ended."""
        with connection.cursor() as cursor:
            cursor.execute(*self._renewal_statement())
            if not cursor.rowcount:
                raise RunLostError("Another worker continues this run, or it has ended.")

    def _renewal_statement(self) -> tuple[str, Any]:
        """Compiled once a lease: it goes before every event, and Django takes longer to write it than to run it."""
        if self._renewal is None:
            update = cast(UpdateQuery, self._owned().query.chain(UpdateQuery))
            update.add_update_values({"lease_until": Now() + LEASE})
            self._renewal = update.get_compiler(connection=connection).as_sql()
        return self._renewal

    def cancel_requested(self) -> bool:
        """Whether somebody pressed stop. Raises RunLostError as `renew` does."""
        requested = self._owned().values_list("cancel_requested_at", flat=True)
        if not requested:
            raise RunLostError("Another worker continues this run, or it has ended.")
        return requested[0] is not None

    def save(self, *events: Event, with_it: Callable[[], object] | None = None) -> None:
        """Keep `events`, and what `with_it` writes, in a transaction of their own."""
        with transaction.atomic():
            self.renew()
            for event in events:
                _insert_event(row_of(self.run_id, event))
            if with_it is not None:
                with_it()
            if any(isinstance(event, ModelReply) for event in events):
                _delete_thought(self.run_id)
        doorbell.ring(self.run_id)

    def finish(self, *events: Event, fill: Callable[[Run], None]) -> None:
        """Keep the run's last events and, with what `fill` sets, its end; afterwards nobody owns it."""

        def end() -> None:
            run = Run.objects.get(pk=self.run_id)
            fill(run)
            run.lease_owner, run.lease_until, run.finished_at = "", None, timezone.now()
            run.save()
            _delete_thought(self.run_id)

        self.save(*events, with_it=end)

    def release(self) -> None:
        """Give the run back, so that the next worker takes it at once."""
        self._owned().update(lease_owner="", lease_until=Now() - LEASE)

    def _owned(self) -> QuerySet[Run]:
        return Run.objects.filter(pk=self.run_id, lease_owner=self.token, status=Status.RUNNING)


def renew_all(leases: Iterable[Lease]) -> None:
    """Renew those of `leases` that still hold."""
    tokens = [lease.token for lease in leases]
    Run.objects.filter(lease_owner__in=tokens, status=Status.RUNNING).update(lease_until=Now() + LEASE)


def news_of(leases: Iterable[Lease]) -> dict[Lease, Literal["stop", "lost"] | None]:
    """Whether somebody pressed stop on a run, or somebody else owns it or it has ended."""
    tokens = {lease.token: lease for lease in leases}
    held = Run.objects.filter(lease_owner__in=list(tokens), status=Status.RUNNING)
    stopped = dict(held.values_list("lease_owner", "cancel_requested_at"))
    return {
        lease: "lost" if token not in stopped else "stop" if stopped[token] is not None else None
        for token, lease in tokens.items()
    }


class ThoughtWriter:
    """Shows the main line's reply while it is written: one small write every PACE seconds at most."""

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._turn, self._text, self._written = 0, "", 0.0
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        if isinstance(event, ThoughtDelta) and not event.branch:
            with self._lock:
                if not self._text:
                    self._written = time.monotonic()  # what is complete within the pace needs no picture
                self._text += event.text
                self._turn = event.turn
                if time.monotonic() - self._written >= PACE:
                    self._write()
                    self._written = time.monotonic()

    def restart(self) -> None:
        """The reply is complete, or asked for again."""
        with self._lock:
            self._text = ""

    def _write(self) -> None:
        row = LiveThought(run_id=self._run_id, turn=self._turn, text=storable(self._text))
        try:
            LiveThought.objects.bulk_create(
                [row], update_conflicts=True, unique_fields=["run"], update_fields=["turn", "text", "updated_at"]
            )
        except DatabaseError as error:  # only a picture of what is going on: the run must not end for it
            log.warning("thought not shown", error=str(error))
        doorbell.ring(self._run_id)


def saved_events(run_id: UUID, after: int = 0) -> list[Event]:
    """The events of a run behind position `after`, in order."""
    rows = RunEvent.objects.filter(run_id=run_id, position__gt=after).order_by("position")
    return [event_of(row) for row in rows]


def own_words(run: Run) -> str:
    """A question back, or why there is no answer, as the model wrote it: where people read a value, it cites it."""
    if run.status not in (Status.CLARIFY, Status.UNANSWERABLE):
        return ""
    return next((event.text for event in reversed(saved_events(run.pk)) if isinstance(event, Final)), "")


def last_place(run_id: UUID) -> tuple[int, int]:
    """Position and turn of the last saved event of a run, zeros where there is none."""
    last = RunEvent.objects.filter(run_id=run_id).order_by("-position").values_list("position", "turn").first()
    return last or (0, 0)


def event_of(row: RunEvent) -> Event:
    at = row.at.astimezone(UTC).isoformat(timespec="milliseconds")
    return from_json({"kind": row.kind, **row.data, "position": row.position, "at": at})


def cancel_queued(run_id: UUID, *, by: str) -> bool:
    """End a run that no worker has, whose stopping was asked for, with what it had spent until its worker was gone.
    Called inside a transaction."""
    ended = waiting().filter(pk=run_id, cancel_requested_at__isnull=False).update(
        status=Status.CANCELLED, finished_at=Now(), lease_owner="", lease_until=None
    )  # fmt: skip
    if not ended:
        return False
    events = saved_events(run_id)
    position, turn = last_place(run_id)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    event = RunCancelled(position=position + 1, at=now, turn=turn, by=by, **endings.spent(events).to_json())
    row_of(run_id, event).save(force_insert=True)
    run = Run.objects.get(pk=run_id)
    endings.fill(run, event, events, None)
    run.save()
    _delete_thought(run_id)
    return True


def delete_results(runs: QuerySet[Run]) -> None:
    """Delete the files of the results of `runs`; the rows about them go with the runs."""
    for file in StoredResult.objects.filter(run__in=runs).values_list("file", flat=True):
        (settings.RESULTS_DIR / file).unlink(missing_ok=True)


def row_of(run_id: UUID, event: Event) -> RunEvent:
    """`event` as it is stored."""
    data = to_json(replace(event, position=0, at=""))
    kept = {name: value for name, value in data.items() if name not in ("kind", "position", "at")}
    return RunEvent(
        run_id=run_id, position=event.position, kind=event.kind, turn=event.turn,
        at=datetime.fromisoformat(event.at), data=storable(kept),
    )  # fmt: skip
