"""kill -9 at every boundary of a six-turn run: real processes, a real database, a scripted model over HTTP.

Whoever takes the run afterwards must come to the very trace that nobody disturbed, and the model must not be asked
again what it has answered.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agents import selectors, services, tasks
from agents.llm.scripted import ScriptedServer
from agents.models import LanguageModel, Run, Status
from agents.traces import recorder
from agents.traces.events import to_json
from connections.models import Connection, User
from tests.server.conftest import make_cast
from tests.server.five_turns import FIVE_TURNS, SHOP, calls, op
from tests.server.worker_process import ROOT

SIX_TURNS = [
    *FIVE_TURNS[:4],
    calls("Once more by country.", op("aggregate", "by", rel="j", group_by=["country"],
                                      aggs=[{"fn": "sum", "column": "total", "as": "sales"}]), op("execute", rel="by")),
    FIVE_TURNS[4],
]  # fmt: skip
TIMELESS = ("at", "ms", "seconds", "first_token_seconds")


@pytest.fixture
def worker(
    own_url: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., int]]:
    """`worker(run, place)`: the exit code of a process that worked on `run` and died at `place` ("0": it did not)."""
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)
    folder = tmp_path / "databases"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "shop.sqlite")) as shop:
        shop.executescript(SHOP)
    make_cast()
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "reactsql_web.settings", "DATA_DIR": str(tmp_path / "data"),
        "DATABASES_DIR": str(folder), "DATABASE_URL": own_url, "REDIS_URL": "", "LOG_LEVEL": "ERROR",
        "FERNET_KEYS": ",".join(settings.FERNET_KEYS), "QUESTIONS_PER_MINUTE": "1000",
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.server.dying_worker"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        def work(run: Run, place: str = "0") -> int:
            process.stdin.write(f"{run.pk} {place}\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            return int(process.stdout.readline())  # type: ignore[union-attr]

        yield work
        process.stdin.close()


def asked(server: ScriptedServer) -> Run:
    LanguageModel.objects.all().delete()
    model = LanguageModel(name="scripted", model="openai/scripted", api_base=server.api_base, is_default=True)
    services.save_language_model(actor=None, language_model=model, key="x")
    ada, shop = User.objects.get(username="ada"), Connection.objects.get(name="Shop")
    return services.ask(user=ada, connection=shop, text="Sales in Germany?", strategy="react")


def trace_of(run: Run) -> list[dict[str, Any]]:
    """Its events without times, which no two runs share."""
    return [{k: v for k, v in to_json(event).items() if k not in TIMELESS} for event in selectors.events_of(run)]


@pytest.mark.timeout(1_500)
@pytest.mark.parametrize(("own_url", "step"), [("sqlite", 1), ("postgresql", 7)], indirect=["own_url"])
def test_a_run_that_was_killed_anywhere_ends_as_if_nothing_had_happened(
    worker: Callable[..., int], settings: Any, step: int
) -> None:
    settings.QUESTIONS_PER_MINUTE = 1000
    with ScriptedServer(SIX_TURNS) as server:
        run = asked(server)
        assert worker(run) == 0
        whole = trace_of(run)
    replies = [event["position"] for event in whole if event["kind"] == "model_reply"]
    assert len(replies) == 6
    places = [str(event["position"]) for event in whole[:-1]] + [f"{position}-" for position in replies]
    for place in places[::step]:
        # A reply that came but was not saved is asked for once more: the script holds it twice.
        lost = replies.index(int(place[:-1])) if place.endswith("-") else None
        script = SIX_TURNS if lost is None else [*SIX_TURNS[: lost + 1], *SIX_TURNS[lost:]]
        with ScriptedServer(script) as server:
            run = asked(server)
            assert worker(run, place) == -signal.SIGKILL
            recorder.Lease(run.pk, Run.objects.get(pk=run.pk).lease_owner).release()  # as the sweep does
            assert worker(run) == 0
            run.refresh_from_db()
            assert (run.status, run.attempt) == (Status.ANSWERED, 2), f"killed at event {place}"
            assert trace_of(run) == whole, f"killed at event {place}"
            assert len(server.requests) == 6 + (lost is not None), f"killed at event {place}"
            assert len({len(body["messages"]) for body in server.requests}) == 6, "each prompt of the six, and no other"
