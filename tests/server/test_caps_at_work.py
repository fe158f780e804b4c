"""Caps that are lowered, or used up by others, while a run is at work: it ends before its next call to the model."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.utils import timezone

from agents import runner, services, spending, tasks
from agents.errors import CapReachedError
from agents.llm.messages import Usage
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import Cap, LanguageModel, Run, RunEvent, Status, StoredResult, UsageEntry
from connections.models import Team
from tests.server.conftest import Cast, make_cast
from tests.server.five_turns import FIVE_TURNS, SHOP

# One dollar and 100 tokens a call.
PRICE, USED = 10_000, {"prompt_tokens": 90, "completion_tokens": 10}
ANEW = r"It begins anew on \d+ \w+ \d{4}, 00:00 UTC\. An administrator can raise it\."


class Meanwhile(ScriptedServer):
    """Does `what` once, when request `number` has come."""

    def __init__(self, turns: list[str | Turn], number: int, what: Callable[[], object]) -> None:
        super().__init__([Turn(content=turn, usage=USED) if isinstance(turn, str) else turn for turn in turns])
        self._number, self._what = number, what

    def take(self, body: dict[str, Any]) -> Turn:
        turn = super().take(body)
        if len(self.requests) == self._number:
            self._what()
            connections.close_all()
        return turn


@pytest.fixture
def people(own_url: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)
    settings.RUN_MAX_COST = 50.0
    settings.DATABASES_DIR.mkdir()
    with sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    people = make_cast()
    people.ada.first_name, people.ada.last_name = "Ada", "Okafor"
    people.ada.save()
    return people


@pytest.fixture
def work(people: Cast) -> Iterator[Callable[..., tuple[Run, Meanwhile]]]:
    """`work(turns, number, what)`: the run of Ada's question, at whose call `number` `what` happens, and the server."""
    servers: list[Meanwhile] = []

    def worked(
        turns: list[str | Turn], number: int, what: Callable[[], object], strategy: str = "react"
    ) -> tuple[Run, Meanwhile]:
        servers.append(Meanwhile(turns, number, what))
        servers[-1].__enter__()
        model = LanguageModel(name="dear", model="openai/scripted", api_base=servers[-1].api_base, is_default=True,
                              price_input=PRICE, price_cached=PRICE, price_output=PRICE)  # fmt: skip
        services.save_language_model(actor=None, language_model=model, key="x")
        for cap in Cap.objects.filter(scope="model"):
            Cap.objects.filter(pk=cap.pk).update(language_model=model)
        run = services.ask(user=people.ada, connection=people.shop, text="Sales?", strategy=strategy)
        runner.run_one(run.pk)
        run.refresh_from_db()
        return run, servers[-1]

    yield worked
    for server in servers:
        server.__exit__(None, None, None)


def cap_of(people: Cast, **given: Any) -> Cap:
    """`given`, for Ada, her team or the model, as its scope says."""
    whose = {
        "person": {"user": people.ada}, "team": {"team": people.team},
        "model": {"language_model": LanguageModel.objects.get_or_create(name="cheap", model="openai/x")[0]},
    }  # fmt: skip
    return Cap.objects.create(**given, **whose.get(given["scope"], {}))


def others_use(people: Cast, **used: Any) -> None:
    model = LanguageModel.objects.get(name="dear")
    UsageEntry.objects.create(run_id=uuid4(), at=timezone.now(), closed_at=timezone.now(), user=people.ben,
                              team=people.team, user_name="Ben", language_model=model, **used)  # fmt: skip


LOWERED: dict[str, tuple[dict[str, Any], float, str]] = {
    "a person's money": ({"scope": "person", "amount": 40}, 3, r"The cap of Ada Okafor of \$3\.00 a month"),
    "everybody's money": (
        {"scope": "each", "amount": 40, "period": "day"}, 4, r"The cap of Ada Okafor of \$4\.00 a day"
    ),
    "the team's tokens": (
        {"scope": "team", "amount": 9_000, "measure": "tokens"}, 400, "The cap of Retail of 400 tokens a month"
    ),
    "the instance's money": (
        {"scope": "instance", "amount": 40, "period": "week"}, 1, r"The cap of this instance of \$1\.00 a week"
    ),
    "the model's tokens": (
        {"scope": "model", "amount": 9_000, "measure": "tokens"}, 399, "The cap of dear of 399 tokens a month"
    ),
    "the team's questions": (
        {"scope": "team", "amount": 9, "measure": "questions"}, 2, "The cap of Retail of 2 questions a month"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOWERED)
def test_a_cap_lowered_at_work_ends_the_run_before_its_next_call(people: Cast, work: Any, name: str) -> None:
    given, amount, words = LOWERED[name]
    cap = cap_of(people, **given)
    for _ in range(2):  # asked before
        UsageEntry.objects.create(run_id=uuid4(), at=timezone.now(), closed_at=timezone.now(), team=people.team,
                                  user_name="Ben")  # fmt: skip
    run, server = work(FIVE_TURNS, 4, lambda: Cap.objects.filter(pk=cap.pk).update(amount=amount))
    assert (run.status, run.error_type, len(server.requests)) == (Status.FAILED, CapReachedError.__name__, 4)
    assert re.fullmatch(rf"{words} was reached while this run was at work\. {ANEW}", run.error), run.error
    assert StoredResult.objects.filter(run=run).count() == 2, "what was found so far is kept"
    entry = UsageEntry.objects.get(run_id=run.pk)
    assert (entry.closed_at is not None, entry.cost, entry.input_tokens + entry.output_tokens) == (True, 4, 400)


@pytest.mark.parametrize(
    ("given", "used"),
    [({"scope": "team", "amount": 40}, {"cost": 36}), ({"scope": "instance", "amount": 40}, {"cost": 39}),
     ({"scope": "model", "amount": 9_000, "measure": "tokens"}, {"input_tokens": 8_000, "output_tokens": 600})],
)  # fmt: skip
def test_a_cap_that_others_use_up_ends_the_run_before_its_next_call(
    people: Cast, work: Any, given: dict[str, Any], used: dict[str, Any]
) -> None:
    cap_of(people, **given)
    run, server = work(FIVE_TURNS, 4, lambda: others_use(people, **used))
    assert (run.error_type, len(server.requests)) == ("CapReachedError", 4)


def test_a_cap_made_at_work_counts_what_the_run_used_before(people: Cast, work: Any) -> None:
    run, server = work(FIVE_TURNS, 4, lambda: cap_of(people, scope="each", amount=4))
    assert (run.error_type, len(server.requests)) == ("CapReachedError", 4)


MEANWHILE: dict[str, Callable[[Cast], object]] = {
    "another team's cap is full": lambda people: Cap.objects.create(
        scope="team", team=Team.objects.get(name="Elsewhere"), amount="0.01"
    ),
    "another person's cap is full": lambda people: Cap.objects.create(scope="person", user=people.ben, amount="0.01"),
    "a full cap is switched off": lambda people: cap_of(people, scope="each", amount="0.01", is_active=False),
    "a cap has room": lambda people: cap_of(people, scope="team", amount=6),
    "others ask more than a cap has": lambda people: (
        cap_of(people, scope="team", amount=1, measure="questions"),
        [others_use(people) for _ in range(3)],
    ),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_a_run_goes_on_while(people: Cast, work: Any, what: str) -> None:
    run, _ = work(FIVE_TURNS, 4, lambda: MEANWHILE[what](people))
    assert (run.status, run.error) == (Status.ANSWERED, "")


def test_a_draft_that_ran_is_shown_when_a_cap_forbids_to_mend_it(people: Cast, work: Any) -> None:
    draft = "SELECT name FROM customers WHERE country = 'Germany'"
    run, server = work([draft], 1, lambda: cap_of(people, scope="each", amount=1), strategy="lift")
    assert (run.status, run.answer_result, len(server.requests)) == (Status.ANSWERED, 1, 1)
    assert "The cap of Ada Okafor of $1.00 a month was reached" in warned(run)


def test_a_cited_result_is_shown_when_a_cap_forbids_to_shape_it(people: Cast, work: Any) -> None:
    final = '{"final": "Compare <execute_result_1> with <execute_result_2>."}'
    run, server = work([*FIVE_TURNS[:4], final], 5, lambda: cap_of(people, scope="each", amount=1))
    assert (run.status, run.answer_result, len(server.requests)) == (Status.ANSWERED, 2, 5)
    assert "The cap of Ada Okafor of $1.00 a month was reached" in warned(run)


def test_a_reply_that_is_stopped_counts_against_the_cap(people: Cast, work: Any) -> None:
    cap_of(people, scope="team", amount=9_000)

    def stop() -> None:
        Run.objects.filter(status=Status.RUNNING).update(cancel_requested_at=timezone.now())

    slow = [Turn("word " * 200, pace=0.05)]
    run, _ = work(slow, 1, stop)
    entry = UsageEntry.objects.get(run_id=run.pk)
    assert (run.status, entry.closed_at is not None) == (Status.CANCELLED, True)
    assert (entry.input_tokens, entry.output_tokens) == (run.input_tokens, run.output_tokens)
    assert entry.input_tokens > 100
    assert entry.cost == run.cost
    assert run.cost > 1


def warned(run: Run) -> str:
    return str(RunEvent.objects.filter(run=run, kind="warning").latest("position").data["text"])


def test_asking_whether_a_run_may_go_on_is_one_query_where_no_cap_applies(
    people: Cast, django_assert_num_queries: Any
) -> None:
    run = services.ask(user=people.ada, connection=people.shop, text="Sales?")
    allowed = spending.Allowance(run)
    allowed(Usage())
    with django_assert_num_queries(1):
        allowed(Usage(100, 0, 10, 1.0))
    cap_of(people, scope="team", amount=40)
    allowed(Usage(100, 0, 10, 1.0))
    with django_assert_num_queries(4):  # whether there are caps, those of this run, what it used so far, how full it is
        allowed(Usage(100, 0, 10, 1.0))


def test_what_a_run_used_so_far_is_not_reserved_twice(people: Cast) -> None:
    cap_of(people, scope="team", amount=60)
    run = services.ask(user=people.ada, connection=people.shop, text="Sales?")
    spending.Allowance(run)(Usage(100, 0, 10, 20.0))
    (level,) = spending.levels_for(people.ada, [people.team])
    assert (level.used, level.reserved, level.open) == (20, 30, 1)
