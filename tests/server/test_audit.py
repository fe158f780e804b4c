"""The logs are only added to, on both databases; they can be filtered, taken along, and go when they are old."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents import retention
from agents.models import Share, Thread
from connections import audit, services
from connections.append_only import AppendOnlyError
from connections.contracts import LogEntry
from connections.models import AuditEntry, LogCutoff, QueryLogEntry, User
from tests.server.conftest import make_cast, make_run

LOGS = (AuditEntry, QueryLogEntry)


def fill() -> None:
    cast = make_cast()
    audit.record("exported", actor=cast.ada, target=cast.team, detail={"format": "csv"})
    services.query_log(cast.shop, cast.ada)(LogEntry("SELECT 1", "execute", 1, 2.5, ""))


ORM: tuple[Callable[[Any], object], ...] = (
    lambda log: log.objects.update(pk=1),
    lambda log: log.objects.all().delete(),
    lambda log: log.objects.first().delete(),
    lambda log: log.objects.first().save(),
    lambda log: log.objects.bulk_update(list(log.objects.all()), ["at"]),
    lambda log: log.objects.update_or_create(pk=log.objects.first().pk, defaults={"at": None}),
)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("change", ORM)
def test_the_orm_neither_changes_nor_deletes_an_entry(db: None, log: Any, change: Callable[[Any], object]) -> None:
    fill()
    before = list(log.objects.values())
    with pytest.raises(AppendOnlyError):
        change(log)
    assert list(log.objects.values()) == before


@pytest.mark.parametrize("log", ["connections_auditentry", "connections_querylogentry"])
@pytest.mark.parametrize("statement", ["UPDATE {log} SET at = at", "DELETE FROM {log}", "TRUNCATE {log}"])
def test_the_database_refuses_it_too(own_url: str, log: str, statement: str) -> None:
    if statement.startswith("TRUNCATE") and connection.vendor == "sqlite":
        pytest.skip("SQLite has no TRUNCATE")
    fill()
    with pytest.raises(DatabaseError, match="only added to"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(log=log))
    assert AuditEntry.objects.exists()
    assert QueryLogEntry.objects.exists()


def test_who_did_it_stays_written_when_the_person_is_gone(own_url: str) -> None:
    fill()
    ada = User.objects.get(username="ada")
    key = ada.pk
    ada.delete()
    assert AuditEntry.objects.values_list("actor_id", "actor_name").get(action="exported") == (key, "ada")
    assert QueryLogEntry.objects.values_list("user_id", "user_name").get() == (key, "ada")


def test_retention_is_the_one_way_out(own_url: str, settings: Any) -> None:
    settings.LOG_DAYS = 100
    fill()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO connections_auditentry (at, actor_name, action, object_type, object_id, object_name, detail)"
            " VALUES (%s, 'old', 'login', '', '', '', '{}')", [timezone.now() - timedelta(days=101)],
        )  # fmt: skip
    number = AuditEntry.objects.count()
    assert {due.kind.name: due.number for due in retention.due()}["audit log entries"] == 1
    assert AuditEntry.objects.count() == number, "a preview changes nothing"
    assert retention.apply()["audit log entries"] == 1
    assert not AuditEntry.objects.filter(actor_name="old").exists()
    assert AuditEntry.objects.filter(action="retention", detail={"audit log entries": 1}).exists()
    assert not LogCutoff.objects.exclude(before=None).exists(), "the way is shut again"


def test_old_questions_go_unless_they_are_shared(db: None, settings: Any) -> None:
    settings.QUESTION_DAYS = 10
    cast = make_cast()
    runs = [make_run(cast, status="answered") for _ in range(3)]
    Thread.objects.exclude(pk=runs[2].question.thread_id).update(updated_at=timezone.now() - timedelta(days=11))
    Share.objects.create(run=runs[1], team=cast.team)
    said = io.StringIO()
    call_command("retention", "--dry-run", stdout=said)
    assert "1 questions (QUESTION_DAYS, kept 10 days" in said.getvalue()
    assert Thread.objects.count() == 3
    call_command("retention", stdout=said)
    assert set(Thread.objects.values_list("pk", flat=True)) == {run.question.thread_id for run in runs[1:]}


@pytest.fixture
def admin(db: None, client: Client) -> Client:
    fill()
    client.force_login(User.objects.create_superuser("root"), backend="django.contrib.auth.backends.ModelBackend")
    return client


def body(answer: Any) -> str:
    async def whole() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(whole)().decode()


def test_the_filtered_log_is_taken_along_as_csv_and_json(admin: Client) -> None:
    audit.record("=cmd()", actor_name="mallory")
    address = reverse("admin:connections_auditentry_export", args=["json"])
    entries = json.loads(body(admin.get(address, {"action": "exported"})))
    assert [(entry["actor_name"], entry["detail"]) for entry in entries] == [("ada", {"format": "csv"})]
    rows = list(csv.DictReader(io.StringIO(body(admin.get(address.replace("json", "csv"))))))
    assert "'=cmd()" in [row["action"] for row in rows], "a spreadsheet must not run it"
    assert AuditEntry.objects.filter(action="log exported").count() == 2
    assert admin.get(address.replace("json", "xlsx")).status_code == 404


def test_the_query_log_says_who_what_when_rows_and_milliseconds(admin: Client) -> None:
    entry = json.loads(body(admin.get(reverse("admin:connections_querylogentry_export", args=["json"]))))[0]
    told = {name: entry[name] for name in ("user_name", "connection_name", "sql", "rows", "ms")}
    assert told == {"user_name": "ada", "connection_name": "Shop", "sql": "SELECT 1", "rows": 1, "ms": 2.5}
    assert entry["at"].startswith(str(timezone.now().year))
