"""Every test here has the cast and a results folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from agents.models import Evaluation
from connections.models import Membership, Role, User
from tests.web.measured import measured
from tests.web.stories import Cast, cast


@pytest.fixture(autouse=True)
def _apart(settings: Settings, tmp_path: Path) -> None:
    settings.RESULTS_DIR = tmp_path / "results"
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def people(db: None) -> Cast:
    return cast()


def as_person(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def olga(people: Cast) -> Client:
    return as_person(people.olga)


@pytest.fixture
def tom(people: Cast) -> Client:
    return as_person(people.tom)


@pytest.fixture
def sara(people: Cast) -> Client:
    return as_person(people.sara)


@pytest.fixture
def manager(people: Cast) -> User:
    """Mona, of the cast's team."""
    user = User.objects.create_user("mona", first_name="Mona", last_name="Manager")
    Membership.objects.create(team=people.team, user=user, role=Role.MANAGER)
    return user


@pytest.fixture
def mona(manager: User) -> Client:
    return as_person(manager)


@pytest.fixture
def done(people: Cast, manager: User) -> Evaluation:
    """An evaluation of which everything was asked."""
    return measured(manager, people.shop)
