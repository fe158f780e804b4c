"""What a worker does beside its runs: say that it lives, pick up what nobody works on, delete what has expired."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from agents import retention, runner, spending, tasks
from agents.library import evaluating
from agents.models import Run, Status, WorkerBeat
from agents.traces import recorder

BEAT_SECONDS = 5.0
SWEEP_SECONDS = 5.0
SETTLE_SECONDS = 60.0
EVALUATION_SECONDS = 10.0
RETENTION_SECONDS = 3600.0
FORGOTTEN_AFTER = timedelta(days=1)

log = structlog.get_logger(__name__)


def sweep(free: int) -> int:
    """Ring for up to `free` runs that wait: queued ones that the broker lost, and ones whose worker died."""
    free_runs_of_the_dead()
    waiting = list(recorder.waiting().order_by("created_at").values_list("pk", flat=True)[: max(free, 0)])
    for run_id in waiting:
        tasks.enqueue_run(run_id)
    return len(waiting)


def free_runs_of_the_dead() -> None:
    """A process of this machine that is gone needs no lease: its runs need not wait until it has run out."""
    for run in Run.objects.filter(status=Status.RUNNING, lease_owner__startswith=f"{socket.gethostname()}:"):
        process = int(run.lease_owner.split(":")[1])
        if process == os.getpid():
            gone = not runner.works_on(run.pk)  # its number was given anew, as in a container that was started again
        else:
            gone = not Path(f"/proc/{process}").exists() and Path("/proc/self").exists()
        if gone:
            recorder.Lease(run.pk, run.lease_owner).release()


def beat(name: str) -> None:
    WorkerBeat.objects.update_or_create(name=name)
    WorkerBeat.objects.filter(seen_at__lt=timezone.now() - FORGOTTEN_AFTER).delete()


class Upkeep:
    """A thread beside the worker's runs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="upkeep", daemon=True)
        self._duties: tuple[tuple[Callable[[], object], float], ...] = (
            (lambda: beat(self._name), BEAT_SECONDS),
            (lambda: sweep(settings.WORKER_THREADS - runner.working()), SWEEP_SECONDS),
            (spending.settle, SETTLE_SECONDS),
            (evaluating.wake, EVALUATION_SECONDS),
            (retention.apply, RETENTION_SECONDS),
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def _go_on(self) -> None:
        due = [0.0 for _ in self._duties]
        while not self._stopped.is_set():
            for number, (act, seconds) in enumerate(self._duties):
                if time.monotonic() >= due[number]:
                    due[number] = time.monotonic() + seconds
                    _once(act)
            self._stopped.wait(0.5)
        _once(lambda: WorkerBeat.objects.filter(name=self._name).delete())
        connection.close()


def _once(act: Callable[[], object]) -> None:
    try:
        act()
    except (DatabaseError, OSError) as error:  # the database is away: the next round may find it back
        log.warning("upkeep failed", error=str(error))
        connection.close()
