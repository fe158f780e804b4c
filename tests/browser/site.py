"""A whole site of its own for browser tests: web process, and where wanted a worker and a scripted model.

Everything runs as in life, as processes on a free port with a data folder of their own; nothing is shared with the
developer's site.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60.0


@dataclass(frozen=True)
class Site:
    url: str
    env: Mapping[str, str]
    folder: Path
    teller: subprocess.Popen[str]
    pid: int  # of the web process

    def furnish(self, story: str, *arguments: str) -> Any:
        """Tell a story of tests/browser/furnish.py in the site's database; returns what it says about it."""
        assert self.teller.stdin is not None
        assert self.teller.stdout is not None
        self.teller.stdin.write(json.dumps([story, *arguments]) + "\n")
        self.teller.stdin.flush()
        told = self.teller.stdout.readline()
        if not told:
            raise RuntimeError(f"{story} failed:\n{self.log('furnish')}")
        return json.loads(told)

    def log(self, name: str) -> str:
        """The last lines of a process's log."""
        return (self.folder / f"{name}.log").read_text("utf-8", "replace")[-6000:]

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        command = [sys.executable, "-m", "celery", "-A", "reactsql_web", "worker", "--pool", "threads",
                   "--concurrency", "2", "--loglevel", "warning"]  # fmt: skip
        with _process(command, self.env, self.folder / "worker.log") as process:
            yield process


@contextmanager
def site(folder: Path, **settings: str) -> Iterator[Site]:
    """The web process on a free port with an empty, migrated database."""
    port = free_port()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LLM_")},
        "DATA_DIR": str(folder / "data"), "DATABASES_DIR": str(folder / "databases"), "PORT": str(port),
        "ENV_FILE": "off", "DATABASE_URL": "", "REDIS_URL": "", "DJANGO_SETTINGS_MODULE": "reactsql_web.settings",
        "LLM_MODEL": "openai/scripted", "LLM_API_BASE": "http://127.0.0.1:9/v1", "LLM_API_KEY": "none",
        "LOGIN_FAILURES": "50", "QUESTIONS_PER_MINUTE": "1000", **settings,
    }  # fmt: skip
    (folder / "databases").mkdir(parents=True, exist_ok=True)
    _python(env, "manage.py", "migrate", "--verbosity", "0")
    command = [sys.executable, "-m", "uvicorn", "reactsql_web.asgi:application", "--host", "127.0.0.1",
               "--port", str(port), "--timeout-graceful-shutdown", "1", "--log-level", "warning"]  # fmt: skip
    with _process(command, env, folder / "web.log") as process:
        url = f"http://127.0.0.1:{port}"
        _wait_until_up(f"{url}/healthz", process, folder / "web.log")
        with _teller(env, folder / "furnish.log") as teller:
            yield Site(url, env, folder, teller, process.pid)


@contextmanager
def _teller(env: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.browser.furnish"]
    pipe = subprocess.PIPE
    with log.open("ab") as errors, subprocess.Popen(
        command, cwd=ROOT, env=env, stdin=pipe, stdout=pipe, stderr=errors, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _python(env: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


@contextmanager
def _process(command: list[str], env: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def _wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError(f"{url} did not answer:\n{log.read_text('utf-8', 'replace')[-4000:]}")
