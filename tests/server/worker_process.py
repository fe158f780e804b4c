"""Real worker processes for tests, and questions that come from another process through the real broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ("-m", "celery", "-A", "reactsql_web", "worker", "--pool", "threads", "--concurrency", "2", "--loglevel",
           "warning")  # fmt: skip
ASK = """
from agents import services
from connections.models import Connection, User
run = services.ask(user=User.objects.get(username="ada"), connection=Connection.objects.get(name="Shop"),
                   text="Sales in Germany?", strategy="react")
print(run.pk)
"""


class Worker:
    """One worker process, in its own process group, so that nothing of it outlives the test."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self._log = log.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, *COMMAND], cwd=ROOT, env=environment, stdout=self._log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=10)

    def terminate(self) -> None:
        """Ask it to end, as a supervisor does."""
        self.process.send_signal(signal.SIGTERM)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()
        self._log.close()


def ask_in_another_process(environment: dict[str, str]) -> str:
    """The id of the new run."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", ASK]
    asked = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return asked.stdout.split()[-1]


def wait_for(condition: Callable[[], object], seconds: float, what: str) -> float:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, f"not within {seconds} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - started
