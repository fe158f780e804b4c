"""The worker process: `celery -A reactsql_web worker`. Settings named CELERY_* configure it."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")

app = Celery("reactsql_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_djangos_logging(**_: Any) -> None:
    """Having a receiver stops Celery from replacing the log settings."""
