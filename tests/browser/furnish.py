"""Stories told in the database of a site under test, one a line: `["story", "argument", …]` in, its JSON out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from datetime import time
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402

from agents import services  # noqa: E402
from agents.library import collecting, comments, feedback, scheduling, sharing  # noqa: E402
from agents.models import (  # noqa: E402
    LIVE,
    Collection,
    LanguageModel,
    LiveThought,
    Run,
    SavedQuestion,
    SavedRun,
    Status,
)
from connections import services as connections  # noqa: E402
from connections.models import Connection, Membership, Role, Team, User  # noqa: E402
from tests.browser import evaluations, nasty, spending, threads  # noqa: E402
from tests.browser import pulse as pulses  # noqa: E402
from tests.web import stories  # noqa: E402
from tests.web.big_trace import big  # noqa: E402


def gallery() -> dict[str, Any]:
    """One run of every kind, for looking at all pages."""
    people = stories.cast()
    olga, shop = people.olga, people.shop
    User.objects.filter(pk=olga.pk).update(is_staff=True, is_superuser=True)
    running = stories.ask(olga, shop, "Which customers came back this year, and what did they buy?")
    stories.save(running, [*stories.beginning(running), *stories.wrong_turn(), *stories.right_turn()[:7]])
    _at_work(running)
    thinking = stories.ask(olga, shop, "Which products are returned within 14 days?")
    stories.save(thinking, [*stories.beginning(thinking), *stories.asked(1)])
    _at_work(thinking)
    clarify = stories.ask(olga, shop, "Who are our best customers this year?")
    stories.save(clarify, [*stories.beginning(clarify), *stories.right_turn(1)[:4]])
    options = ["Sales after returns", "Margin", "Number of orders", "Sales, returns not taken off"]
    asked_back = "What makes a customer one of the best?"
    stories.finish(clarify, Status.CLARIFY, turns=1, calls=3, seconds=2.9, answer=asked_back, options=options)
    failed = stories.ask(olga, shop, "Customer lifetime by first product")
    stories.save(failed, [*stories.beginning(failed), *stories.wrong_turn()])
    reason = "The 15 turns of this run are used up; the agent had not reached a result that it could defend."
    used_up = {"error_type": "BudgetExhaustedError", "error": reason}
    stories.finish(failed, Status.FAILED, turns=15, calls=61, seconds=96.3, **used_up)
    answered = stories.answered(olga, shop, "What did each country buy this year, and how many orders was that?")
    cut = stories.answered(olga, shop, "List every order of the year with its customer")
    cut.results.update(truncated=True, row_count=1214)
    again = Run.objects.create(question=cut.question, strategy="lift")
    stories.keep_result(again, stories.ROWS[:5])
    told = {"answer": "Five countries.", "answer_result": 1, "sql": stories.SQL, "program": stories.PROGRAM}
    stories.finish(again, **told)
    shared = _of_the_team(people)
    expired, nothing = _without_rows(olga, shop)
    begun = stories.answered(olga, shop, "What did we sell this year?")
    followed = stories.follow(begun, "Only what was sold in Germany")
    stories.save(followed, [*stories.beginning(followed), *stories.right_turn(1), *stories.ending(2)])
    stories.keep_result(followed, stories.ROWS[:1])
    stories.finish(followed, **{**told, "answer": "Germany bought **66,482.90**."})
    return {
        "expired": str(expired.pk), "nothing": str(nothing.pk), "thread": str(begun.question.thread_id),
        "collection": Collection.objects.get().pk, "saved": SavedQuestion.objects.get().pk,
        "again": str(again.pk),
        "shared": str(shared.pk), "team": people.team.pk, "invitation": spending.spent(people),
        "answered": str(answered.pk), "cut": str(cut.pk), "running": str(running.pk), "thinking": str(thinking.pk),
        "clarify": str(clarify.pk), "failed": str(failed.pk), "connection": shop.pk,
        **evaluations.shown(olga, shop),
    }  # fmt: skip


def _without_rows(user: User, connection: Connection) -> tuple[Run, Run]:
    """One answer whose rows were deleted, and one that never had any."""
    expired = stories.answered(user, connection, "What did each country buy in 2019?")
    (settings.RESULTS_DIR / expired.results.get().file).unlink()
    nothing = stories.ask(user, connection, "What did Atlantis buy?")
    stories.save(nothing, [*stories.beginning(nothing), *stories.right_turn(1), *stories.ending(2)])
    stories.keep_result(nothing, [])
    words = "Nothing was sold to Atlantis."
    stories.finish(nothing, answer=words, answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    return expired, nothing


def _of_the_team(people: stories.Cast) -> Run:
    """What Tom shared with Olga, who manages a team of both, with what was said about it."""
    team = Team.objects.create(name="Operations")
    Membership.objects.create(team=team, user=people.olga, role=Role.MANAGER)
    Membership.objects.create(team=team, user=people.tom, role=Role.ANALYST)
    team.connections.add(people.shop)
    shared = stories.answered(people.tom, people.shop, "Which country bought most this year?")
    sharing.share(user=people.tom, run=shared, people=[people.olga], days=30)
    comments.comment(user=people.tom, run=shared, text="Net of returns? @olga please look.")
    feedback.judge(user=people.tom, run=shared, good=False, reason="wrong_number", text="The sum is too high")
    verified = stories.answered(people.tom, people.shop, "Median days from order to delivery, by region")
    feedback.judge(user=people.tom, run=verified, good=True, text="Matches the report")
    feedback.verify(user=people.olga, run=verified)
    _collect(team, people, verified)
    failed = stories.ask(people.tom, people.shop, "Best suppliers for kettles")
    words = {"error_type": "BudgetExhaustedError", "error": "The 15 turns of this run are used up."}
    stories.finish(failed, Status.FAILED, **words)
    return shared


def _collect(team: Team, people: stories.Cast, run: Run) -> None:
    """A collection with a scheduled question that has run three times."""
    place = collecting.create_collection(user=people.tom, team=team, name="Reports", description="What we report.")
    saved = collecting.save(
        user=people.tom, run=run, collection=place, title="Sales by country", note="Net of returns", names={0: "since"}
    )
    scheduling.schedule(user=people.tom, saved=saved, cadence="weekly", day=0, at=time(7), recipients=[people.olga],
                        only_when_changed=False)  # fmt: skip
    for number in (1210.0, 1342.0, 1298.5):
        again = stories.answered(people.tom, people.shop, "Sales by country")
        shown = {"number": number, "value": f"{number:,}", "settled": True}
        SavedRun.objects.create(saved=saved, run=again, scheduled=True, **shown)


def _at_work(run: Run) -> None:
    """As if a worker had the run, and kept it."""
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING, lease_owner="test", lease_until="2100-01-01T00:00Z")


def full() -> dict[str, Any]:
    """Olga manages the team, and her cap is used up."""
    people = stories.cast()
    spending.full(people)
    return {"team": people.team.pk}


def live() -> dict[str, Any]:
    """A run at work that goes on only when `go_on` says so."""
    people = stories.cast()
    run = stories.ask(people.olga, people.shop)
    stories.save(run, stories.beginning(run))
    _at_work(run)
    return {"run": str(run.pk)}


def go_on(run_id: str, first: str, last: str) -> dict[str, Any]:
    """Save the events `first` … `last` of the whole story; behind the last one the run is answered."""
    run = Run.objects.get(pk=run_id)
    story = [*stories.wrong_turn(), *stories.right_turn(), *stories.ending()]
    stories.save(run, story[int(first) : int(last)])
    if int(last) >= len(story):
        stories.keep_result(run)
        stories.finish(run, answer="Germany bought most.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    return {"saved": run.events.count(), "of": len(story)}


def think(run_id: str, turn: str, text: str) -> dict[str, Any]:
    """The model has written `text` so far."""
    LiveThought.objects.update_or_create(run_id=run_id, defaults={"turn": int(turn), "text": text})
    return {}


def hostile() -> dict[str, Any]:
    """Hostile text wherever text can stand."""
    people = stories.cast()
    return nasty.hostile(people.olga, people.shop)


def dated() -> dict[str, Any]:
    """Dates and times, for browsers in other time zones."""
    return nasty.dated(User.objects.get(username="olga"), Connection.objects.get())


def pulse_begin(number: str, calls: str) -> dict[str, Any]:
    return pulses.begin(int(number), int(calls))


def pulse(run_id: str, number: str) -> dict[str, Any]:
    return pulses.beat(run_id, int(number))


def cast() -> dict[str, Any]:
    """The people, and the connection Shop on the file shop.sqlite."""
    return {"connection": stories.cast().shop.pk}


def choices() -> dict[str, Any]:
    """Two connections and two models to choose from."""
    people = stories.cast()
    stock = Connection.objects.create(name="Stock", kind="sqlite", database="stock.sqlite")
    people.team.connections.add(stock)
    for name in ("First model", "Second model"):
        LanguageModel.objects.create(name=name, model="openai/scripted", is_default=name == "First model")
    return {}


def to_evaluate() -> dict[str, Any]:
    return evaluations.to_start()


def demo() -> dict[str, Any]:
    """Mara, who looks after the demo shop."""
    team = Team.objects.create(name="Retail analytics")
    names = {"first_name": "Mara", "last_name": "Lindqvist"}
    mara = User.objects.create_superuser("mara", password="mara's long password", **names)
    Membership.objects.create(team=team, user=mara, role=Role.ANALYST)
    words = "Orders, customers, returns and support of an outdoor shop. The numbers are invented."
    shop = connections.create_connection(
        actor=mara, teams=[team], name="Shop", kind="sqlite", database="demo.sqlite", notes=words, is_demo=True
    )
    connections.refresh_catalogue(shop)
    return {"connection": shop.pk}


def demo_evaluation() -> dict[str, Any]:
    """Mara manages the team now; two evaluations with invented answers are there."""
    Membership.objects.update(role=Role.MANAGER)
    return evaluations.shown(User.objects.get(username="mara"), Connection.objects.get())


def ask(text: str) -> dict[str, Any]:
    """Mara asks; a worker answers."""
    mara = User.objects.get(username="mara")
    return {"run": str(services.ask(user=mara, connection=Connection.objects.get(), text=text).pk)}


def big_trace() -> dict[str, Any]:
    """A run of 200 calls and 5 MB."""
    people = stories.cast()
    run = stories.ask(people.olga, people.shop)
    return {"run": str(run.pk), "octets": big(run)}


def library() -> dict[str, Any]:
    """An answer and a failure of Olga's, and an answer that she shares with Tom; Mona manages their team."""
    people = stories.cast()
    mona = User.objects.create_user("mona", password="mona's long password", first_name="Mona", last_name="Manager")
    Membership.objects.create(team=people.team, user=mona, role=Role.MANAGER)
    answered = stories.answered(people.olga, people.shop)
    failed = stories.ask(people.olga, people.shop, "Customer lifetime by first product")
    stories.finish(failed, Status.FAILED, error_type="BudgetExhaustedError", error="The 15 turns are used up.")
    shared = stories.answered(people.olga, people.shop, "Which country bought least?")
    sharing.share(user=people.olga, run=shared, people=[people.tom])
    return {"answered": str(answered.pk), "failed": str(failed.pk), "shared": str(shared.pk), "team": people.team.pk}


def scheduled() -> dict[str, Any]:
    """A scheduled run of the team's, at work until `go_on` moves it."""
    olga, shop, team = User.objects.get(username="olga"), Connection.objects.get(), Team.objects.get()
    place = collecting.create_collection(user=olga, team=team, name="Reports")
    first = stories.answered(olga, shop, "Sales by country")
    saved = collecting.save(user=olga, run=first, collection=place, title="Sales by country")
    run = stories.ask(olga, shop, "Sales by country")
    stories.save(run, stories.beginning(run))
    _at_work(run)
    SavedRun.objects.create(saved=saved, run=run, scheduled=True)
    return {"run": str(run.pk)}


def rerun(run: str) -> dict[str, Any]:
    """Mara has the same steps run again on fresh data."""
    mara = User.objects.get(username="mara")
    return {"run": str(services.rerun(user=mara, run=Run.objects.get(pk=run)).pk)}


def state(run: str = "") -> dict[str, Any]:
    """How a run stands, the newest if none is named."""
    found = Run.objects.get(pk=run) if run else Run.objects.order_by("-created_at").first()
    assert found is not None
    return {"run": str(found.pk), "status": found.status, "live": found.status in LIVE, "events": found.events.count(),
            "error": found.error}  # fmt: skip


def password(name: str) -> dict[str, Any]:
    """Make a person change the password at the next login."""
    return {"changed": User.objects.filter(username=name).update(must_change_password=True)}


def no_connection() -> dict[str, Any]:
    return {"gone": Connection.objects.update(is_active=False)}


STORIES: Mapping[str, Callable[..., dict[str, Any]]] = {
    told.__name__: told
    for told in (gallery, full, hostile, dated, live, go_on, think, cast, demo, ask, state, password, no_connection,
                 library, big_trace, to_evaluate, demo_evaluation, pulse_begin, pulse, pulses.session, scheduled, rerun,
                 choices, threads.asked_again, threads.long_table)  # fmt: skip
}

if __name__ == "__main__":
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        sys.stdout.write(json.dumps(STORIES[name](*arguments)) + "\n")
        sys.stdout.flush()
