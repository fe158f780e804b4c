"""Threads of which an older question is asked again, and a table of several pages."""

from __future__ import annotations

from typing import Any

from agents.models import Run, Status
from connections.models import Connection, User
from tests.web import stories


def asked_again(both: str = "") -> dict[str, Any]:
    """Two answered questions, the older one at work again; with `both` the newer one, too. `go_on` moves them."""
    olga = _olga()
    first = stories.answered(olga, Connection.objects.get(), "What did each country buy this year?")
    second = stories.follow(first, "And what did it buy last year?")
    stories.save(second, [*stories.beginning(second), *stories.right_turn(1), *stories.ending(2)])
    stories.keep_result(second)
    told = {"answer_result": 1, "sql": stories.SQL, "program": stories.PROGRAM, "turns": 2, "calls": 7}
    stories.finish(second, answer="Germany bought most then, too.", **told)
    return {"again": _at_work(first), "newest": _at_work(second) if both else str(second.pk)}


def long_table() -> dict[str, Any]:
    """An answer of 120 rows."""
    run = stories.ask(_olga(), Connection.objects.get(), "What did every customer buy?")
    stories.save(run, [*stories.beginning(run), *stories.right_turn(1), *stories.ending(2)])
    stories.keep_result(run, [[f"c{number:03}", f"{number}.50", number] for number in range(120)])
    stories.finish(run, answer="A lot.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    return {"run": str(run.pk)}


def _olga() -> User:
    return User.objects.filter(username="olga").first() or stories.cast().olga


def _at_work(run: Run) -> str:
    """Another attempt at the question of `run`, which a worker has."""
    again = Run.objects.create(
        question=run.question, strategy="react", status=Status.RUNNING, lease_owner="test",
        lease_until="2100-01-01T00:00Z",
    )  # fmt: skip
    stories.save(again, stories.beginning(again))
    return str(again.pk)
