"""Every test here has the cast and a results folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from connections.models import User
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
