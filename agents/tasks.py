"""Celery's doorway: ids in, nothing out. The database is the truth; a task only says "look"."""

from __future__ import annotations

from smtplib import SMTPException
from uuid import UUID

import structlog
from celery import shared_task
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)


def enqueue_run(run_id: UUID) -> None:
    """Ring for a worker. When the broker is away, the workers' next sweep finds the run."""
    try:
        run_task.delay(str(run_id))
    except (OperationalError, OSError) as error:
        log.warning("broker not reachable; the sweep will start the run", run_id=str(run_id), error=str(error))


@shared_task(name="agents.run")
def run_task(run_id: str) -> None:
    from agents import runner  # late: the web process only rings
    from agents.library import evaluating

    runner.run_one(UUID(run_id))
    evaluating.ended(UUID(run_id))


def enqueue_evaluation(evaluation_id: int) -> None:
    """Ring for a worker. When the broker is away, the workers' upkeep finds the evaluation."""
    try:
        evaluation_task.delay(evaluation_id)
    except (OperationalError, OSError) as error:
        log.warning("broker not reachable; upkeep will go on", evaluation=evaluation_id, error=str(error))


@shared_task(name="agents.evaluation")
def evaluation_task(evaluation_id: int) -> None:
    from agents.library import evaluating  # late: the web process only rings

    evaluating.advance(evaluation_id)


def enqueue_mail(notice_id: int) -> None:
    """Ring for a worker. When the broker is away the notice stays on the page, unsent."""
    try:
        mail_task.delay(notice_id)
    except (OperationalError, OSError) as error:
        log.warning("broker not reachable; notice not mailed", notice=notice_id, error=str(error))


@shared_task(name="agents.mail")
def mail_task(notice_id: int) -> None:
    from agents.library import notices  # late: notices import this module

    try:
        notices.send(notice_id)
    except (SMTPException, OSError) as error:
        log.warning("notice not mailed", notice=notice_id, error=str(error))


@shared_task(name="agents.schedules")
def schedules_task() -> None:
    from agents.library import scheduling  # late: the web process only rings

    scheduling.start_due()
