"""Pages for who sets connections up: the form, the test, reading again, notes."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from sqlalchemy.engine import make_url

from connections import crypto, selectors, services, snapshots, tasks
from connections.errors import ConnectionFailedError
from connections.models import AuditEntry, CatalogueNote, CatalogueRefresh, Connection, Role, User
from tests.postgres_cluster import Cluster
from tests.server.conftest import Cast

SECRET = "hunter2hunter2"
FORM = {
    "name": "Warehouse", "kind": "postgresql", "host": "db.example.org", "port": "5432", "database": "x",
    "username": "u", "tls": "require", "schemas": "public, sales", "notes": "Sales are net.", "send_values": "on",
    "max_seconds": "60", "max_rows": "10000", "max_concurrent": "4", "is_active": "on",
}  # fmt: skip


@pytest.fixture
def setter(cast: Cast, client: Client) -> Client:
    """Who may set connections up, in no team."""
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def shop_file(settings: Any) -> None:
    settings.DATABASES_DIR.mkdir()
    database = sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite")
    database.execute("CREATE TABLE orders (id INTEGER, total NUMERIC)")
    database.close()


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The connections for which a worker was rung for."""
    bells: list[int] = []
    monkeypatch.setattr(tasks, "enqueue_refresh", bells.append)
    return bells


def test_a_connection_is_made_granted_and_leads_to_its_test(setter: Client, cast: Cast) -> None:
    answer = setter.post(reverse("connection_add"), {**FORM, "password": SECRET, "teams": [cast.team.pk], "test": "1"})
    made = Connection.objects.get(name="Warehouse")
    assert answer["Location"] == reverse("connection_test", args=[made.pk])
    assert (made.schemas, made.tls, made.send_values) == (["public", "sales"], "require", True)
    assert crypto.decrypt(made.password_encrypted) == SECRET
    assert list(made.teams.all()) == [cast.team]
    page = setter.get(reverse("connection_edit", args=[made.pk])).content.decode()
    assert "public, sales" in page
    assert re.search(rf'type="checkbox" name="teams" value="{cast.team.pk}"[^>]* checked', page)
    assert SECRET not in page
    assert "Stored. Type to replace it" in page


@pytest.mark.parametrize(
    ("typed", "kept"), [({}, SECRET), ({"password": "new"}, "new"), ({"forget_password": "on"}, "")]
)
def test_the_password_stays_unless_it_is_typed_or_forgotten(
    setter: Client, cast: Cast, typed: dict[str, str], kept: str
) -> None:
    setter.post(reverse("connection_add"), {**FORM, "password": SECRET, "teams": [cast.team.pk]})
    made = Connection.objects.get(name="Warehouse")
    answer = setter.post(reverse("connection_edit", args=[made.pk]), {**FORM, **typed})
    assert answer["Location"] == reverse("schema", args=[made.pk])
    made.refresh_from_db()
    assert crypto.decrypt(made.password_encrypted) == kept
    assert not made.teams.exists(), "a team that is not ticked loses it"
    assert AuditEntry.objects.filter(action="connection grant removed").exists()


def test_another_server_gets_the_stored_password_only_from_who_knows_it(setter: Client, cast: Cast) -> None:
    setter.post(reverse("connection_add"), {**FORM, "password": SECRET})
    address = reverse("connection_edit", args=[Connection.objects.get(name="Warehouse").pk])
    for moved in ({"host": "evil.example.org"}, {"port": ""}, {"username": "root"}, {"tls": "disable"}):
        answer = setter.post(address, {**FORM, **moved, "test": "1"})
        assert answer.status_code == 422
        assert "Type the password anew" in answer.content.decode()
    assert setter.post(address, {**FORM, "host": "new.example.org", "password": "new"}).status_code == 302
    assert setter.post(address, {**FORM, "host": "db.example.org", "forget_password": "on"}).status_code == 302


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"host": ""}, "name its host"),
        ({"name": "Shop"}, "already exists"),
        ({"max_rows": "0"}, "greater than or equal to 1"),
        ({"port": "70000"}, "less than or equal to 65535"),
        ({"kind": "oracle"}, "not one of the available choices"),
        ({"schemas": "public, a\0"}, "Null characters are not allowed"),
    ],
)
def test_a_form_that_cannot_work_comes_back_with_the_reason(
    setter: Client, wrong: dict[str, str], words: str
) -> None:
    answer = setter.post(reverse("connection_add"), {**FORM, "password": SECRET, **wrong})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page
    assert 'aria-invalid="true"' in page
    assert SECRET not in page
    assert Connection.objects.count() == 1


def test_a_file_needs_no_host_and_keeps_none(setter: Client) -> None:
    setter.post(reverse("connection_add"), {**FORM, "kind": "sqlite", "database": "x.sqlite"})
    assert Connection.objects.values_list("host", "port", "username").get(name="Warehouse") == ("", None, "")


def test_the_test_shows_each_step_and_the_role_to_copy(setter: Client, cast: Cast) -> None:
    Connection.objects.filter(pk=cast.shop.pk).update(kind="postgresql", host="127.0.0.1", port=1)
    address = reverse("connection_test", args=[cast.shop.pk])
    assert "What was checked" not in setter.get(address).content.decode()
    page = setter.post(address).content.decode()
    assert "Not usable yet" in page
    assert "does not answer at 127.0.0.1:1" in page
    assert "A write must fail" in page
    assert "CREATE ROLE" in page


def test_the_test_of_a_good_file_says_so(setter: Client, cast: Cast, shop_file: None) -> None:
    page = setter.post(reverse("connection_test", args=[cast.shop.pk])).content.decode()
    assert "Ready to use" in page
    assert "A write was tried and refused" in page
    assert "A statement without end was stopped" in page


def test_reading_again_is_a_task_whose_progress_is_followed(
    setter: Client, cast: Cast, shop_file: None, rung: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    fragment = reverse("connection_refreshing", args=[cast.shop.pk])
    with django_capture_on_commit_callbacks(execute=True):
        setter.post(reverse("connection_refresh", args=[cast.shop.pk]))
    assert rung == [cast.shop.pk]
    assert "as soon as a worker is free" in setter.get(fragment).content.decode()
    snapshots.progress(cast.shop, "Reading columns of 5,000 tables")
    page = setter.get(fragment).content.decode()
    assert "Reading columns of 5,000 tables" in page
    assert "hx-trigger" in page
    tasks.refresh_task(cast.shop.pk)
    page = setter.get(fragment).content.decode()
    assert "has been read" in page
    assert "hx-trigger" not in page
    assert "orders" in setter.get(reverse("schema", args=[cast.shop.pk])).content.decode()


def test_a_refresh_that_fails_or_dies_is_said_and_the_old_catalogue_stays(
    setter: Client, cast: Cast, shop_file: None
) -> None:
    services.refresh_catalogue(cast.shop)
    Connection.objects.filter(pk=cast.shop.pk).update(database="gone.sqlite")
    tasks.refresh_task(cast.shop.pk)
    page = setter.get(reverse("schema", args=[cast.shop.pk])).content.decode()
    assert "There is no database file gone.sqlite" in page
    assert "orders" in page
    assert "Not reachable" in setter.get(reverse("connections")).content.decode()
    CatalogueRefresh.objects.update(state="reading", moved_at="2020-01-01T00:00Z")
    assert "stopped half-way" in setter.get(reverse("schema", args=[cast.shop.pk])).content.decode()


def test_a_connection_that_is_switched_off_is_not_read_and_says_so(setter: Client, cast: Cast, shop_file: None) -> None:
    Connection.objects.filter(pk=cast.shop.pk).update(is_active=False)
    setter.post(reverse("connection_refresh", args=[cast.shop.pk]))
    tasks.refresh_task(cast.shop.pk)
    page = setter.get(reverse("connection_refreshing", args=[cast.shop.pk])).content.decode()
    assert "The connection is switched off. Tick “May be asked”" in page
    assert selectors.snapshot_of(cast.shop) is None


def test_what_changed_is_shown(setter: Client, cast: Cast, shop_file: None, settings: Any) -> None:
    services.refresh_catalogue(cast.shop)
    database = sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite")
    database.executescript("ALTER TABLE orders RENAME COLUMN total TO amount; CREATE TABLE returns (id INTEGER)")
    database.close()
    services.refresh_catalogue(cast.shop)
    page = setter.get(reverse("schema", args=[cast.shop.pk])).content.decode()
    assert "1 table new" in page
    assert "total is gone; amount is new (NUMERIC)" in page


def test_a_manager_of_the_team_writes_notes_and_an_analyst_reads_them(
    cast: Cast, client: Client, shop_file: None
) -> None:
    services.refresh_catalogue(cast.shop)
    address = reverse("connection_note", args=[cast.shop.pk])
    note = {"table": "orders", "column": "total", "text": "Euro, with VAT"}
    client.force_login(cast.ada)
    assert client.post(address, note).status_code == 404
    cast.team.memberships.filter(user=cast.ben).update(role=Role.MANAGER)
    client.force_login(cast.ben)
    assert client.post(address, note)["Location"].endswith("?table=orders")
    assert client.post(address, {"table": "orders", "text": "One row an order"}).status_code == 302
    client.force_login(cast.ada)
    page = client.get(reverse("schema", args=[cast.shop.pk])).content.decode()
    assert "Euro, with VAT" in page
    assert "One row an order" in page
    assert "about=total" not in page, "an analyst gets no form"
    client.force_login(cast.ben)
    page = client.get(f"{reverse('schema', args=[cast.shop.pk])}?table=orders&about=total").content.decode()
    assert re.search(r"<textarea[^>]*>Euro, with VAT</textarea>", page)
    assert "Last changed by ben, " in page
    CatalogueNote.objects.update(changed_by=None)  # by somebody who was deleted since
    page = client.get(f"{reverse('schema', args=[cast.shop.pk])}?table=orders").content.decode()
    assert "Last changed by" not in page
    client.post(address, {**note, "text": ""})
    assert [str(left) for left in CatalogueNote.objects.all()] == ["orders"]
    assert AuditEntry.objects.filter(action="catalogue note changed", actor=cast.ben).count() == 3


def test_a_note_that_is_refused_keeps_its_text_and_a_line_break_counts_once(
    cast: Cast, client: Client, shop_file: None
) -> None:
    services.refresh_catalogue(cast.shop)
    cast.team.memberships.filter(user=cast.ben).update(role=Role.MANAGER)
    client.force_login(cast.ben)
    address = reverse("connection_note", args=[cast.shop.pk])
    note = {"table": "orders", "column": "total", "text": "a\r\n" * 1999 + "ab"}
    assert client.post(address, note).status_code == 302
    assert CatalogueNote.objects.get().text == "a\n" * 1999 + "ab"
    refused = client.post(address, {**note, "text": "Net & " + "x" * 4000})
    page = refused.content.decode()
    assert (refused.status_code, "It may have 4,000 characters, and has 4006." in page) == (422, True)
    assert re.search(r"<textarea[^>]*autofocus>Net &amp; x{4000}</textarea>", page)
    assert 'name="column" value="total"' in page
    assert not re.search(r'(href|hx-get)="\?', page), "an address that starts so leads to where the note is sent"
    elsewhere = client.post(address, {**note, "table": "gone", "text": "x" * 4001})
    assert (elsewhere.status_code, "xxx" in elsewhere.content.decode()) == (422, False)


def test_who_sets_up_sees_all_but_asks_nothing(setter: Client, cast: Cast) -> None:
    page = setter.get(reverse("connections")).content.decode()
    assert "Shop" in page
    assert "Add a connection" in page
    assert "Ask Shop" not in page
    root = User.objects.get(username="root")
    with pytest.raises(ConnectionFailedError, match="may not ask"):
        services.open_door(cast.shop, root)
    assert not selectors.connections_for(root).exists()


def test_a_removed_connection_is_gone_with_its_password(setter: Client, cast: Cast) -> None:
    assert setter.post(reverse("connection_remove", args=[cast.shop.pk])).status_code == 302
    assert not Connection.objects.exists()
    assert AuditEntry.objects.filter(action="connection deleted", object_name="Shop").exists()


def test_the_nightly_task_reads_what_is_switched_on(
    cast: Cast, rung: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    Connection.objects.create(name="Off", kind="sqlite", database="off.sqlite", is_active=False)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.refresh_all_task()
    assert rung == [cast.shop.pk]


def test_tls_chosen_in_the_form_is_what_the_server_gets(setter: Client, own_postgres: Cluster) -> None:
    url = make_url(own_postgres.url)
    fields = {**FORM, "host": url.host, "port": url.port, "database": url.database, "username": url.username,
              "schemas": "", "password": url.password}  # fmt: skip
    setter.post(reverse("connection_add"), {**fields, "tls": "disable"})
    made = Connection.objects.get(name="Warehouse")
    expected = {
        "disable": f"{url.username} in with TLS only", "prefer": "is encrypted (TLSv1.3)",
        "require": "is encrypted (TLSv1.3)", "verify-full": "No TLS connection to PostgreSQL",
    }  # fmt: skip
    with own_postgres.rule("hostnossl all all all reject"):
        for tls, words in expected.items():
            setter.post(reverse("connection_edit", args=[made.pk]), {**fields, "tls": tls, "password": ""})
            page = setter.post(reverse("connection_test", args=[made.pk])).content.decode()
            assert words in page, tls
            assert str(url.password) not in page
