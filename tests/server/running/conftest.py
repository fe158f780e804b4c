"""A queued run in a real database, and the scripted server that will answer it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents import services, tasks
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import LanguageModel, Run
from tests.server.conftest import Cast, make_cast
from tests.server.five_turns import SHOP


@pytest.fixture
def people(own_url: str, settings: Any) -> Cast:
    settings.DATABASES_DIR.mkdir()
    with sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    return make_cast()


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


@pytest.fixture
def ask(people: Cast) -> Iterator[Callable[..., tuple[Run, ScriptedServer]]]:
    """`ask(turns)`: a queued run, and the server whose turns will answer it."""
    servers: list[ScriptedServer] = []

    def asked(turns: list[str | Turn], strategy: str = "react", samples: int = 1) -> tuple[Run, ScriptedServer]:
        servers.append(ScriptedServer(turns).__enter__())
        model = LanguageModel(
            name="scripted", model="openai/scripted", api_base=servers[-1].api_base, is_default=True, samples=samples
        )
        services.save_language_model(actor=None, language_model=model, key="x")
        run = services.ask(user=people.ada, connection=people.shop, text="Sales in Germany?", strategy=strategy)
        return run, servers[-1]

    yield asked
    for server in servers:
        server.__exit__(None, None, None)
