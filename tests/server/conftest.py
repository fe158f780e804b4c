"""The product's own database on both engines, and a named cast: Ada owns, Ben is in her team, Cleo is a stranger."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connections
from sqlalchemy.engine import make_url

from agents.models import Question, Run, Thread
from connections.models import Connection, ConnectionGrant, Kind, Membership, Role, Team, User
from reactsql_web.database import own_database
from tests.databases import scratch

PASSWORD = "a long enough password"


@dataclass(frozen=True)
class Cast:
    ada: User
    ben: User
    cleo: User
    team: Team
    shop: Connection


def make_cast() -> Cast:
    ada, ben, cleo = (User.objects.create_user(name, password=PASSWORD) for name in ("ada", "ben", "cleo"))
    team = Team.objects.create(name="Retail")
    Membership.objects.create(team=team, user=ada, role=Role.ANALYST)
    Membership.objects.create(team=team, user=ben, role=Role.VIEWER)
    other = Team.objects.create(name="Elsewhere")
    Membership.objects.create(team=other, user=cleo, role=Role.MANAGER)
    shop = Connection.objects.create(name="Shop", kind=Kind.SQLITE, database="shop.sqlite")
    ConnectionGrant.objects.create(team=team, connection=shop)
    return Cast(ada, ben, cleo, team, shop)


def make_run(cast: Cast, **fields: Any) -> Run:
    thread = Thread.objects.create(owner=cast.ada, connection=cast.shop, title="How many?")
    question = Question.objects.create(thread=thread, position=1, text="How many?", asked_by=cast.ada)
    return Run.objects.create(question=question, strategy="react", **fields)


@pytest.fixture(autouse=True)
def _quick_and_apart(settings: Any, tmp_path: Path) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.RESULTS_DIR = tmp_path / "results"
    settings.DATABASES_DIR = tmp_path / "databases"
    settings.CELERY_TASK_ALWAYS_EAGER = False


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[Callable[[str], str]]:
    """`migrated(dialect)`: the URL of an empty migrated database, made once."""
    folder = tmp_path_factory.mktemp("own")
    with ExitStack() as stack:
        urls: dict[str, str] = {}

        def url(dialect: str) -> str:
            if dialect not in urls:
                made = stack.enter_context(scratch(dialect, "", folder))
                with django_db_blocker.unblock(), as_own_database(made):
                    call_command("migrate", verbosity=0)
                urls[dialect] = made
            return urls[dialect]

        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def own_url(
    request: pytest.FixtureRequest, migrated: Callable[[str], str], tmp_path: Path, django_db_blocker: Any
) -> Iterator[str]:
    """A fresh database of the product's own, used by every thread; give its URL to processes as DATABASE_URL."""
    url = migrated(request.param)
    with ExitStack() as stack:
        if request.param == "sqlite":
            shutil.copy(url.removeprefix("sqlite:///"), tmp_path / "own.sqlite")
            fresh = f"sqlite:///{tmp_path / 'own.sqlite'}"
        else:
            fresh = stack.enter_context(copy_of(url))
        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(as_own_database(fresh))
        yield fresh


@contextmanager
def copy_of(url: str) -> Iterator[str]:
    """A copy of a PostgreSQL database that nobody is connected to."""
    original = make_url(url)
    name = f"{original.database}_{uuid.uuid4().hex[:8]}"
    server = original.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{original.database}"')
        try:
            yield original.set(database=name).render_as_string(hide_password=False)
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


class as_own_database:  # noqa: N801  (reads as a phrase: `with as_own_database(url)`)
    """Django's default database is `url` inside the block, in every thread."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        self._before = connections.settings["default"]
        self._connection = connections["default"]
        given = own_database(self._url, Path("/nonexistent"))
        connections.settings["default"] = {**self._before, "HOST": "", "PORT": "", "USER": "", "PASSWORD": "", **given}
        del connections["default"]

    def __exit__(self, *_: object) -> None:
        connections["default"].close()
        connections.settings["default"] = self._before
        connections["default"] = self._connection
