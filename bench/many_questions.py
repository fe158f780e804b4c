"""50,000 questions of twenty people in four teams, written in bulk past the models' own way of saving.

Half are one manager's; every 25th run is shared with a team, every 100th verified, one in twenty failed. Lee, in a
team without a connection, has one question and one share; Alex manages all teams and asked nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

QUESTIONS, PEOPLE, OWN = 50_000, 20, 0.5
NOUNS = ("customers", "orders", "returns", "products", "tickets", "visits", "suppliers", "lines", "regions", "prices")
PLACES = ("Germany", "France", "Italy", "Spain", "Austria", "Zurich", "Oslo", "Vienna", "Lyon", "Porto")
THINGS = ("kettle", "tent", "bike", "pan", "lamp", "shoe", "jacket", "chair", "vacuum", "backpack")
TABLES = ("orders", "order_lines", "customers", "returns", "products")


@dataclass(frozen=True, slots=True)
class Readers:
    manager: Any
    few_rights: Any
    all_rights: Any


def furnish() -> Readers:
    from agents.library import search_index
    from agents.models import Share

    people, teams, shop, readers = _people()
    drawn = random.Random(7)  # noqa: S311
    runs = list(_asked(people, readers.few_rights, shop, drawn))
    _insert([run.question.thread for run in runs])
    _insert([run.question for run in runs])
    _insert(runs)
    _insert([search_index.entry_of(run, newest=True) for run in runs])
    _share_and_verify(runs, teams[0], people[0])
    Share.objects.create(run=runs[1], person=readers.few_rights)
    return readers


def _people() -> tuple[list[Any], list[Any], Any, Readers]:
    from connections.models import Connection, Membership, Role, Team, User

    people = User.objects.bulk_create([User(username=f"person{n}", is_active=True) for n in range(PEOPLE)])
    lee, alex = User.objects.create(username="lee"), User.objects.create(username="alex", is_staff=True)
    teams = Team.objects.bulk_create([Team(name=f"Team {n}") for n in range(4)])
    shop = Connection.objects.create(name="Shop", kind="sqlite", database="shop.sqlite")
    for team in teams:
        team.connections.add(shop)
        Membership.objects.create(team=team, user=alex, role=Role.MANAGER)
    Membership.objects.create(team=Team.objects.create(name="Apart"), user=lee, role=Role.ANALYST)
    roles = [Role.MANAGER if n == 0 else Role.ANALYST for n in range(PEOPLE)]
    Membership.objects.bulk_create(
        [Membership(team=teams[n % 4], user=person, role=roles[n]) for n, person in enumerate(people)]
    )
    return people, teams, shop, Readers(people[0], lee, alex)


def _asked(people: Sequence[Any], lee: Any, shop: Any, drawn: random.Random) -> Iterator[Any]:
    """Over two years, a few hundred questions at a time."""
    from django.utils import timezone

    from agents.models import Question, Thread

    now = timezone.now()
    moments = [now - timedelta(minutes=drawn.randrange(2 * 365 * 24 * 60)) for _ in range(0, QUESTIONS, 500)]
    for number in range(QUESTIONS):
        owner = lee if number == 0 else people[0] if drawn.random() < OWN else drawn.choice(people[1:])
        asked_at = moments[number // 500] + timedelta(seconds=number % 500)
        text = f"How many {drawn.choice(NOUNS)} of the {drawn.choice(THINGS)} in {drawn.choice(PLACES)}?"
        thread = Thread(owner=owner, connection=shop, title="T", created_at=asked_at, updated_at=asked_at)
        question = Question(thread=thread, position=1, text=text, asked_by=owner, created_at=asked_at)
        yield _run(question, asked_at, drawn)


def _run(question: Any, asked_at: datetime, drawn: random.Random) -> Any:
    from agents.models import Run, Status

    failed = drawn.random() < 0.05
    return Run(
        question=question, strategy="react", status=Status.FAILED if failed else Status.ANSWERED, turns=3, seconds=9.5,
        answer=f"There are **{drawn.randrange(9_000):,}** in {drawn.choice(PLACES)}.",
        program=[{"op": "table_ref", "args": {"table": drawn.choice(TABLES)}, "out": "t"}],
        cost=round(drawn.random() ** 4, 4), created_at=asked_at, finished_at=asked_at,
    )  # fmt: skip


def _share_and_verify(runs: Sequence[Any], team: Any, by: Any) -> None:
    from django.utils import timezone

    from agents.models import Share, Verification

    now = timezone.now()
    _insert([Share(run=run, team=team, created_at=now) for run in runs[::25]])
    _insert([Verification(run=run, by=by, at=now) for run in runs[::100]])


def _insert(objects: Sequence[Any]) -> None:
    """All rows in one statement's round; what is the same in all of them is made ready once."""
    from django.db import connection

    model = type(objects[0])
    fields = [field for field in model._meta.concrete_fields if not (field.primary_key and objects[0].pk is None)]
    first = objects[0]
    same = {
        field.attname: field.get_db_prep_save(getattr(first, field.attname), connection)
        for field in fields
        if all(getattr(one, field.attname) == getattr(first, field.attname) for one in objects)
    }
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    sql = f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({', '.join(['%s'] * len(fields))})"  # noqa: S608
    rows = [
        [
            same[field.attname] if field.attname in same
            else field.get_db_prep_save(getattr(one, field.attname), connection)
            for field in fields
        ]
        for one in objects
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)
