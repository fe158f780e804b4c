"""Two teams, three roles, and everything of a connection: what is not yours does not exist.

`ADDRESSES` lists each address about connections with the methods it takes and the cast members who may use it; the
first test proves that none is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from connections import snapshots
from connections import urls as connection_urls
from connections.catalogue import Catalogue, Column, Table
from connections.models import CatalogueNote, Connection, Membership, Role, User
from tests.server.conftest import Cast

SEEING = frozenset({"viewer", "analyst", "manager", "setter"})
MANAGING = frozenset({"manager", "setter"})
SETTING_UP = frozenset({"setter"})
EVERYONE = SEEING | {"stranger", "stranger who manages"}
METHODS = ("get", "head", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Address:
    """`allowed`: for each method, who gets an answer; all others get 404, and other methods 405 from those."""

    name: str
    allowed: dict[str, frozenset[str]]
    about_one: bool = True


ADDRESSES = (
    Address("schema", {"get": SEEING, "head": SEEING}),
    Address("connection_refreshing", {"get": SEEING, "head": SEEING}),
    Address("connection_note", {"post": MANAGING}),
    Address("connection_edit", {"get": SETTING_UP, "head": SETTING_UP, "post": SETTING_UP}),
    Address("connection_test", {"get": SETTING_UP, "head": SETTING_UP, "post": SETTING_UP}),
    Address("connection_refresh", {"post": SETTING_UP}),
    Address("connection_remove", {"post": SETTING_UP}),
    Address("connection_add", {"get": SETTING_UP, "head": SETTING_UP, "post": SETTING_UP}, about_one=False),
    Address("connections", {"get": EVERYONE, "head": EVERYONE}, about_one=False),
)  # fmt: skip


@pytest.fixture
def people(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> dict[str, User]:
    monkeypatch.setattr("connections.tasks.enqueue_refresh", lambda connection_id: None)
    nowhere = {"kind": "postgresql", "host": "127.0.0.1", "port": 1}
    Connection.objects.filter(pk=cast.shop.pk).update(notes="The private note", **nowhere)
    columns = (Column("secret_column", "text"),)
    snapshots.keep(cast.shop, Catalogue("sqlite", (Table("secret_table", columns=columns),)))
    CatalogueNote.objects.create(connection=cast.shop, table="secret_table", text="The private note")
    manager = User.objects.create_user("mia")
    Membership.objects.create(team=cast.team, user=manager, role=Role.MANAGER)
    stranger = User.objects.create_user("sam")
    Membership.objects.create(team=cast.cleo.teams.get(), user=stranger, role=Role.ANALYST)
    return {
        "viewer": cast.ben, "analyst": cast.ada, "manager": manager, "stranger": stranger,
        "stranger who manages": cast.cleo, "setter": User.objects.create_superuser("root"),
    }  # fmt: skip


def test_every_address_about_connections_is_listed() -> None:
    there = {one.name for one in connection_urls.urlpatterns if str(one.pattern).startswith("connections/")}
    assert there == {address.name for address in ADDRESSES}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address.name)
def test_who_may_not_gets_404_by_every_method(
    people: dict[str, User], cast: Cast, client: Client, address: Address, method: str
) -> None:
    for name, user in people.items():
        client.force_login(user)
        answer = ask(client, address, method, cast.shop)
        if name in address.allowed.get(method, frozenset()):
            assert answer.status_code in (200, 302, 422), (name, answer.status_code)
            if address.name == "connection_remove":
                assert not Connection.objects.filter(pk=cast.shop.pk).exists()
                return
        elif method in address.allowed:
            assert answer.status_code == 404, (name, answer.status_code)
            assert "private note" not in answer.content.decode()
            assert "secret_" not in answer.content.decode()
        else:
            assert answer.status_code == 405, (name, answer.status_code)
        assert Connection.objects.filter(pk=cast.shop.pk).exists()


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address.name)
def test_a_visitor_is_sent_to_the_login(cast: Cast, client: Client, address: Address) -> None:
    for method in address.allowed:
        answer = ask(client, address, method, cast.shop)
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("address", [one for one in ADDRESSES if one.about_one], ids=lambda address: address.name)
def test_what_never_was_looks_like_what_is_not_yours(
    people: dict[str, User], cast: Cast, client: Client, address: Address
) -> None:
    client.force_login(people["stranger"])
    for method in address.allowed:
        hidden = ask(client, address, method, cast.shop)
        missing = ask(client, address, method, Connection(pk=cast.shop.pk + 999))
        assert hidden.status_code == missing.status_code == 404
        assert without_path(hidden, cast.shop.pk) == without_path(missing, cast.shop.pk + 999)


def test_the_list_and_the_start_page_name_nothing_of_others(
    people: dict[str, User], client: Client
) -> None:
    for name in ("stranger", "stranger who manages"):
        client.force_login(people[name])
        for page in ("connections", "home", "history"):
            text = client.get(reverse(page)).content.decode()
            assert not [word for word in ("Shop", "secret_table", "private note") if word in text], (name, page)


def test_what_is_switched_off_or_taken_back_is_gone_at_once(
    people: dict[str, User], cast: Cast, client: Client
) -> None:
    address = reverse("schema", args=[cast.shop.pk])
    client.force_login(people["analyst"])
    assert client.get(address).status_code == 200
    Connection.objects.update(is_active=False)
    assert client.get(address).status_code == 404
    Connection.objects.update(is_active=True)
    cast.shop.grants.all().delete()
    assert client.get(address).status_code == 404


def test_the_admin_of_connections_is_for_staff_with_the_right(
    people: dict[str, User], cast: Cast, client: Client
) -> None:
    names = ("changelist", "add", "change", "delete", "history")
    for name in names:
        arguments = [cast.shop.pk] if name not in ("changelist", "add") else []
        page = reverse(f"admin:connections_connection_{name}", args=arguments)
        for person in ("viewer", "analyst", "manager", "stranger"):
            client.force_login(people[person])
            assert client.get(page).status_code == 302, "the admin's login"
        User.objects.filter(pk=people["manager"].pk).update(is_staff=True)
        client.force_login(people["manager"])
        assert client.get(page).status_code == 403
        User.objects.filter(pk=people["manager"].pk).update(is_staff=False)


def ask(client: Client, address: Address, method: str, shop: Connection) -> Any:
    path = reverse(address.name, args=[shop.pk] if address.about_one else [])
    given = {"table": "secret_table", "text": "Changed"} if method == "post" else {}
    return getattr(client, method)(path, given) if method in ("get", "head", "post") else getattr(client, method)(path)


def without_path(answer: Any, number: int) -> str:
    """The page without its address, and without the token that every page has anew."""
    text: str = answer.content.decode()
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", text.replace(f"/{number}/", "/N/"))
