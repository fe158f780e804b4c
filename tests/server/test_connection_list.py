"""The list of connections and their catalogues' pages: how much each is asked, what it is, and odd addresses."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from connections import snapshots
from connections.catalogue import Catalogue, Column, Table
from connections.models import CatalogueSnapshot, Connection, ConnectionGrant
from tests.server.conftest import Cast, make_cast, make_run


def row_of(page: str, connection: Connection) -> str:
    row = page[page.index(f'id="connection-{connection.pk}"') :].partition("</tr>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row))


def more(cast: Cast, number: int) -> list[Connection]:
    made = []
    for count in range(number):
        connection = Connection.objects.create(name=f"More {count}", kind="duckdb", database=f"{count}.duckdb")
        ConnectionGrant.objects.create(team=cast.team, connection=connection)
        snapshot(connection, "1.4.1")
        made.append(connection)
    return made


def snapshot(connection: Connection, version: str, warnings: tuple[str, ...] = ()) -> None:
    CatalogueSnapshot.objects.create(
        connection=connection, server_version=version, warnings=list(warnings), table_count=9, column_count=50,
        taken_at=timezone.now(),
    )  # fmt: skip


def test_the_questions_that_everybody_asked_are_counted(cast: Cast, client: Client) -> None:
    (quiet,) = more(cast, 1)
    runs = [make_run(cast) for _ in range(3)]
    runs[0].question.thread.questions.create(position=2, text="And in May?", asked_by=cast.ben)
    client.force_login(cast.ben)
    page = client.get(reverse("connections")).content.decode()
    assert " 4 " in row_of(page, cast.shop)
    assert " 0 " in row_of(page, quiet)


def test_many_connections_need_no_more_queries_than_two(
    cast: Cast, client: Client, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    client.force_login(cast.ada)
    more(cast, 1)
    client.get(reverse("connections"))
    with django_assert_max_num_queries(30) as few:
        client.get(reverse("connections"))
    Connection.objects.filter(name__startswith="More").delete()
    for connection in more(cast, 20):
        make_run(Cast(cast.ada, cast.ben, cast.cleo, cast.team, connection))
    with django_assert_num_queries(len(few)):
        client.get(reverse("connections"))


@pytest.mark.parametrize(
    ("kind", "version", "shown"),
    [
        ("postgresql", "16.4 (Debian 16.4-1)", "PostgreSQL 16"),
        ("mysql", "8.4.2", "MySQL 8.4"),
        ("mysql", "10.11.19-MariaDB-0+deb12u1", "MariaDB 10.11"),
        ("duckdb", "v1.4.1", "DuckDB"),
        ("postgresql", "", "PostgreSQL"),
    ],
)
def test_a_server_is_named_with_its_version(cast: Cast, client: Client, kind: str, version: str, shown: str) -> None:
    Connection.objects.filter(pk=cast.shop.pk).update(kind=kind)
    cast.shop.refresh_from_db()
    snapshot(cast.shop, version)
    client.force_login(cast.ada)
    for address in (reverse("connections"), reverse("schema", args=[cast.shop.pk])):
        assert re.search(rf">{re.escape(shown)}</", client.get(address).content.decode()), address


@pytest.mark.usefixtures("own_url")
@pytest.mark.parametrize("given", ["q", "schema", "table", "c", "about", "page", "columns"])
def test_an_address_with_characters_that_no_database_keeps_finds_nothing(client: Client, given: str) -> None:
    cast = make_cast()
    snapshot(cast.shop, "3.45")
    client.force_login(cast.ada)
    assert client.get(reverse("schema", args=[cast.shop.pk]), {given: "a\x00b"}).status_code == 200


@pytest.mark.parametrize(("kind", "mark"), [("sqlite", '"'), ("duckdb", '"'), ("postgresql", '"'), ("mysql", "`")])
def test_the_first_rows_of_a_table_are_one_statement_away_for_who_may_ask(
    cast: Cast, client: Client, settings: Any, kind: str, mark: str
) -> None:
    Connection.objects.filter(pk=cast.shop.pk).update(kind=kind)
    cast.shop.refresh_from_db()
    table = Table(f"odd {mark} name", "my schema", columns=(Column("id", "integer", "integer"),))
    snapshots.keep(cast.shop, Catalogue(cast.shop.kind, (table,)))
    address = reverse("schema", args=[cast.shop.pk])
    client.force_login(cast.ben)
    assert "First rows" not in client.get(address).content.decode(), "a viewer asks nothing"
    client.force_login(cast.ada)
    found = re.search(rf'href="({reverse("open_sql")}[?][^"]+)"', client.get(address).content.decode())
    assert found
    page = client.get(html.unescape(found[1])).content.decode()
    statement = f"SELECT * FROM {mark}my schema{mark}.{mark}odd {mark}{mark} name{mark} LIMIT 50"
    assert statement in html.unescape(page)
    lifted = client.post(reverse("open_sql"), {"connection": cast.shop.pk, "sql": statement})
    assert lifted.status_code == 200, "it is opened as a program"
