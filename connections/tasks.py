"""Celery's doorway: ids in, nothing out."""

from __future__ import annotations

import structlog
from celery import shared_task
from kombu.exceptions import OperationalError

from connections.errors import DatabaseError
from connections.models import Connection

log = structlog.get_logger(__name__)


def enqueue_refresh(connection_id: int) -> None:
    """Ring for a worker. When the broker is away, the catalogue is read with the first question instead."""
    try:
        refresh_task.delay(connection_id)
    except (OperationalError, OSError) as error:
        log.warning("broker not reachable; catalogue not refreshed", connection=connection_id, error=str(error))


@shared_task(name="connections.refresh_catalogue")
def refresh_task(connection_id: int) -> None:
    from connections import services  # late: services import this module

    connection = Connection.objects.filter(pk=connection_id, is_active=True).first()
    if connection is None:
        return
    try:
        services.refresh_catalogue(connection)
    except DatabaseError as error:
        log.warning("catalogue not refreshed", connection=connection.name, error=str(error))
