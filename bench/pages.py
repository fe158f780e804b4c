"""Server time of the pages that people open most, with 50,000 questions and 5 million events in PostgreSQL.

    python -m bench.pages [--questions N] [--events N]

The rows are made by the database itself; one more run of 200 calls is saved as a worker saves it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

QUESTIONS, EVENTS = 50_000, 5_000_000
REPEATS = 40

FILL = """
INSERT INTO agents_thread (id, owner_id, connection_id, title, created_at, updated_at)
SELECT md5('t' || n)::uuid, %(owner)s, %(shop)s, 'Question ' || n, now() - n * interval '7 minutes',
       now() - n * interval '7 minutes' FROM generate_series(1, %(questions)s) n;
INSERT INTO agents_question (id, thread_id, position, text, evidence, asked_by_id, created_at)
SELECT md5('q' || n)::uuid, md5('t' || n)::uuid, 1, 'How many orders of kind ' || n || '?', '', %(owner)s,
       now() - n * interval '7 minutes' FROM generate_series(1, %(questions)s) n;
CREATE TEMP TABLE model (LIKE agents_run);
INSERT INTO model SELECT * FROM agents_run WHERE id = %(run)s;
"""
RUNS = """
ALTER TABLE agents_runevent DISABLE TRIGGER ALL;
INSERT INTO agents_run SELECT (jsonb_populate_record(m, jsonb_build_object(
  'id', md5('r' || n)::uuid, 'question_id', md5('q' || n)::uuid, 'created_at', now() - n * interval '7 minutes'))).*
FROM model m, generate_series(1, %(questions)s) n;
INSERT INTO agents_runevent (run_id, position, kind, turn, at, data)
SELECT md5('r' || n)::uuid, p, 'observation', p / 10, now(),
       jsonb_build_object('text', repeat('x', 200), 'turn', p / 10)
FROM generate_series(1, %(questions)s) n, generate_series(1, %(each)s) p;
ALTER TABLE agents_runevent ENABLE TRIGGER ALL;
"""


def report(questions: int = QUESTIONS, events: int = EVENTS) -> Iterator[str]:
    from tests.databases import scratch

    with tempfile.TemporaryDirectory() as folder:
        for url in _once(scratch("postgresql", "", Path(folder))):
            yield from _measured(url, questions, events, Path(folder))


def _once(context: Any) -> Iterator[str]:
    with context as url:
        yield url


def _measured(url: str, questions: int, events: int, folder: Path) -> Iterator[str]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from agents.library import search_index
    from tests.server.conftest import as_own_database
    from tests.web import stories

    settings.RESULTS_DIR = folder / "results"
    with as_own_database(url):
        call_command("migrate", verbosity=0)
        people = stories.cast()
        run = stories.answered(people.olga, people.shop)
        _long_run(run)
        stories.finish(run, turns=28, calls=211)
        started = time.perf_counter()
        values: dict[str, Any] = {
            "owner": people.olga.pk, "shop": people.shop.pk, "run": run.pk, "questions": questions,
            "each": max(events // questions, 1),
        }  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(FILL, values)
            cursor.execute(RUNS, values)
            search_index.rebuild()
            cursor.execute("ANALYZE")
            cursor.execute("SELECT count(*) FROM agents_runevent")
            stored = cursor.fetchone()[0]
        yield (f"Server time with {questions:,} questions and {stored:,} events in PostgreSQL "
               f"(made in {time.perf_counter() - started:.0f} s), {REPEATS} requests each")  # fmt: skip
        pages = {"ask page": "/", "history": "/questions/", "run of 200 calls": f"/runs/{run.pk}?tab=table",
                 "its steps": f"/runs/{run.pk}?tab=steps", "its calls, opened": f"/runs/{run.pk}/turns"}  # fmt: skip
        for name, address in pages.items():
            yield _page(people.olga, name, address)


def _long_run(run: Any) -> None:
    """25 turns of 8 calls."""
    from agents.traces import events
    from tests.web import stories

    call = stories.PROGRAM[1]
    columns = tuple({"name": f"column_{number}", "type": "TEXT"} for number in range(12))
    for turn in range(10, 35):
        done = [events.CallResult(turn=turn, index=index, call=call, state="ok", handle="recent", columns=columns,
                                  row_count=8306, ms=3) for index in range(8)]  # fmt: skip
        batch = events.Calls(turn=turn, thought=stories.THOUGHT, calls=(call,) * 8)
        stories.save(run, [*stories.asked(turn), *stories.replied(turn), batch, *done,
                           events.Observation(turn=turn, text="8 calls.", rows_out={})])  # fmt: skip


def _page(user: Any, name: str, address: str) -> str:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    taken, worked = [], []
    for _ in range(REPEATS + 2):
        begun, busy = time.perf_counter(), time.process_time()
        status = client.get(address, SERVER_NAME="localhost").status_code
        taken.append((time.perf_counter() - begun) * 1000)
        worked.append((time.process_time() - busy) * 1000)
        if status != 200:
            raise RuntimeError(f"{address} answered {status}")
    with CaptureQueriesContext(connection) as queries:
        client.get(address, SERVER_NAME="localhost")
    taken, worked = sorted(taken[2:]), sorted(worked[2:])
    median, slow = taken[REPEATS // 2], taken[int(REPEATS * 0.95)]
    return (f"  {name:<18} median {median:5.0f} ms   95 % {slow:5.0f} ms   {len(queries):2} queries   "
            f"Python's processor time {worked[REPEATS // 2]:4.0f} ms")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.pages")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--events", type=int, default=EVENTS)
    chosen = parser.parse_args()
    for line in report(chosen.questions, chosen.events):
        print(line, flush=True)
