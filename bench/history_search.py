"""The list of questions over 50,000 of them, at the server: what one page takes, searched and filtered.

Whoever manages one team and asked half of the questions looks through shared, verified and reviewed runs of others,
too; whoever has few rights finds two; whoever manages all teams finds what all others have shared, verified or failed.
On SQLite (FTS5) and PostgreSQL (GIN index of words).
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.many_questions import QUESTIONS, Readers, furnish

REPEATS = 12
QUERIES: Mapping[str, str] = {
    "all": "", "one word, many": "q=customers", "one word, few": "q=kettle+zurich", "part of a word": "q=ret",
    "table": "q=order_lines", "a name": "q=person7", "shared with me": "show=shared", "verified": "verified=on",
    "failed": "status=failed", "dear, of a person": "cost=0.1&person=3", "of a team": "q=tent&team=1",
    "nothing found": "q=xyzzy", "page 100": "page=100", "page 99999": "page=99999",
    "a word of all, page 50": "q=in&page=50",
}  # fmt: skip


def report() -> Iterator[str]:
    from tests.databases import scratch

    yield f"One page of the list of {QUESTIONS:,} questions at the server, {REPEATS} times: ms, p50 and p95"
    with tempfile.TemporaryDirectory() as folder:
        for dialect in ("sqlite", "postgresql"):
            with ExitStack() as stack:
                yield from _lines(dialect, _measured(stack.enter_context(scratch(dialect, "", Path(folder)))))


def _lines(dialect: str, taken: Mapping[str, Mapping[str, list[float]]]) -> Iterator[str]:
    for reader, queries in taken.items():
        everything = [one for times in queries.values() for one in times]
        yield f"  {dialect}, {reader}: p50 {statistics.median(everything):.0f}, p95 {_p95(everything):.0f}"
        for name, times in queries.items():
            yield f"    {name:<22} {statistics.median(times):7.1f} {_p95(times):7.1f}"


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _measured(url: str) -> dict[str, dict[str, list[float]]]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from tests.server.conftest import as_own_database

    with as_own_database(url):
        call_command("migrate", verbosity=0)
        readers = furnish()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        return measured(readers)


def measured(readers: Readers) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each repetition, by reader and query."""
    return {
        "a manager": {name: _page(readers.manager, query) for name, query in QUERIES.items()},
        "few rights": {name: _page(readers.few_rights, query) for name, query in QUERIES.items()},
        "manages all teams": {name: _page(readers.all_rights, query) for name, query in QUERIES.items()},
    }


def _page(reader: Any, query: str) -> list[float]:
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
    return taken[1:]


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
