"""Who may open what, over every route of the URL map; tests/server/rights.py is the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client, override_settings
from django.urls import URLResolver, get_resolver
from django.utils.regex_helper import normalize

from tests.server.rights import (
    ADMIN_MODELS,
    ANY,
    HIDDEN,
    IN,
    LOGIN,
    NEVER,
    NOBODY,
    PEOPLE,
    REFUSED,
    ROUTES,
    STAFF,
    SUPERUSER,
    Line,
    Place,
    furnish,
)  # fmt: skip

pytestmark = pytest.mark.django_db

NO_METHOD = "no such method"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PAGES_OF_A_MODEL = ("changelist", "add", "history", "delete", "change")
NEEDED = {"add": "add", "change": "look", "delete": "delete", "history": "look", "changelist": "look"}


def routes(patterns: list[Any], names: str = "", before: tuple[Any, ...] = ()) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Every route as (name, its patterns from the root); a nameless one is named by its pattern."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inside = f"{names}{pattern.namespace}:" if pattern.namespace else names
            yield from routes(pattern.url_patterns, inside, (*before, pattern))
        else:
            yield f"{names}{pattern.name or pattern.pattern}", (*before, pattern)


def model_of(path: tuple[Any, ...]) -> str:
    """`app_model` where the route is a page that the admin makes for every model, "" elsewhere."""
    folders = "".join(str(part.pattern) for part in path).split("/")
    if folders[0] != "admin" or len(folders) < 4:
        return ""
    name = path[-1].name or ""
    label = f"{folders[1]}_{folders[2]}"
    is_generated = name in {f"{label}_{page}" for page in PAGES_OF_A_MODEL} or not name
    return label if is_generated else ""


ALL_ROUTES = [("".join(str(part.pattern) for part in path), name, path) for name, path in
              routes(get_resolver().url_patterns)]  # fmt: skip


def line_of(name: str, path: tuple[Any, ...]) -> Line | None:
    model = model_of(path)
    if not model:
        return ROUTES.get(name)
    if model not in ADMIN_MODELS:
        return None
    if path[-1].name is None:  # an old address of the change page, which it leads to
        return Line("GET", STAFF)
    page = path[-1].name.rpartition("_")[2]
    return Line("GET", SUPERUSER if NEEDED[page] in ADMIN_MODELS[model].split() else NEVER)


def address(path: tuple[Any, ...], place: Place) -> str:
    """The route's address with the place's objects as its parameters."""
    model = model_of(path)
    values = dict(place.parameters)
    if model:
        first = apps.get_model(*model.split("_")).objects.first()
        assert first is not None, f"make a {model} in `furnish` of tests/server/rights.py"
        values["object_id"] = first.pk
    else:
        values["object_id"] = place.connection.pk
    found = ""
    for part in path:
        pattern = part.pattern
        (text, names), *_ = normalize(pattern.regex.pattern)
        missing = set(names) - set(values)
        assert not missing, f"{pattern}: give {missing} a value in `Place.parameters` of tests/server/rights.py"
        found += text % {name: values[name] for name in names}
    return f"/{found}"


def outcome(answer: HttpResponseBase) -> str:
    place = answer.headers.get("Location", "")
    if answer.status_code == 302 and "/login/" in place and "next=" in place:
        return LOGIN
    known = {404: HIDDEN, 403: REFUSED, 401: LOGIN, 405: NO_METHOD}
    allowed = answer.status_code < 400 or answer.status_code in (400, 422, 503)
    return known.get(answer.status_code, IN if allowed else str(answer.status_code))


class Undone(Exception):
    """Takes back what a request did."""


def tried(client: Client, method: str, where: str) -> str:
    """What happens; whatever it did is undone."""
    try:
        with transaction.atomic():
            answer = client.generic(method, where, content_type="application/x-www-form-urlencoded")
            raise Undone
    except Undone:
        return outcome(answer)


@pytest.fixture(scope="module")
def place(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Place, Path]]:
    """The place, and the folder of its stored results. One for all tests, as each request is undone."""
    folder = tmp_path_factory.mktemp("results")
    with django_db_blocker.unblock(), override_settings(RESULTS_DIR=folder), transaction.atomic():
        yield furnish(), folder
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def clients(place: tuple[Place, Path]) -> dict[str, Client]:
    """Everybody who is logged in, and those who are not."""
    found = {person: Client() for person in PEOPLE}
    for person, client in found.items():
        if person not in NOBODY:
            client.force_login(place[0].people[person], backend="django.contrib.auth.backends.ModelBackend")
    return found


def test_every_route_has_a_line() -> None:
    missing = sorted({name if not model_of(path) else f"admin model {model_of(path)}"
                      for _, name, path in ALL_ROUTES if line_of(name, path) is None})  # fmt: skip
    assert not missing, "say in tests/server/rights.py who may open them"


def test_every_line_has_a_route() -> None:
    known = {name for _, name, path in ALL_ROUTES if not model_of(path)}
    assert set(ROUTES) - known == set()
    assert set(ADMIN_MODELS) == {model_of(path) for _, _, path in ALL_ROUTES if model_of(path)}


def expected(name: str, line: Line, person: str, method: str) -> tuple[str, ...]:
    """What may happen: what the policy says, and with a method that the page does not take, also that."""
    if method in line.methods.split():
        return (line.policy[person],)
    own = name.startswith("admin:") or line.methods == ANY  # pages of Django's own take what they like
    return (NO_METHOD, REFUSED, line.policy[person]) if own or line.policy[person] != IN else (NO_METHOD,)


@pytest.mark.parametrize(("name", "path"), [pytest.param(name, path, id=url) for url, name, path in ALL_ROUTES])
def test_each_person_meets_what_the_table_says(
    name: str, path: tuple[Any, ...], place: tuple[Place, Path], clients: dict[str, Client], settings: Any
) -> None:
    line = line_of(name, path)
    assert line is not None, f"say in tests/server/rights.py who may open {name}"
    settings.RESULTS_DIR = place[1]
    where = address(path, place[0]) + (f"?{line.query}" if line.query else "")
    wrong = []
    for person, client in clients.items():
        cookies = client.cookies.copy()
        for method in METHODS:
            wanted = expected(name, line, person, method)
            client.cookies = cookies.copy()  # a logout takes them away
            if (met := tried(client, method, where)) not in wanted:
                wrong.append(f"{person} {method} {where}: {met}, not {' or '.join(wanted)}")
        client.cookies = cookies
    assert not wrong
