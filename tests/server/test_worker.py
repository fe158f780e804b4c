"""Real workers and real brokers: picked up at once, survived kill -9, given back on SIGTERM, found without a broker."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agents import selectors, services, tasks
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import LanguageModel, Run, Status, WorkerBeat
from connections.models import Connection, User
from tests.databases import REDIS_URL, reach_redis
from tests.server.conftest import make_cast
from tests.server.five_turns import FIVE_TURNS, SHOP
from tests.server.worker_process import Worker, ask_in_another_process, wait_for

OWN_REDIS = REDIS_URL.rpartition("/")[0] + "/11"  # a queue of the tests' own
BOTH = pytest.mark.parametrize(
    ("own_url", "broker"), [("sqlite", "files"), ("postgresql", "redis")], indirect=["own_url"]
)

FILES = pytest.mark.parametrize(("own_url", "broker"), [("sqlite", "files")], indirect=["own_url"])


@pytest.fixture
def place(own_url: str, tmp_path: Path, settings: Any) -> Iterator[Callable[..., dict[str, str]]]:
    """`place(broker)`: the environment of the processes, with a shop to ask."""
    folder = tmp_path / "databases"
    folder.mkdir()
    with sqlite3.connect(folder / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    make_cast()

    def environment(broker: str) -> dict[str, str]:
        if broker == "redis":
            reach_redis(OWN_REDIS).flushdb()
        return {
            **os.environ,
            "DATA_DIR": str(tmp_path / "data"),
            "DATABASES_DIR": str(folder),
            "DATABASE_URL": own_url,
            "REDIS_URL": OWN_REDIS if broker == "redis" else "",
            "FERNET_KEYS": ",".join(settings.FERNET_KEYS),
            "LOG_FORMAT": "json",
        }

    return environment


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    with ExitStack() as stack:

        def start(environment: dict[str, str]) -> Worker:
            before = WorkerBeat.objects.count()
            worker = stack.enter_context(Worker(environment, tmp_path / "worker.log"))
            wait_for(lambda: WorkerBeat.objects.count() > before, 60, "the worker is up")
            return worker

        yield start


def scripted(turns: list[str | Turn]) -> ScriptedServer:
    server = ScriptedServer(turns)
    model = LanguageModel(name="scripted", model="openai/scripted", api_base=server.api_base, is_default=True)
    services.save_language_model(actor=None, language_model=model, key="x")
    return server


def status_of(run_id: Any) -> str:
    return Run.objects.get(pk=run_id).status


def answered(run_id: Any, seconds: float = 60) -> Run:
    wait_for(lambda: status_of(run_id) not in (Status.QUEUED, Status.RUNNING), seconds, "the run has ended")
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.error, run.answer_result) == (Status.ANSWERED, "", 2)
    positions = [event.position for event in selectors.events_of(run)]
    assert positions == list(range(1, len(positions) + 1))
    return run


def asked_twice(server: ScriptedServer) -> list[int]:
    """Turns for which the model was asked more than once; a request is known by the number of its messages."""
    lengths = [len(body["messages"]) for body in server.requests]
    return sorted({length for length in lengths if lengths.count(length) > 1})


@BOTH
def test_a_question_from_another_process_starts_at_once(place: Any, processes: Any, broker: str) -> None:
    environment = place(broker)
    with scripted(FIVE_TURNS) as server:
        processes(environment)
        run_id = ask_in_another_process(environment)
        wait_for(lambda: status_of(run_id) != Status.QUEUED, 3, "the broker brought it")
        answered(run_id)
    assert asked_twice(server) == []


@BOTH
def test_a_killed_workers_run_is_finished_by_the_next_without_asking_twice(
    place: Any, processes: Any, broker: str
) -> None:
    environment = place(broker)
    slow = Turn(content=FIVE_TURNS[2], delay=1.5)
    with scripted([*FIVE_TURNS[:2], slow, *FIVE_TURNS[2:]]) as server:
        first = processes(environment)
        run_id = ask_in_another_process(environment)
        wait_for(lambda: len(server.requests) == 3, 60, "the third turn is asked")
        first.kill()
        assert status_of(run_id) == Status.RUNNING
        processes(environment)
        run = answered(run_id)
    assert run.attempt == 2
    # The third call was never answered, so it alone is made again.
    assert len(server.requests) == 6
    assert asked_twice(server) == [len(server.requests[2]["messages"])]
    replies = [event for event in selectors.events_of(run) if event.kind == "model_reply"]
    assert len(replies) == 5


@BOTH
def test_a_worker_that_is_asked_to_end_gives_its_run_back(place: Any, processes: Any, broker: str) -> None:
    environment = place(broker)
    with scripted([*FIVE_TURNS[:2], Turn(content=FIVE_TURNS[2], delay=20), *FIVE_TURNS[2:]]) as server:
        first = processes(environment)
        run_id = ask_in_another_process(environment)
        wait_for(lambda: len(server.requests) == 3, 60, "the third turn is asked")
        first.terminate()
        wait_for(lambda: Run.objects.get(pk=run_id).lease_owner == "", 3, "the run is given back")
        assert first.process.wait(timeout=60) == 0
        processes(environment)
        answered(run_id, 30)
    assert not WorkerBeat.objects.filter(name__endswith=f":{first.process.pid}").exists()


@FILES
def test_a_run_that_the_broker_lost_is_found(
    place: Any, processes: Any, broker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = place(broker)
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)
    ada, shop = User.objects.get(username="ada"), Connection.objects.get(name="Shop")
    with scripted(FIVE_TURNS * 2):
        early = services.ask(user=ada, connection=shop, text="Before the worker?", strategy="react")
        processes(environment)
        answered(early.pk)
        late = services.ask(user=ada, connection=shop, text="While it works?", strategy="react")
        answered(late.pk)


@FILES
def test_stopping_reaches_a_run_in_another_process_within_two_seconds(place: Any, processes: Any, broker: str) -> None:
    environment = place(broker)
    with scripted([Turn(content="late", delay=30)]) as server:
        processes(environment)
        run_id = ask_in_another_process(environment)
        wait_for(lambda: server.requests, 60, "the model is asked")
        services.cancel_run(user=User.objects.get(username="ada"), run=Run.objects.get(pk=run_id))
        wait_for(lambda: status_of(run_id) == Status.CANCELLED, 2, "the run is stopped")


@FILES
def test_a_worker_outlives_runs_that_fail(place: Any, processes: Any, broker: str, tmp_path: Path) -> None:
    environment = place(broker)
    with scripted(["nonsense", "nonsense", "nonsense", *FIVE_TURNS]):
        worker = processes(environment)
        failed = ask_in_another_process(environment)
        wait_for(lambda: status_of(failed) == Status.FAILED, 60, "the first run has failed")
        assert Run.objects.get(pk=failed).error_type == "UnreadableRepliesError"
        answered(ask_in_another_process(environment))
        assert worker.process.poll() is None
    lines = [json.loads(line) for line in (tmp_path / "worker.log").read_text().splitlines() if line.startswith("{")]
    assert not [line for line in lines if line.get("level") == "error"], lines


def test_a_workers_garbage_collector_skips_what_was_imported_at_its_start() -> None:
    begin = "import gc, django; django.setup(); from reactsql_web import celery; celery._warm_up()"
    code = f"{begin}; print(gc.get_freeze_count())"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "reactsql_web.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 100_000
