"""Whether database, broker and worker are there. Each state is "ok" or says what is wrong, without secrets."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError

from agents import selectors
from reactsql_web.celery import app

log = structlog.get_logger(__name__)


def states() -> dict[str, str]:
    return {"database": _state(_database), "broker": _state(_broker), "worker": _state(_worker)}


def _state(look: Callable[[], str]) -> str:
    try:
        return look()
    except (DatabaseError, OperationalError, OSError) as error:
        log.warning("not ready", part=look.__name__.strip("_"), error=str(error))
        return f"not reachable ({type(error).__name__})"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def _broker() -> str:
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, timeout=2)
    return "ok"


def _worker() -> str:
    return "ok" if selectors.living_workers() else "no worker has been seen for 30 seconds"
