"""A key that no column can hold is the key of no row, wherever it is sent."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.urls.converters import IntConverter

from connections.row_keys import DIGITS, KeyConverter
from tests.server.rights import Place, furnish
from tests.server.test_rights import ALL_ROUTES

BEYOND = 10 ** (DIGITS + 2)


@pytest.fixture
def place(db: None) -> Place:
    return furnish()


def as_person(place: Place, name: str) -> Client:
    client = Client()
    client.force_login(place.people[name], backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_every_key_in_an_address_fits_a_column() -> None:
    keys = {
        (name, parameter): type(converter)
        for _, name, path in ALL_ROUTES if not name.startswith(("admin:", "api:"))
        for parameter, converter in getattr(path[-1].pattern, "converters", {}).items()
        if isinstance(converter, IntConverter) and parameter.endswith("_id")
    }  # fmt: skip
    assert len(keys) > 20
    assert set(keys.values()) == {KeyConverter}


@pytest.mark.parametrize("role", ["viewer", "remove"])
def test_a_member_beyond_all_keys_is_not_there(place: Place, role: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse("member", args=[1, BEYOND])
    address = reverse("team", args=[place.parameters["team_id"]])
    assert as_person(place, "manager").post(f"{address}members/{BEYOND}", {"role": role}).status_code == 404


@pytest.mark.parametrize(
    ("person", "name", "field"), [("manager", "schedule", "recipients"), ("root", "connection_edit", "teams")]
)
def test_a_form_refuses_keys_beyond_all_keys(place: Place, person: str, name: str, field: str) -> None:
    parameter = "saved_id" if name == "schedule" else "connection_id"
    given = {"cadence": "weekly", "weekday": "1", "day": "1", "at": "10:00", field: [str(BEYOND)]}
    address = reverse(name, args=[place.parameters[parameter]])
    assert as_person(place, person).post(address, given).status_code == 422
