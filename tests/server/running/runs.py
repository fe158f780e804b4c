"""Working on a run in the test's own process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.db import connection as own_connection

from agents import runner
from agents.models import Run


def ended(run: Run) -> Run:
    runner.run_one(run.pk)
    run.refresh_from_db()
    return run


def within(seconds: float, act: Callable[[], None], condition: Callable[[], bool]) -> float:
    """Seconds from `act` until `condition`; fails after `seconds`."""
    act()
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, f"not within {seconds} s"
        time.sleep(0.02)
    return time.monotonic() - started


def in_background(run: Run) -> threading.Thread:
    def work() -> None:
        runner.run_one(run.pk)
        own_connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread
