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

# Saved with the event that follows them without a wait: a transaction less for each.
FOLLOWED_AT_ONCE = (Observation, Warned, Final, Shaped)

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
        token = None if _closing.is_set() else recorder.take(run_id, f"{socket.gethostname()}:{os.getpid()}")
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
        self._run = Run.objects.select_related(
            "question__thread__connection", "question__asked_by", "language_model"
        ).get(pk=lease.run_id)
        self._thoughts = recorder.ThoughtWriter(lease.run_id)
        self._events = recorder.saved_events(lease.run_id)
        self._unsaved: list[Event] = []
        self._journal = MemoryJournal(self._events, sink=self._keep, live=self._thoughts, check=self._check)
        self._given_up = threading.Event()
        self._door: Door | None = None
        self._model: ModelClient | None = None
        self._engine: Engine | None = None

    def do(self) -> None:
        with ExitStack() as stack:
            stack.enter_context(Watch(self._lease, cancel=self._cancel, abandon=self._abandon))
            try:
                self._check_start()
                bench = self._build(stack)
            except (DatabaseError, ProfileError, ImproperlyConfigured) as error:
                self._end(RunFailed(error={"type": type(error).__name__, "message": str(error)}))
            except RunCancelledError:
                self._end(RunCancelled(by=self._run.question.asked_by.get_username()))
            else:
                strategies.start(context.task_of(self._run), bench, self._run.strategy)

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

    def _check_start(self) -> None:
        if self._run.attempt > MAX_ATTEMPTS:
            raise ConnectionFailedError(
                f"The workers of this run died {MAX_ATTEMPTS} times, so it is not tried again. "
                "An administrator finds the reason in the worker's log."
            )
        if self._lease.cancel_requested():
            raise RunCancelledError("The run was stopped.")

    def _build(self, stack: ExitStack) -> Workbench:
        run, connection = self._run, self._connection()
        self._model = NoModel() if run.strategy == strategies.PROGRAM else FallbackClient(self._models())
        Run.objects.filter(pk=run.pk).update(model_name=self._model.profile.name)
        self._door = stack.enter_context(connections.open_door(connection, run.question.asked_by, run_id=run.pk))
        self._engine = Engine(self._door, settings=EngineSettings(send_values=connection.send_values))
        return Workbench(
            engine=self._engine,
            catalogue=self._door.catalogue,
            model=self._model,
            journal=self._journal,
            budget=Budget(
                run_limits(), seconds_before=endings.seconds_of(self._events), allowed=spending.Allowance(run)
            ),
            settings=run_settings(send_values=connection.send_values, samples=run.settings.get("samples", 1)),
        )

    def _models(self) -> list[ModelProfile]:
        """The model, and those that stand in for it; none does for one that is measured."""
        chain = chain_of(self._run.language_model)
        return chain[:1] if self._run.question.thread.evaluation_id is not None else chain

    def _connection(self) -> Connection:
        connection = self._run.question.thread.connection
        if connection is None:
            raise ConnectionFailedError("The connection of this question was deleted. Ask it on another one.")
        return connection

    # --- What the journal calls --------------------------------------------------------------------------------------

    def _keep(self, event: Event) -> None:
        """Save `event`, and in the same transaction the result or the end that it tells of."""
        self._check()
        unsaved = [*self._unsaved, event]
        if isinstance(event, (ModelReply, Retry)):
            self._thoughts.restart()
        if isinstance(event, (RunFinished, RunFailed, RunCancelled)):
            self._lease.finish(*unsaved, fill=lambda run: self._finish(run, event))
        elif isinstance(event, CallResult) and event.result is not None and self._engine is not None:
            self._lease.save(*unsaved, with_it=results.keep(self._lease, self._engine.results[event.result - 1]))
        elif not isinstance(event, FOLLOWED_AT_ONCE):
            self._lease.save(*unsaved)
        self._unsaved = unsaved if isinstance(event, FOLLOWED_AT_ONCE) else []
        self._events.append(event)

    def _finish(self, run: Run, event: endings.Ending) -> None:
        endings.fill(run, event, self._events, self._engine)
        spending.close(run)

    def _check(self) -> None:
        if self._given_up.is_set():
            raise RunLostError("This worker gave the run back.")

    # --- What the watch calls, from its own thread -------------------------------------------------------------------

    def _cancel(self) -> None:
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

    def _end(self, event: Event) -> None:
        """Write an end that no strategy came to, past what the journal would play back first."""
        last = self._events[-1] if self._events else event
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._keep(replace(event, position=last.position + 1, turn=last.turn, at=now))
