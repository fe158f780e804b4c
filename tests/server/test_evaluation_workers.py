"""Real workers: an evaluation whose worker was killed is finished by the next one, every question scored once."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents import services, tasks
from agents.library import evaluating
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import CaseState, Evaluation, EvaluationCase, EvaluationState, LanguageModel, RegressionQuestion
from connections.models import Connection, Membership, Role, User
from tests.server.conftest import make_cast
from tests.server.five_turns import SHOP
from tests.server.worker_process import Worker, wait_for

pytestmark = pytest.mark.parametrize("own_url", ["sqlite"], indirect=True)
REPLY = "```sql\nSELECT count(*) FROM orders\n```"
QUESTIONS = 6


@pytest.fixture
def environment(own_url: str, tmp_path: Path, settings: Any) -> dict[str, str]:
    folder = tmp_path / "databases"
    folder.mkdir()
    with sqlite3.connect(folder / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    cast = make_cast()
    Membership.objects.filter(user=cast.ben).update(role=Role.MANAGER)
    for place in range(QUESTIONS):
        gold = "SELECT count(*) FROM orders"
        RegressionQuestion.objects.create(connection=cast.shop, text=f"Question {place}?", gold_sql=gold)
    return {
        **os.environ, "DATA_DIR": str(tmp_path / "data"), "DATABASES_DIR": str(folder), "DATABASE_URL": own_url,
        "REDIS_URL": "", "FERNET_KEYS": ",".join(settings.FERNET_KEYS),
    }  # fmt: skip


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """The third reply comes too late for the first worker."""
    with ScriptedServer([REPLY, REPLY, Turn(REPLY, delay=600)], after=REPLY) as scripted:
        yield scripted


def done() -> int:
    return EvaluationCase.objects.filter(state=CaseState.DONE).count()


def test_a_killed_workers_evaluation_is_finished_by_the_next(
    environment: dict[str, str], server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = LanguageModel(name="scripted", model="openai/scripted", api_base=server.api_base, is_default=True)
    services.save_language_model(actor=None, language_model=model, key="x")
    ben, shop = User.objects.get(username="ben"), Connection.objects.get(name="Shop")
    # As with a lost broker: the workers' upkeep finds what this process began.
    monkeypatch.setattr(tasks, "enqueue_evaluation", lambda evaluation_id: None)
    evaluation = evaluating.start(user=ben, connection=shop, choices=[evaluating.Choice("zero-shot", model)])
    with Worker(environment, tmp_path / "first.log") as first:
        wait_for(lambda: len(server.requests) >= 3 and done() >= 2, 120, "the third question is asked")
        first.kill()
    kept = set(EvaluationCase.objects.filter(state=CaseState.DONE).values_list("run", flat=True))
    with Worker(environment, tmp_path / "second.log"):
        wait_for(lambda: Evaluation.objects.get().state == EvaluationState.DONE, 120, "it is finished")
    evaluation.refresh_from_db()
    assert (evaluation.error, done()) == ("", QUESTIONS)
    assert set(EvaluationCase.objects.values_list("right", "status")) == {(True, "answered")}
    assert kept <= set(EvaluationCase.objects.values_list("run", flat=True)), "what was answered is not asked again"
    assert len(server.requests) <= QUESTIONS + 2
