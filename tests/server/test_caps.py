"""Caps: who is stopped, with which words, and that a crowd at the edge overspends by one run at most."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, connections
from django.utils import timezone

from agents import services, spending
from agents.models import Cap, LanguageModel, Run, RunEvent, Status, Thread, UsageEntry
from connections.models import Role, User
from tests.server.conftest import Cast, make_cast

ASKERS = 50


def ask(cast: Cast, **given: Any) -> Run:
    return services.ask(user=given.pop("user", cast.ada), connection=cast.shop, text="How many?", **given)


def finish(run: Run, *, cost: float = 0.0, tokens: int = 0) -> None:
    """As the worker leaves it: the replies in the trace, the status, the reservation closed."""
    data = {"input": tokens, "cached": 0, "output": 0, "cost": cost}
    RunEvent.objects.create(run=run, position=1, kind="model_reply", at=timezone.now(), data=data)
    Run.objects.filter(pk=run.pk).update(status=Status.ANSWERED)
    spending.close(run)


@pytest.mark.parametrize(
    ("cap", "used", "words"),
    [
        ({"scope": "each", "amount": 5}, {"cost": 5.02}, r"Your cap of \$5.00 a month is used up: \$5.02 so far"),
        ({"scope": "instance", "amount": 5}, {"cost": 5}, r"The cap of this instance of \$5.00 a month is used up"),
        ({"scope": "team", "amount": 5}, {"cost": 5}, r"The cap of Retail of \$5.00 a month"),
        ({"scope": "each", "amount": 900, "measure": "tokens", "period": "week"}, {"tokens": 1_000},
         "Your cap of 900 tokens a week is used up: 1,000 tokens"),
        ({"scope": "each", "amount": 1, "measure": "questions", "period": "day"}, {},
         "Your cap of 1 question a day is used up: 1 question so far. It begins anew on .* 00:00 UTC"),
    ],
)  # fmt: skip
def test_at_the_cap_a_question_is_refused_with_its_reason(
    cast: Cast, cap: dict[str, Any], used: dict[str, Any], words: str
) -> None:
    team = cast.team if cap["scope"] == "team" else None
    Cap.objects.create(**cap, team=team)
    finish(ask(cast), **used)
    with pytest.raises(ValidationError, match=words):
        ask(cast)
    assert Thread.objects.count() == 1, "nothing of the refused question is stored"


def test_a_models_cap_leaves_the_other_models_alone(cast: Cast) -> None:
    dear, cheap = (LanguageModel.objects.create(name=name, model="openai/x") for name in ("dear", "cheap"))
    Cap.objects.create(scope="model", language_model=dear, amount=1)
    finish(ask(cast, language_model=dear), cost=1)
    with pytest.raises(ValidationError, match="The cap of dear"):
        ask(cast, language_model=dear)
    assert ask(cast, language_model=cheap)


def test_one_persons_cap_leaves_the_others_alone(cast: Cast) -> None:
    cast.team.memberships.filter(user=cast.ben).update(role=Role.ANALYST)
    Cap.objects.create(scope="person", user=cast.ada, amount=1)
    finish(ask(cast), cost=1)
    with pytest.raises(ValidationError, match="Your cap"):
        ask(cast)
    assert ask(cast, user=cast.ben)


def test_runs_at_work_reserve_what_they_may_use(cast: Cast, settings: Any) -> None:
    settings.RUN_MAX_COST = 1.0
    Cap.objects.create(scope="each", amount=2)
    first, _ = ask(cast), ask(cast)
    with pytest.raises(ValidationError, match="may be used up by 2 questions that are at work now"):
        ask(cast)
    finish(first, cost=0.01)
    assert ask(cast), "what the first did not use is free again"


def test_deleting_the_question_does_not_give_the_money_back(cast: Cast) -> None:
    Cap.objects.create(scope="each", amount=1)
    run = ask(cast)
    finish(run, cost=1)
    services.delete_threads(user=cast.ada, thread_ids=[run.question.thread_id])
    assert not Run.objects.exists()
    with pytest.raises(ValidationError, match="is used up"):
        ask(cast)


def test_a_run_that_is_deleted_at_work_pays_for_the_replies_that_it_had(cast: Cast) -> None:
    by_person, by_question = ask(cast), ask(cast)
    for run in (by_person, by_question):
        data = {"input": 10, "cached": 0, "output": 5, "cost": 0.5}
        RunEvent.objects.create(run=run, position=1, kind="model_reply", at=timezone.now(), data=data)
        Run.objects.filter(pk=run.pk).update(status=Status.RUNNING)
    by_question.question.thread.delete()
    cast.ada.delete()
    spending.settle()
    paid = UsageEntry.objects.values_list("cost", "input_tokens", "output_tokens")
    assert list(paid) == [(Decimal("0.5"), 10, 5)] * 2


def test_a_new_period_begins_anew(cast: Cast) -> None:
    Cap.objects.create(scope="each", amount=1, period="day")
    finish(ask(cast), cost=1)
    UsageEntry.objects.update(at=timezone.now() - timedelta(days=1))
    assert ask(cast)


def test_what_ended_in_no_usual_way_is_settled(cast: Cast) -> None:
    run = ask(cast)
    spending.settle()
    assert UsageEntry.objects.get().closed_at is None, "it is still queued"
    Run.objects.filter(pk=run.pk).delete()
    spending.settle()
    assert UsageEntry.objects.get().closed_at is not None


def test_stopping_a_queued_run_frees_its_reservation(cast: Cast) -> None:
    services.cancel_run(user=cast.ada, run=ask(cast))
    assert UsageEntry.objects.get().closed_at is not None


@pytest.mark.parametrize(
    ("period", "start", "end"),
    [("day", (18,), (19,)), ("week", (16,), (23,)), ("month", (1,), None)],
)
def test_periods_begin_at_midnight_on_monday_and_on_the_first(
    period: str, start: tuple[int], end: tuple[int] | None
) -> None:
    begins, ends = spending.period_of(period, datetime(2026, 11, 18, 14, 2, tzinfo=UTC))
    assert begins == datetime(2026, 11, *start, tzinfo=UTC)
    assert ends == (datetime(2026, 11, *end, tzinfo=UTC) if end else datetime(2026, 12, 1, tzinfo=UTC))


@pytest.mark.parametrize("scope", ["instance", "team"])
def test_fifty_askers_at_the_edge_overspend_by_one_run_at_most(own_url: str, settings: Any, scope: str) -> None:
    """$7.50 of $10 are spent and a run may cost $1: three fit, the third of them over the edge."""
    settings.RUN_MAX_COST = 1.0
    cast = make_cast()
    people = [User.objects.create_user(f"asker{number}") for number in range(ASKERS)]
    for person in people:
        cast.team.memberships.create(user=person, role=Role.ANALYST)
    Cap.objects.create(scope=scope, team=cast.team if scope == "team" else None, amount=10)
    finish(ask(cast), cost=7.5)
    let_in, refused = _all_at_once(cast, people)
    assert len(let_in) + len(refused) == ASKERS
    assert len(let_in) == 3
    assert all("at work now" in words for words in refused)
    for run in let_in:
        finish(run, cost=1.0)
    spent = sum(UsageEntry.objects.values_list("cost", flat=True), Decimal(0))
    assert Decimal(10) <= spent <= Decimal(11), "one run over the cap at most"


def _all_at_once(cast: Cast, people: list[User]) -> tuple[list[Run], list[str]]:
    """Everybody asks at the same moment, each on a database connection of their own."""
    start, lock = threading.Barrier(len(people)), threading.Lock()
    let_in: list[Run] = []
    refused: list[str] = []

    def one(person: User) -> None:
        connection.ensure_connection()
        start.wait(60)
        try:
            run = ask(cast, user=person)
        except ValidationError as error:
            with lock:
                refused.append(error.messages[0])
        else:
            with lock:
                let_in.append(run)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return let_in, refused
