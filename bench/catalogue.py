"""A very large catalogue: 5,000 tables with 60,000 columns on PostgreSQL, read, read again, and browsed.

The product's own database is an empty SQLite file, the customer's a scratch database on the PostgreSQL server of the
tests. Pages are timed at the server, from request to the finished answer.
"""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SCHEMAS, TABLES, COLUMNS, WIDEST = 20, 5_000, 60_000, 1_500
REPEATS = 7

# A few of everything that costs: keys, references, comments, views. Each schema is one transaction.
FILL = """
CREATE SCHEMA s{number};
DO $$
DECLARE columns text; sort text;
BEGIN
  FOR t IN 1 .. {tables} LOOP
    SELECT string_agg(format('%I %s', 'c' || n || '_amount', (ARRAY['integer', 'numeric(12,2)', 'text', 'date'])[n % 4 + 1]),
                      ', ') INTO columns FROM generate_series(1, {columns}) n;
    EXECUTE format('CREATE TABLE s{number}.t%s_orders (id bigint PRIMARY KEY, parent bigint%s, %s)', t,
                   CASE WHEN t > 1 THEN format(' REFERENCES s{number}.t%s_orders', t - 1) ELSE '' END, columns);
    EXECUTE format('COMMENT ON TABLE s{number}.t%s_orders IS %L', t, 'Orders of company ' || t || ', one row a line');
    EXECUTE format('COMMENT ON COLUMN s{number}.t%s_orders.c1_amount IS %L', t, 'Euro, with VAT');
  END LOOP;
END $$
"""  # noqa: E501
WIDE = "CREATE TABLE public.widest (id bigint PRIMARY KEY, {})"
PAGES = {
    "first page of the browser": "",
    "page 50": "page=50",
    "search for a table": "q=t137_",
    "search for a column": "q=c9_am",
    "search that finds nothing": "q=zzz",
    "the table with 1,500 columns": "table=public.widest",
    "a column of it": "table=public.widest&c=_1499",
}


def report() -> Iterator[str]:
    from tests.connections.servers import ask
    from tests.databases import scratch

    with tempfile.TemporaryDirectory() as folder:
        _own_database(Path(folder))
        with scratch("postgresql", "", Path(folder)) as url:
            yield f"Catalogue of PostgreSQL with {TABLES:,} tables and {COLUMNS:,} columns, one of {WIDEST:,}"
            for statement in _statements():
                ask(url, statement)
            yield from _reading(url)
            yield from _browsing()
    yield f"  {'largest memory of the process':<44} {_peak_mb():>8,.0f} MB"


def _own_database(folder: Path) -> None:
    """The product with an empty database of its own in `folder`."""
    os.environ |= {"DATA_DIR": str(folder), "DATABASE_URL": f"sqlite:///{folder}/own.sqlite",
                   "DJANGO_SETTINGS_MODULE": "reactsql_web.settings", "LOG_LEVEL": "ERROR"}  # fmt: skip
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _statements() -> Iterator[str]:
    """1,500 columns stand in one table; the rest is spread over the others."""
    wide = ", ".join(f"measure_{number} numeric" for number in range(1, WIDEST))
    yield WIDE.format(wide)
    others, left = TABLES - 1, COLUMNS - WIDEST
    tables = others // SCHEMAS
    for number in range(1, SCHEMAS + 1):
        count = tables if number < SCHEMAS else others - tables * (SCHEMAS - 1)
        yield FILL.format(number=number, tables=count, columns=left // others - 2)
    missing = left - others * (left // others)
    yield from (
        f"ALTER TABLE s{n % SCHEMAS + 1}.t{n // SCHEMAS + 1}_orders ADD COLUMN note text" for n in range(missing)
    )


def _reading(url: str) -> Iterator[str]:
    from connections import services
    from connections.address import fields_of
    from connections.models import CatalogueSnapshot, Connection

    connection = Connection.objects.create(
        name="Large", **{key: value for key, value in fields_of(url).items() if key != "password"}
    )
    connection.tls = "prefer"
    for name in ("first snapshot", "refresh without change"):
        seconds, _ = _timed(lambda: services.refresh_catalogue(connection))
        yield f"  {name:<44} {seconds:>8.2f} s"
    snapshot = CatalogueSnapshot.objects.get()
    assert (snapshot.table_count, snapshot.column_count) == (TABLES, COLUMNS)
    first, again = (_timed(lambda: _stored(connection))[0] for _ in range(2))
    yield f"  {'stored catalogue for a run, first':<44} {first:>8.2f} s"
    yield f"  {'stored catalogue for a run, again':<44} {again:>8.2f} s"


def _stored(connection: Any) -> object:
    from connections import selectors

    return selectors.catalogue_of(connection)


def _browsing() -> Iterator[str]:
    from django.test import Client
    from django.urls import reverse

    from connections.models import Connection, ConnectionGrant, Membership, Team, User

    user = User.objects.create_user("ann")
    team = Team.objects.create(name="All")
    Membership.objects.create(team=team, user=user)
    connection = Connection.objects.get()
    ConnectionGrant.objects.create(team=team, connection=connection)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    client.get(reverse("connections"))  # templates are read with the first page
    address = reverse("schema", args=[connection.pk])
    pages = {name: f"{address}?{query}" for name, query in PAGES.items()}
    pages |= {"list of connections": reverse("connections"), "start page": reverse("home")}
    for name, page in pages.items():
        ms, size = _page(client, page)
        yield f"  {name:<44} {ms:>8.0f} ms {size / 1000:>7,.0f} kB"


def _page(client: Any, page: str) -> tuple[float, int]:
    """The median milliseconds of a page, and its size."""
    seconds = []
    for _ in range(REPEATS):
        spent, answer = _timed(lambda: client.get(page))
        assert answer.status_code == 200, answer
        seconds.append(spent)
    return statistics.median(seconds) * 1000, len(answer.content)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    done = work()
    return time.perf_counter() - started, done


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    for line in report():
        print(line, flush=True)


if __name__ == "__main__":
    main()
