"""What goes for its age, and what stays because a team keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.utils import timezone

from agents import retention
from agents.answers import store
from agents.models import (
    Collection,
    Evaluation,
    EvaluationCase,
    Run,
    SavedQuestion,
    SavedRun,
    StoredResult,
    Thread,
    Verification,
)
from tests.server.conftest import Cast, make_cast, make_run

Keeping = Callable[[Cast, Run], object]
LONG_AGO = timedelta(days=100)


def old_run(cast: Cast) -> Run:
    run = make_run(cast, status="answered", answer="Four.")
    file = f"{run.pk}-1.parquet"
    store.write(site.RESULTS_DIR / file, [[4]], 1)
    ended = timezone.now() - LONG_AGO
    StoredResult.objects.create(run=run, number=1, columns=[], file=file, rows_stored=1, sql="", expires_at=ended)
    Thread.objects.filter(pk=run.question.thread_id).update(updated_at=ended)
    return run


def rows_of(run: Run) -> Path:
    return Path(site.RESULTS_DIR / run.results.get().file)


def verify(cast: Cast, run: Run) -> None:
    Verification.objects.create(run=run, by=cast.ada)


def collect(cast: Cast, run: Run | None) -> SavedQuestion:
    place, _ = Collection.objects.get_or_create(team=cast.team, name="Reports")
    return SavedQuestion.objects.create(collection=place, title="Orders", connection=cast.shop, program=[], run=run)


def run_saved(cast: Cast, run: Run) -> None:
    SavedRun.objects.create(saved=collect(cast, None), run=run, value="4", settled=True)


def evaluate(cast: Cast, run: Run) -> None:
    evaluation = Evaluation.objects.create(name="Shop", connection=cast.shop, began_at=timezone.now())
    system = evaluation.systems.create(position=0, strategy="react")
    question = evaluation.questions.create(position=0, key="1", text="How many?")
    EvaluationCase.objects.create(system=system, question=question, run=run)


WAYS: Mapping[str, Keeping] = {
    "verified": verify, "collected": collect, "of a saved question": run_saved, "evaluated": evaluate,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_what_a_team_keeps_stays_with_its_rows(own_url: str, settings: Any, way: str) -> None:
    settings.QUESTION_DAYS = 10
    cast = make_cast()
    kept, private = old_run(cast), old_run(cast)
    kept_rows, private_rows = rows_of(kept), rows_of(private)
    WAYS[way](cast, kept)
    assert {due.kind.name: due.number for due in retention.due()}["questions"] == 1
    retention.apply()
    assert list(Run.objects.all()) == [kept]
    assert (kept_rows.exists(), private_rows.exists()) == (True, False)


def test_of_what_a_saved_question_gave_the_values_stay_and_the_newest_rows(own_url: str, settings: Any) -> None:
    settings.QUESTION_DAYS = 10
    cast = make_cast()
    answer, older, newest, own = (old_run(cast) for _ in range(4))
    saved = collect(cast, answer)
    for run, values in ((older, False), (newest, False), (own, True)):
        SavedRun.objects.create(saved=saved, run=run, value="4", settled=True, with_own_values=values)
    retention.apply()
    assert Run.objects.count() == 4
    assert SavedRun.objects.filter(value="4").count() == 3
    assert [rows_of(run).exists() for run in (answer, older, newest, own)] == [True, False, True, False]
