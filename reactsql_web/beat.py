"""The beat process: `celery -A reactsql_web.beat beat`. It sends tasks by their names, so it loads nothing of what they
need, and takes a fraction of a worker's memory."""

import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

from reactsql_web import broker, env_file

env_file.read()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")

app = Celery("reactsql_web", fixups=())  # Celery's own for Django sets up all apps
app.config_from_object("django.conf:settings", namespace="CELERY")
broker.serve(app)


@setup_logging.connect
def log_as_the_others(**_: Any) -> None:
    """Having a receiver stops Celery from setting up logs of its own."""
    dictConfig(settings.LOGGING)
