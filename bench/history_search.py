"""The list of questions over 50,000 of them, at the server: what one page takes, searched and filtered.

Twenty people in four teams asked them; the one who looks manages one team, so that shared, verified and reviewed runs
of others are looked through, too. On SQLite (FTS5) and PostgreSQL (GIN index of words).
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

QUESTIONS, PEOPLE, OWN = 50_000, 20, 0.5
REPEATS = 5
QUERIES: Mapping[str, str] = {
    "all": "", "one word, many": "q=customers", "one word, few": "q=kettle+zurich", "part of a word": "q=ret",
    "table": "q=order_lines", "person": "q=person7", "shared with me": "show=shared", "verified": "verified=on",
    "failed": "status=failed", "dear, of a person": "cost=0.1&person=3", "nothing found": "q=xyzzy",
    "page 100": "page=100",
}  # fmt: skip
NOUNS = ("customers", "orders", "returns", "products", "tickets", "visits", "suppliers", "lines", "regions", "prices")
PLACES = ("Germany", "France", "Italy", "Spain", "Austria", "Zurich", "Oslo", "Vienna", "Lyon", "Porto")
THINGS = ("kettle", "tent", "bike", "pan", "lamp", "shoe", "jacket", "chair", "vacuum", "backpack")
TABLES = ("orders", "order_lines", "customers", "returns", "products")


def report() -> Iterator[str]:
    from tests.databases import scratch

    yield f"One page of the list of {QUESTIONS:,} questions at the server, median of {REPEATS}, milliseconds"
    with tempfile.TemporaryDirectory() as folder:
        for dialect in ("sqlite", "postgresql"):
            with ExitStack() as stack:
                url = stack.enter_context(scratch(dialect, "", Path(folder)))
                figures = _measured(url)
            yield f"  {dialect}: slowest {max(figures.values()):.0f} ms"
            for name, ms in figures.items():
                yield f"    {name:<20} {ms:7.1f}"


def _measured(url: str) -> dict[str, float]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from tests.server.conftest import as_own_database

    with as_own_database(url):
        call_command("migrate", verbosity=0)
        reader = _furnish()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        return {name: _page(reader, query) for name, query in QUERIES.items()}


def _page(reader: Any, query: str) -> float:
    from django.test import Client

    client = Client(headers={"HX-Request": "true"}, SERVER_NAME="localhost")
    client.force_login(reader, backend="django.contrib.auth.backends.ModelBackend")
    taken = []
    for _ in range(REPEATS + 1):
        begun = time.perf_counter()
        status = client.get(f"/questions/?{query}").status_code
        taken.append((time.perf_counter() - begun) * 1000)
        if status != 200:
            raise RuntimeError(f"?{query} answered {status}")
    return statistics.median(taken[1:])


def _furnish() -> Any:
    from agents.library import search_index
    from agents.models import Question, Run, Share, Thread, Verification
    from connections.models import Connection, Membership, Role, Team, User

    people = User.objects.bulk_create([User(username=f"person{n}", is_active=True) for n in range(PEOPLE)])
    teams = Team.objects.bulk_create([Team(name=f"Team {n}") for n in range(4)])
    shop = Connection.objects.create(name="Shop", kind="sqlite", database="shop.sqlite")
    for team in teams:
        team.connections.add(shop)
    roles = [Role.MANAGER if n == 0 else Role.ANALYST for n in range(PEOPLE)]
    Membership.objects.bulk_create(
        [Membership(team=teams[n % 4], user=person, role=roles[n]) for n, person in enumerate(people)]
    )
    drawn = random.Random(7)  # noqa: S311
    owners = [people[0] if drawn.random() < OWN else drawn.choice(people[1:]) for _ in range(QUESTIONS)]
    threads = Thread.objects.bulk_create([Thread(owner=one, connection=shop, title="T") for one in owners], 2_000)
    texts = [f"How many {drawn.choice(NOUNS)} of the {drawn.choice(THINGS)} in {drawn.choice(PLACES)}?" for _ in owners]
    questions = Question.objects.bulk_create(
        [Question(thread=thread, position=1, text=text, asked_by=thread.owner)
         for thread, text in zip(threads, texts, strict=True)], 2_000,
    )  # fmt: skip
    _spread(Question, questions, drawn)
    runs = Run.objects.bulk_create([_run(question, drawn) for question in questions], 2_000)
    Share.objects.bulk_create([Share(run=run, team=teams[0]) for run in runs[::25]], 2_000)
    Verification.objects.bulk_create([Verification(run=run, by=people[0]) for run in runs[::100]], 2_000)
    search_index.rebuild()
    return people[0]


def _spread(model: Any, questions: Sequence[Any], drawn: random.Random) -> None:
    """Over two years, a few hundred questions at a time."""
    for first in range(0, len(questions), 500):
        moment = questions[first].created_at - timedelta(minutes=drawn.randrange(2 * 365 * 24 * 60))
        part = questions[first : first + 500]
        model.objects.filter(pk__in=[question.pk for question in part]).update(created_at=moment)
        for question in part:
            question.created_at = moment


def _run(question: Any, drawn: random.Random) -> Any:
    from agents.models import Run, Status

    failed = drawn.random() < 0.05
    program = [{"op": "table_ref", "args": {"table": drawn.choice(TABLES)}, "out": "t"}]
    return Run(
        question=question, strategy="react", status=Status.FAILED if failed else Status.ANSWERED, turns=3, seconds=9.5,
        answer=f"There are **{drawn.randrange(9_000):,}** in {drawn.choice(PLACES)}.", program=program,
        cost=round(drawn.random() ** 4, 4), finished_at=question.created_at,
    )  # fmt: skip


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
