"""A planted password is looked for in everything that the product puts out, whatever goes right or wrong."""

from __future__ import annotations

import base64
import logging
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from types import TracebackType
from typing import Any
from zipfile import ZipFile

import pytest
from asgiref.sync import async_to_sync
from celery.signals import before_task_publish
from django.apps import apps
from django.contrib import admin
from django.core import serializers
from django.core.exceptions import ValidationError
from django.core.signals import got_request_exception
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from django.views.debug import ExceptionReporter
from pyarrow import parquet
from sqlalchemy.engine import make_url

from agents import runner
from agents import services as agent_services
from agents import tasks as agent_tasks
from agents.answers.exports import CONTENT_TYPES
from agents.llm.scripted import ScriptedServer
from agents.models import LanguageModel, Run
from connections import services, tasks, tokens
from connections.address import fields_of
from connections.models import Connection, User
from tests.server.conftest import Cast, make_cast
from tests.server.five_turns import FIVE_TURNS, SHOP

CORE = "c4n4ryc4n4ry"  # survives every quoting of an address, a page or JSON
SECRET = f"p@ss/{CORE}:%é'\"<"
IN_BASE64 = [base64.b64encode(b"x" * shift + CORE.encode() * 2)[4:-6].decode()[:12] for shift in range(3)]


def leaks(text: str) -> bool:
    return CORE in text or CORE.encode().hex() in text or any(part in text for part in IN_BASE64)


@pytest.fixture
def cast(own_url: str) -> Cast:
    """In a database of its own, which the runs' threads see, too."""
    return make_cast()


@pytest.fixture
def shop(cast: Cast, new_database: Callable[[str, str], str]) -> Connection:
    """A PostgreSQL that takes any password, with the planted one."""
    fields = {**fields_of(new_database("postgresql", SHOP)), "password": SECRET}
    return services.create_connection(actor=cast.ada, name="Planted", teams=[cast.team], **fields)


@pytest.fixture
def messages() -> Iterator[list[str]]:
    """What is handed to Celery's broker."""
    sent: list[str] = []

    def keep(body: Any = None, headers: Any = None, properties: Any = None, **_: Any) -> None:
        sent.append(repr((body, headers, properties)))

    before_task_publish.connect(keep)
    yield sent
    before_task_publish.disconnect(keep)


@pytest.fixture
def ask(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Connection], Run]]:
    """`ask(connection)`: a run to its end, with a model whose key holds the secret, too."""
    monkeypatch.setattr(agent_tasks, "enqueue_run", lambda run_id: None)
    servers: list[ScriptedServer] = []

    def asked(connection: Connection) -> Run:
        servers.append(ScriptedServer(FIVE_TURNS).__enter__())
        LanguageModel.objects.all().delete()
        model = LanguageModel(name="m", model="openai/scripted", api_base=servers[-1].api_base, is_default=True)
        agent_services.save_language_model(actor=None, language_model=model, key=f"sk-{CORE}")
        run = agent_services.ask(user=cast.ada, connection=connection, text="Sales in Germany?", strategy="react")
        runner.run_one(run.pk)
        run.refresh_from_db()
        return run

    yield asked
    for server in servers:
        server.__exit__(None, None, None)


WRONG: dict[str, dict[str, Any]] = {
    "nothing listens": {"host": "127.0.0.1", "port": 1},
    "no such host": {"host": "no-such-host.invalid"},
    "a host that is no name": {"host": "a" * 200 + "..b"},
    "no such database": {"database": "no-such-database"},
    "a user like an option": {"username": "u' dbname='nowhere", "database": "no-such-database"},
    "TLS with a certificate": {"tls": "verify-full"},
    "wrong password": {"kind": "mysql", "port": None},
}


def test_a_planted_password_is_found_nowhere(
    shop: Connection, cast: Cast, client: Client, ask: Callable[[Connection], Run], messages: list[str],
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    caplog.set_level("DEBUG")
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):  # an earlier test may have set logging up anew, which silences them
            monkeypatch.setattr(logger, "disabled", False)
    tasks.enqueue_refresh(shop.pk)
    tasks.refresh_task(shop.pk)
    runs = [ask(shop)]
    assert runs[0].status == "answered", runs[0].error
    reports = []
    for wrong in WRONG.values():
        Connection.objects.filter(pk=shop.pk).update(**wrong)
        changed = Connection.objects.get(pk=shop.pk)
        reports += [report for act in (driver, tried, refresh, opened) if (report := report_of(lambda: act(changed)))]  # noqa: B023
        runs.append(ask(changed))
        Connection.objects.filter(pk=shop.pk).update(**{name: getattr(shop, name) for name in wrong})
    assert len(reports) > len(WRONG)
    assert {run.status for run in runs[1:]} == {"failed"}
    client.force_login(User.objects.create_superuser("root"))
    output = capfd.readouterr()
    found = {
        "console": output.out + output.err, "reports": "".join(reports), "messages": "".join(messages),
        "own database": dump(), "pages": "".join(pages(client, runs, shop)), "logs": caplog.text,
        "repr": repr([shop, vars(shop), services.driver_of(shop), services.pool_of(shop), services._address(shop)]),
    }  # fmt: skip
    assert [name for name, text in found.items() if not text and name != "console"] == []
    assert [name for name, text in found.items() if leaks(text)] == []


def driver(connection: Connection) -> None:
    services.driver_of(connection).examine()


def tried(connection: Connection) -> None:
    services.test_connection(connection, actor=None)


def refresh(connection: Connection) -> None:
    services.refresh_catalogue(connection)


def opened(connection: Connection) -> None:
    with services.open_door(connection, User.objects.get(username="ada")) as door:
        door.query("SELECT nothing FROM orders")


def report_of(act: Callable[[], None]) -> str:
    try:
        act()
    except Exception as error:  # noqa: BLE001  (whatever it is, a report of it would be sent)
        return report(error)
    return ""


def report(error: BaseException | None) -> str:
    """What services such as Sentry send: every frame with all its variables, and the exceptions behind this one."""
    text = ""
    while error is not None:
        text += repr(error) + str(error) + frames(error.__traceback__)
        error = error.__cause__ if error.__suppress_context__ else error.__cause__ or error.__context__
    return text


def frames(trace: TracebackType | None) -> str:
    text = ""
    while trace is not None:
        if "/tests/" not in trace.tb_frame.f_code.co_filename:
            text += "".join(f"{name}={value!r}\n" for name, value in trace.tb_frame.f_locals.items())
        trace = trace.tb_next
    return text


def dump() -> str:
    return "".join(serializers.serialize("json", model._default_manager.all()) for model in apps.get_models())


def pages(client: Client, runs: list[Run], shop: Connection) -> Iterator[str]:
    """Every page of the admin, and of the product about these runs and this connection."""
    for model in filter(admin.site.is_registered, apps.get_models()):
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield content(client, reverse(f"{name}_changelist"))
        rows = model._default_manager.all()[:50]
        yield from (content(client, reverse(f"{name}_change", args=[row.pk])) for row in rows)
    yield from (content(client, reverse(f"connection_{page}", args=[shop.pk])) for page in ("edit", "test"))
    yield client.post(reverse("connection_test", args=[shop.pk])).content.decode()
    yield content(client, reverse("admin:connections_connection_add"))
    yield content(client, reverse("admin:agents_languagemodel_add"))
    for kind in ("csv", "json"):
        logs = (f"admin:connections_{log}_export" for log in ("auditentry", "querylogentry"))
        yield from (content(client, reverse(name, args=[kind])) for name in logs)
    yield from (content(client, reverse(name)) for name in ("metrics", "usage"))
    client.force_login(User.objects.get(username="ada"))
    yield from (content(client, reverse(name)) for name in ("home", "history", "connections"))
    yield content(client, reverse("schema", args=[shop.pk]))
    _, token = tokens.make(user=User.objects.get(username="ada"), name="test")
    api = Client(headers={"Authorization": f"Bearer {token}"})
    yield from (content(api, f"/api/v1/{page}") for page in ("connections", f"connections/{shop.pk}/tables"))
    yield from (content(api, f"/api/v1/runs/{run.pk}{part}") for run in runs for part in ("", "/events"))
    for run in runs:
        yield from (content(client, reverse(name, args=[run.pk])) for name in ("run", "trace", "trace_json"))
    yield from (f"{client.get(reverse('prompt', args=[run.pk, 1])).content!r}" for run in runs)
    yield from (content(client, f"{reverse('run', args=[runs[0].pk])}?tab={tab}") for tab in ("steps", "sql", "chart"))
    for name in ("export", "export_all"):
        yield from (content(client, reverse(name, args=[runs[0].pk, format])) for format in CONTENT_TYPES)


def content(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code in (200, 302), (address, answer.status_code)
    return readable(async_to_sync(streamed)(answer) if answer.streaming else answer.content)


def readable(data: bytes) -> str:
    """Text, also out of the packed files of spreadsheets and Parquet."""
    if data[:2] == b"PK":
        with ZipFile(BytesIO(data)) as packed:
            return "".join(packed.read(name).decode() for name in packed.namelist())
    if data[:4] == b"PAR1":
        table = parquet.read_table(BytesIO(data))
        return f"{table.schema!r}{table.to_pylist()!r}"
    return data.decode()


async def streamed(answer: Any) -> bytes:
    return b"".join([part async for part in answer.streaming_content])


def test_a_form_that_fails_for_another_reason_reports_no_password(
    cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    reports: list[str] = []

    def keep(request: HttpRequest, **_: Any) -> None:
        kind, error, trace = sys.exc_info()
        reports.append(report(error) + ExceptionReporter(request, kind, error, trace).get_traceback_text())

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    from connections import audit
    from tests.server.test_admin import CONNECTION, MODEL

    client.force_login(User.objects.create_superuser("root"))
    monkeypatch.setattr(audit, "record", broken)
    client.raise_request_exception = False
    got_request_exception.connect(keep)
    try:
        client.post(reverse("admin:connections_connection_add"), {**CONNECTION, "password": SECRET})
        client.post(reverse("admin:agents_languagemodel_add"), {**MODEL, "key": SECRET})
    finally:
        got_request_exception.disconnect(keep)
    assert len(reports) == 2
    assert "the disk is full" in reports[0]
    assert not [text for text in reports if leaks(text)]


def test_a_refused_connection_reports_no_password(cast: Cast) -> None:
    with pytest.raises(ValidationError) as caught:
        services.create_connection(actor=cast.ada, name="", kind="postgresql", password=SECRET)
    assert not leaks(report(caught.value))


def test_the_search_would_find_a_leak() -> None:
    assert leaks(make_url("postgresql://u@h/d").set(password=SECRET).render_as_string(hide_password=False))
    assert leaks(base64.b64encode(f"a{SECRET}".encode()).decode())
    assert leaks(repr({"password": SECRET}))

    def careless() -> None:
        password = SECRET
        raise RuntimeError(len(password))

    careless.__code__ = careless.__code__.replace(co_filename="elsewhere.py")
    assert leaks(report_of(careless))


