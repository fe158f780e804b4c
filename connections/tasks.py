"""Celery's doorway: ids in, nothing out."""

from __future__ import annotations

import structlog
from celery import shared_task
from kombu.exceptions import OperationalError

from connections.errors import DatabaseError
from connections.models import Connection

log = structlog.get_logger(__name__)


NO_WORKER = "The queue cannot be reached. The catalogue is read with the first question, or try again in a moment."

SWITCHED_OFF = "The connection is switched off. Tick “May be asked” in its form, and its catalogue is read."


def enqueue_refresh(connection_id: int) -> None:
    """Ring for a worker. When the broker is away, the catalogue is read with the first question instead."""
    from connections import snapshots  # late: it needs the apps to be loaded

    try:
        refresh_task.delay(connection_id)
    except (OperationalError, OSError) as error:
        log.warning("broker not reachable; catalogue not refreshed", connection=connection_id, error=str(error))
        for connection in Connection.objects.filter(pk=connection_id):
            snapshots.failed(connection, NO_WORKER)


@shared_task(name="connections.refresh_catalogue")
def refresh_task(connection_id: int) -> None:
    from connections import services, snapshots  # late: services import this module

    connection = Connection.objects.filter(pk=connection_id).first()
    if connection is None:
        return
    if not connection.is_active:
        snapshots.failed(connection, SWITCHED_OFF)
        return
    try:
        services.refresh_catalogue(connection)
    except DatabaseError as error:
        log.warning("catalogue not refreshed", connection=connection.name, error=str(error))
    except Exception:  # a task's edge: people see that it failed, the log sees why
        snapshots.failed(connection, "Something unexpected happened; the log of the worker says more.")
        raise


@shared_task(name="connections.refresh_all")
def refresh_all_task() -> None:
    """Every night: what was added to a database since can be asked about in the morning."""
    from connections import services  # late: services import this module

    for connection in Connection.objects.filter(is_active=True):
        services.queue_refresh(connection)
