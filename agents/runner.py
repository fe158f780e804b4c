"""Where a stored run meets everything it needs: the one place that knows both Django and the pure core.

`run_one` takes the run's lease, builds the workbench, lets the strategy work, and keeps events, results and the end as
they happen. A run whose worker died is taken the same way: the journal plays back what was saved.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.db import connections as own_databases

from agents import context, endings, results, spending, strategies
from agents.allowances import run_limits, run_settings
from agents.contracts import ModelClient, Workbench
from agents.engine.engine import Engine, EngineSettings
from agents.errors import ConnectionFailedError, DatabaseError, RunCancelledError, RunLostError
from agents.llm.budget import Budget
from agents.llm.fallback import FallbackClient
from agents.llm.messages import ModelProfile
from agents.llm.no_model import NoModel
from agents.llm.profiles import ProfileError
from agents.models import Run
from agents.profiles import chain_of
from agents.traces import recorder
from agents.traces.events import (
    CallResult,
    Calls,
    Event,
    Final,
    ModelReply,
    Observation,
    Retry,
    RunCancelled,
    RunFailed,
    RunFinished,
    Shaped,
    Warned,
)
from agents.traces.journal import MemoryJournal
from agents.watch import Watch
from connections import services as connections
from connections.door import Door
from connections.models import Connection

MAX_ATTEMPTS = 5

# Saved with what follows them without a wait, or before the next statement: a transaction less for each.
FOLLOWED_AT_ONCE = (Calls, CallResult, Observation, Warned, Final, Shaped)

log = structlog.get_logger(__name__)

_working: dict[UUID, RunInWork] = {}  # the runs of this process, so that its end can give them back
_lock = threading.Lock()
_closing = threading.Event()


def run_one(run_id: UUID) -> None:
    """Work on a run until it ends, unless somebody else has it. The worker outlives every run."""
    with structlog.contextvars.bound_contextvars(run_id=str(run_id)):
        work = _begin(run_id)
        if work is None:
            return
        try:
            work.do()
        except RunLostError as error:
            log.info("run given up", reason=str(error))
        except Exception:  # noqa: BLE001  a task's edge
            work.fail_unexpectedly()
        finally:
            with _lock:
                del _working[run_id]


def _begin(run_id: UUID) -> RunInWork | None:
    with _lock:  # whoever asks `works_on` waits until a lease just taken is written down here, too
        if _closing.is_set() or run_id in _working:  # its lease may have run out while this process could not renew it
            return None
        token = recorder.take(run_id, f"{socket.gethostname()}:{os.getpid()}")
        if token is None:
            return None
        work = _working[run_id] = RunInWork(recorder.Lease(run_id, token))
        return work


def working() -> int:
    """How many runs this process works on."""
    return len(_working)


def works_on(run_id: UUID) -> bool:
    with _lock:
        return run_id in _working


def close() -> None:
    """The process is ending: begin no run, and give back those that are going on."""
    _closing.set()
    give_back_all()


def give_back_all() -> None:
    """Stop the runs where they are; whoever takes one next goes on from its last saved turn."""
    with _lock:
        works = list(_working.values())
    for work in works:
        work.give_back()


class RunInWork:
    """One attempt to finish one run."""

    def __init__(self, lease: recorder.Lease) -> None:
        self._lease = lease
        self._thoughts = recorder.ThoughtWriter(lease.run_id)
        self._events: list[Event] = []
        self._unsaved: list[Event] = []
        self._saving = threading.Lock()
        self._given_up = threading.Event()
        self._journal: MemoryJournal | None = None
        self._door: Door | None = None
        self._model: ModelClient | None = None
        self._engine: Engine | None = None

    def do(self) -> None:
        with ExitStack() as stack:
            stack.enter_context(Watch(self._lease, cancel=self._cancel, abandon=self._abandon))
            run = Run.objects.select_related(
                "question__thread__connection", "question__asked_by", "language_model"
            ).get(pk=self._lease.run_id)
            self._events = recorder.saved_events(run.pk)
            self._journal = MemoryJournal(self._events, sink=self._keep, live=self._thoughts, check=self._check)
            try:
                self._check_start(run)
                bench = self._build(run, self._journal, stack)
            except (DatabaseError, ProfileError, ImproperlyConfigured) as error:
                self._end(RunFailed(error={"type": type(error).__name__, "message": str(error)}))
            except RunCancelledError:
                self._end(RunCancelled(by=run.question.asked_by.get_username()))
            else:
                strategies.start(context.task_of(run), bench, run.strategy)

    def give_back(self) -> None:
        self._abandon()
        self._lease.release()

    def fail_unexpectedly(self) -> None:
        reference = secrets.token_hex(4)
        log.exception("run failed unexpectedly", reference=reference)
        text = f"Something went wrong inside ReAct-SQL Web. Its log tells more under the number {reference}."
        try:
            self._end(RunFailed(error={"type": "InternalError", "message": text}))
        except Exception:  # noqa: BLE001  the database itself may be the fault; the sweep tries the run again
            log.exception("the end of the run could not be written", reference=reference)

    def _check_start(self, run: Run) -> None:
        if run.attempt > MAX_ATTEMPTS:
            raise ConnectionFailedError(
                f"The workers of this run died {MAX_ATTEMPTS} times, so it is not tried again. "
                "An administrator finds the reason in the worker's log."
            )
        if self._lease.cancel_requested():
            raise RunCancelledError("The run was stopped.")

    def _build(self, run: Run, journal: MemoryJournal, stack: ExitStack) -> Workbench:
        connection = _connection_of(run)
        self._model = NoModel() if run.strategy == strategies.PROGRAM else FallbackClient(_models_of(run))
        Run.objects.filter(pk=run.pk).update(model_name=self._model.profile.name)
        self._door = stack.enter_context(
            connections.open_door(connection, run.question.asked_by, run_id=run.pk, before=self._catch_up)
        )
        limits = self._door.limits
        settings = EngineSettings(max_rows=limits.rows, seconds=limits.seconds, send_values=connection.send_values)
        self._engine = Engine(self._door, settings=settings)
        return Workbench(
            engine=self._engine,
            catalogue=self._door.catalogue,
            model=self._model,
            journal=journal,
            budget=Budget(run_limits(), before=endings.spent(self._events), allowed=spending.Allowance(run)),
            settings=run_settings(send_values=connection.send_values, samples=_samples(run, self._model)),
            leave_thread=own_databases.close_all,  # of whatever thread calls it
        )

    # --- What the journal calls --------------------------------------------------------------------------------------

    def _keep(self, event: Event) -> None:
        """Save `event`, and in the same transaction the result or the end that it tells of."""
        self._check()
        with self._saving:
            unsaved = [*self._unsaved, event]
            follows = isinstance(event, FOLLOWED_AT_ONCE)
            if isinstance(event, (ModelReply, Retry)):
                self._thoughts.restart()
            if isinstance(event, (RunFinished, RunFailed, RunCancelled)):
                self._lease.finish(*unsaved, fill=lambda run: self._finish(run, event))
            elif isinstance(event, CallResult) and event.result is not None and self._engine is not None:
                self._lease.save(*unsaved, with_it=results.keep(self._lease, self._engine.results[event.result - 1]))
                follows = False
            elif not follows:
                self._lease.save(*unsaved)
            self._unsaved = unsaved if follows else []
            self._events.append(event)

    def _finish(self, run: Run, event: endings.Ending) -> None:
        endings.fill(run, event, self._events, self._engine)
        spending.close(run)

    def _catch_up(self) -> None:
        """A statement comes, which may take long: show what it is for."""
        with self._saving:
            if self._unsaved:
                self._check()
                self._lease.save(*self._unsaved)
                self._unsaved = []

    def _check(self) -> None:
        if self._given_up.is_set():
            raise RunLostError("This worker gave the run back.")

    # --- What the watch calls, from its own thread -------------------------------------------------------------------

    def _cancel(self) -> None:
        if self._journal is not None:  # before there is one, `_check_start` is still to come
            self._journal.cancel()
        self._interrupt()

    def _abandon(self) -> None:
        self._given_up.set()
        self._interrupt()

    def _interrupt(self) -> None:
        """End the model call and the statement that are running."""
        for tool in (self._model, self._door):
            if tool is not None:
                tool.cancel()

    def _end(self, event: endings.Ending) -> None:
        """Write an end that no strategy came to, past what the journal would play back first."""
        ending = replace(event, **endings.spent(self._events).to_json())
        try:
            self._keep(self._placed(ending))
        except RunLostError:
            raise
        except Exception:  # noqa: BLE001  what was not saved yet may be the fault: the end alone may be kept
            self._unsaved = []
            self._keep(self._placed(ending))

    def _placed(self, event: Event) -> Event:
        """`event` behind all that is saved, or waits to be."""
        position, turn = recorder.last_place(self._lease.run_id)
        if self._unsaved:
            position, turn = self._unsaved[-1].position, self._unsaved[-1].turn
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return replace(event, position=position + 1, turn=turn, at=now)


def _models_of(run: Run) -> list[ModelProfile]:
    """The model, and those that stand in for it; none does for one that is measured."""
    chain = chain_of(run.language_model)
    return chain[:1] if run.question.thread.evaluation_id is not None else chain


def _samples(run: Run, model: ModelClient) -> int:
    """Drafts that vote: as many as the run was asked for, else as many as the model's profile says."""
    return int(run.settings.get("samples") or model.profile.samples)


def _connection_of(run: Run) -> Connection:
    connection = run.question.thread.connection
    if connection is None:
        raise ConnectionFailedError("The connection of this question was deleted. Ask it on another one.")
    return connection
