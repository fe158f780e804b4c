"""`make run`: nothing starts beside a taken port, processes come back when they die, and everything stops together."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from reactsql_web import ports
from reactsql_web.celery import app

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def free_port() -> int:
    with taken_port() as port:
        return port


def wait_for(what: str, happened: object, seconds: float = 60) -> object:
    assert callable(happened)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := happened():
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def test_a_taken_port_is_named_with_a_way_out() -> None:
    with taken_port() as port, pytest.raises(ports.PortTakenError, match=rf"Port {port} is in use.*PORT={port + 1}"):
        ports.check_free("PORT", "127.0.0.1", port)


def test_a_port_is_free_right_after_its_server_stopped() -> None:
    ports.check_free("PORT", "127.0.0.1", free_port())


def test_an_address_of_another_machine_is_refused_in_words() -> None:
    with pytest.raises(ports.PortTakenError, match="HOST"):
        ports.check_free("PORT", "203.0.113.7", 8000)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://localhost:8000"),  # noqa: S104
        ("::", "http://localhost:8000"),
        ("::1", "http://[::1]:8000"),
    ],
)
def test_the_address_is_one_that_this_machine_can_open(host: str, url: str) -> None:
    assert ports.address(host, 8000) == url


def test_what_does_not_answer_is_named() -> None:
    assert "does not answer" in ports.wait_until_up(f"http://127.0.0.1:{free_port()}/readyz", 0)


@contextmanager
def kept(command: str) -> Iterator[subprocess.Popen[str]]:
    """A keeper of `command` in a process group of its own, as honcho starts it."""
    code = f"import sys; from reactsql_web.keep import Keeper; sys.exit(Keeper('it', {command!r}).run())"
    keeper = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, text=True
    )
    try:
        yield keeper
    finally:
        if keeper.poll() is None:
            os.killpg(keeper.pid, signal.SIGKILL)
        keeper.communicate()


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_process_is_started_again_and_stops_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with kept(f"sh -c 'echo $$ >> {file}; exec sleep 60'") as keeper:
        wait_for("the start", lambda: len(pids(file)) == 1)
        os.kill(pids(file)[0], signal.SIGKILL)
        wait_for("the restart", lambda: len(pids(file)) == 2)
        os.killpg(keeper.pid, signal.SIGTERM)
        assert keeper.wait(10) == 0
        assert not is_alive(pids(file)[1])


def test_what_cannot_start_is_given_up_with_its_own_exit_status(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with kept(f"sh -c 'echo $$ >> {file}; exit 7'") as keeper:
        assert keeper.wait(30) == 7
        assert len(pids(file)) == 3


@contextmanager
def started(folder: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """`make run` on an empty data folder, with another model set, so that nothing is fetched."""
    given = {
        "DATA_DIR": str(folder), "DATABASES_DIR": str(folder / "databases"), "PORT": str(free_port()),
        "LLM_MODEL": "openai/none", "LLM_API_BASE": f"http://127.0.0.1:{free_port()}/v1", "LLM_API_KEY": "none",
    }  # fmt: skip
    with (folder / "out").open("w") as out:
        run = subprocess.Popen(
            [sys.executable, "-m", "reactsql_web.start"], cwd=ROOT, env={**os.environ, **given, **variables},
            start_new_session=True, stdout=out, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
    try:
        yield run
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGTERM)
            run.wait(20)


def said(folder: Path, words: str) -> Callable[[], list[str]]:
    return lambda: re.findall(words, (folder / "out").read_text())


def processes_under(pid: int) -> list[int]:
    """All descendants of `pid`, children first."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = [tuple(map(int, line.split())) for line in found.splitlines()]
    children = [child for child, parent in parents if parent == pid]
    return children + [below for child in children for below in processes_under(child)]


def test_one_command_starts_everything_and_one_signal_stops_it(tmp_path: Path) -> None:
    with started(tmp_path) as run:
        wait_for("the address", said(tmp_path, r"is ready: (http://\S+)"), 120)
        assert len(said(tmp_path, "Password: ")()) == 1
        wait_for("beat, which keeps when it last looked", lambda: list(tmp_path.glob("beat*")))
        keeper = int(said(tmp_path, r"worker started \(pid=(\d+)\)")()[0])
        os.kill(processes_under(keeper)[-1], signal.SIGKILL)
        wait_for("the worker's return", said(tmp_path, "worker ended with -9; starting it again"))
        wait_for("a new worker", lambda: processes_under(keeper))
        everything = processes_under(run.pid)
        os.kill(run.pid, signal.SIGINT)
        assert run.wait(20) == 0
        assert [pid for pid in everything if is_alive(pid)] == []


def test_a_taken_port_stops_the_start_before_anything_is_made(tmp_path: Path) -> None:
    with taken_port() as port, started(tmp_path, PORT=str(port)) as run:
        assert run.wait(30) == 1
        assert said(tmp_path, f"Port {port} is in use")()
        assert not (tmp_path / "databases").exists()


def test_a_setting_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with started(tmp_path, PORT="eighty") as run:
        assert run.wait(30) == 1
        assert said(tmp_path, "PORT: 'eighty' cannot be read")()
        assert not said(tmp_path, "Traceback")()


def test_a_setting_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "settings"
    file.write_text("LOG_LEVEL=LOUD\nPORT=eighty\n")
    with started(tmp_path, ENV_FILE=str(file)) as run:
        assert run.wait(30) == 1
        assert said(tmp_path, "LOG_LEVEL: 'LOUD' cannot be read")()
        assert not said(tmp_path, "eighty")()


def test_beat_loads_nothing_of_what_it_sends() -> None:
    load = "import sys; from reactsql_web.beat import app; app.loader.init_worker()"
    code = f"{load}; print('agents.models' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["False"], done.stderr


def test_beat_knows_what_it_sends() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)
