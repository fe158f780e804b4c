"""A program runs as it is, without a model: a saved question, a changed step, lifted SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.contracts import RunSettings, Task
from agents.engine.lift import lift
from agents.traces.events import CallResult, Calls, RunFailed, RunFinished
from agents.traces.journal import MemoryJournal
from connections.drivers import driver_for
from tests.agents.runs import SHOP, call, running

PAID = [
    call("table_ref", "o", table="orders"),
    call("filter_expr", "paid", rel="o", predicate="status = 'paid'"),
    call("aggregate", "total", rel="paid", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    {"op": "execute", "args": {"rel": "total"}},
]


def task(program: list[Any]) -> Task:
    return Task("How much was paid?", program=program)


@pytest.mark.parametrize("shaping", ["auto", "always"])
def test_a_program_is_answered_without_a_model(shaping: Any, new_database: Callable[[str, str], str]) -> None:
    url = new_database("sqlite", SHOP)
    with running(url, [], "program", task=task(PAID), settings=RunSettings(shaping=shaping)) as run:
        assert run.server.requests == []
        assert run.rows() == [(3,)]
        assert run.answer is not None
        assert run.answer.text == "The answer is 3."
        (finished,) = run.of(RunFinished)
        assert (finished.turns, finished.calls, finished.usage["input"]) == (1, 4, 0)


def test_lifted_sql_gives_what_the_sql_gives(new_database: Callable[[str, str], str]) -> None:
    url = new_database("sqlite", SHOP)
    sql = "SELECT c.name, SUM(o.total) AS paid FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.name"
    program = list(lift(sql, driver_for(url).catalogue(), "sqlite").program)
    with running(url, [], "program", task=task(program)) as run:
        assert sorted((name, float(paid)) for name, paid in run.rows()) == [("Ada", 15.5), ("Bo", 7.25), ("Cleo", 20)]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ([PAID[0], call("filter_expr", "p", rel="o", predicate="paid > 1"), PAID[3]], "Step 2, filter_expr, failed."),
        (PAID[:3], "has no execute"),
        ([], "has no execute"),
    ],
)
def test_a_program_that_cannot_run_says_which_step(
    broken: list[Any], words: str, new_database: Callable[[str, str], str]
) -> None:
    with running(new_database("sqlite", SHOP), [], "program", task=task(broken)) as run:
        (failed,) = run.of(RunFailed)
        assert failed.error["type"] == "ProgramFailedError"
        assert words in failed.error["message"]


@pytest.mark.parametrize("kept", range(1, 9))
def test_a_program_whose_worker_died_goes_on_and_repeats_nothing(
    kept: int, new_database: Callable[[str, str], str]
) -> None:
    url = new_database("sqlite", SHOP)
    with running(url, [], "program", task=task(PAID)) as whole:
        saved = whole.events[:kept]
    with running(url, [], "program", task=task(PAID), journal=MemoryJournal(saved)) as again:
        assert [event.kind for event in again.events] == [event.kind for event in whole.events]
        assert len(again.of(CallResult)) == 4
        assert len(again.of(Calls)) == 1
        assert again.answer is not None
        assert again.answer.text == "The answer is 3."
