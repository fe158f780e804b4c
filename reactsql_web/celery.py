"""The worker process: `celery -A reactsql_web worker`. Settings named CELERY_* configure it."""

import gc
import os
import socket
import sys
import threading
import warnings
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import setup_logging, worker_init, worker_ready, worker_shutdown, worker_shutting_down
from django.core.exceptions import ImproperlyConfigured

from reactsql_web import broker, env_file

env_file.read()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")

# Said to everybody who is root, because a worker that unpickles messages can be made to run code. Ours reads JSON only;
# that it should not be root on a server is what `manage.py check --deploy` says (checks.py).
warnings.filterwarnings("ignore", "You're running the worker with superuser privileges", SecurityWarning)

app = Celery("reactsql_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
broker.serve(app)


@setup_logging.connect
def keep_djangos_logging(**_: Any) -> None:
    """Having a receiver stops Celery from replacing the log settings."""


@worker_init.connect
def stop_on_errors(**_: Any) -> None:
    from reactsql_web import checks  # late: the apps are loaded by now

    try:
        checks.stop_on_errors()
    except ImproperlyConfigured as error:  # Celery would log it and go on
        sys.exit(str(error))


@worker_ready.connect
def begin_upkeep(**_: Any) -> None:
    from agents.upkeep import Upkeep  # late: the apps are loaded by now

    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()
    app.upkeep = Upkeep(f"{socket.gethostname()}:{os.getpid()}")
    app.upkeep.start()


def _warm_up() -> None:
    """Import what takes seconds, so that no question waits for it. What is there then stays: the collector of garbage
    need not walk over it again, for half a second each time, while runs wait."""
    from agents.llm.client import preload

    preload()
    gc.collect()
    gc.freeze()


@worker_shutting_down.connect
def give_runs_back(**_: Any) -> None:
    """Runs stop where they are; whoever starts next goes on from their last saved turn."""
    from agents import runner

    runner.close()


@worker_shutdown.connect
def end_upkeep(**_: Any) -> None:
    if upkeep := getattr(app, "upkeep", None):
        upkeep.stop()
