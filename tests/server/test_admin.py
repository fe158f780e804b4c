"""The admin: secrets go in and never come out, logs cannot be edited, tests are real."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from agents import services as agent_services
from agents.llm.scripted import ScriptedServer
from agents.models import LanguageModel, RegressionQuestion
from connections import crypto, services
from connections.models import AuditEntry, CatalogueNote, Connection, QueryLogEntry, User
from tests.server.conftest import Cast, make_run

SECRET = "hunter2hunter2"
CONNECTION = {
    "name": "Warehouse", "kind": "postgresql", "host": "127.0.0.1", "port": "1", "database": "x", "username": "u",
    "tls": "prefer", "schemas": "[]", "max_seconds": "60", "max_rows": "10000", "max_concurrent": "4",
    "is_active": "on", "send_values": "on", "grants-TOTAL_FORMS": "0", "grants-INITIAL_FORMS": "0",
    "catalogue_notes-TOTAL_FORMS": "0", "catalogue_notes-INITIAL_FORMS": "0",
}  # fmt: skip
MODEL = {
    "name": "Cloud", "model": "openai/some-model", "size": "capable", "context_tokens": "128000",
    "max_output_tokens": "4096", "extra": "{}", "is_active": "on", "max_concurrent": "8", "samples": "1",
    "timeout_seconds": "60",
}  # fmt: skip


@pytest.fixture
def admin(cast: Cast, client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


def save(admin: Client, page: str, values: dict[str, Any], *arguments: int) -> None:
    answer = admin.post(reverse(f"admin:{page}", args=arguments), values)
    assert answer.status_code == 302, answer.context["errors"] if answer.context else answer.content


def test_a_connection_is_made_with_a_sealed_password_that_no_page_shows(admin: Client) -> None:
    save(admin, "connections_connection_add", {**CONNECTION, "password": SECRET})
    made = Connection.objects.get(name="Warehouse")
    assert crypto.decrypt(made.password_encrypted) == SECRET
    pages = [
        reverse("admin:connections_connection_change", args=[made.pk]),
        reverse("admin:connections_connection_changelist"),
        reverse("admin:connections_auditentry_changelist"),
        reverse("admin:index"),
    ]
    for page in pages:
        assert SECRET not in admin.get(page).content.decode()


@pytest.mark.parametrize(
    ("typed", "kept"), [({}, SECRET), ({"password": "new"}, "new"), ({"forget_password": "on"}, "")]
)
def test_the_password_stays_unless_it_is_typed_or_forgotten(admin: Client, typed: dict[str, str], kept: str) -> None:
    save(admin, "connections_connection_add", {**CONNECTION, "password": SECRET})
    made = Connection.objects.get(name="Warehouse")
    save(admin, "connections_connection_change", {**CONNECTION, **typed}, made.pk)
    made.refresh_from_db()
    assert crypto.decrypt(made.password_encrypted) == kept


@pytest.mark.parametrize("moved", [{"host": "evil"}, {"username": "root"}, {"tls": "disable"}])
def test_another_server_gets_no_stored_password(admin: Client, moved: dict[str, str]) -> None:
    save(admin, "connections_connection_add", {**CONNECTION, "password": SECRET})
    address = reverse("admin:connections_connection_change", args=[Connection.objects.get(name="Warehouse").pk])
    assert "Type the password anew" in admin.post(address, {**CONNECTION, **moved}).content.decode()
    assert admin.post(address, {**CONNECTION, **moved, "password": SECRET}).status_code == 302


@pytest.mark.parametrize(
    ("moved", "refused"),
    [({"api_base": "http://127.0.0.1:1/v1"}, True), ({"model": "anthropic/x"}, True), ({"model": "openai/y"}, False)],
)
def test_another_server_gets_no_stored_key(admin: Client, moved: dict[str, str], refused: bool) -> None:
    save(admin, "agents_languagemodel_add", {**MODEL, "key": SECRET})
    made = LanguageModel.objects.get()
    answer = admin.post(reverse("admin:agents_languagemodel_change", args=[made.pk]), {**MODEL, **moved})
    assert ("Type the key anew" in answer.content.decode()) is refused
    for name, value in moved.items():
        setattr(made, name, value)
    if refused:
        with pytest.raises(ValidationError, match="Type the key anew"):
            agent_services.save_language_model(actor=None, language_model=made)
    save(admin, "agents_languagemodel_change", {**MODEL, **moved, "key": SECRET}, made.pk)


def test_a_time_zone_that_does_not_exist_is_refused(admin: Client, cast: Cast) -> None:
    values = {"username": "ada", "time_zone": "Berlin", "memberships-TOTAL_FORMS": "0",
              "memberships-INITIAL_FORMS": "0"}  # fmt: skip
    page = admin.post(reverse("admin:connections_user_change", args=[cast.ada.pk]), values).content.decode()
    assert "Berlin is no time zone" in page


def test_questions_of_a_connection_that_was_removed_are_given_to_another(admin: Client, cast: Cast) -> None:
    kept = RegressionQuestion.objects.create(connection=cast.shop, text="How many?", gold_sql="SELECT 1")
    services.delete_connection(cast.shop, actor=None)
    page = admin.get(reverse("admin:agents_regressionquestion_changelist")).content.decode()
    assert "Shop" in page
    other = Connection.objects.create(name="Shop again", kind="sqlite", database="shop.sqlite")
    save(admin, "agents_regressionquestion_change", {
        "text": kept.text, "evidence": "", "gold_sql": kept.gold_sql, "connection": other.pk,
    }, kept.pk)  # fmt: skip
    assert list(other.regression_set.all()) == [kept]
    assert admin.get(reverse("admin:agents_regressionquestion_add")).status_code == 403


def test_granting_in_the_admin_is_audited(admin: Client, cast: Cast) -> None:
    grant = {"grants-TOTAL_FORMS": "1", "grants-0-team": str(cast.team.pk)}
    save(admin, "connections_connection_add", {**CONNECTION, **grant})
    assert AuditEntry.objects.filter(actor_name="root", action="connection grant added").exists()


def test_a_note_written_in_the_admin_says_who_wrote_it(admin: Client, cast: Cast) -> None:
    note = {
        "catalogue_notes-TOTAL_FORMS": "1", "catalogue_notes-0-table": "orders", "catalogue_notes-0-text": "Euro",
    }  # fmt: skip
    save(admin, "connections_connection_add", {**CONNECTION, **note})
    assert CatalogueNote.objects.get().changed_by == User.objects.get(username="root")


def test_the_buttons_of_a_connection_lead_to_its_own_pages(admin: Client, cast: Cast) -> None:
    page = admin.get(reverse("admin:connections_connection_change", args=[cast.shop.pk])).content.decode()
    form = page[: page.index("Read the catalogue again")].rpartition("<form")[2]
    assert f'action="{reverse("connection_test", args=[cast.shop.pk])}"' in form
    assert f'formaction="{reverse("connection_refresh", args=[cast.shop.pk])}"' in form


def test_a_models_key_is_sealed_and_never_shown(admin: Client) -> None:
    save(admin, "agents_languagemodel_add", {**MODEL, "key": SECRET})
    made = LanguageModel.objects.get()
    assert crypto.decrypt(made.key_encrypted) == SECRET
    assert SECRET not in admin.get(reverse("admin:agents_languagemodel_change", args=[made.pk])).content.decode()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"api_base": "my-server"}, "http://127.0.0.1:11434/v1"),
        ({"extra": "[1]"}, "Write a JSON object"),
        ({"extra": '{"temperature": 1}'}, "has a setting of its own"),
    ],
)
def test_a_model_that_cannot_work_is_refused(admin: Client, values: dict[str, str], words: str) -> None:
    page = admin.post(reverse("admin:agents_languagemodel_add"), {**MODEL, **values})
    assert words in page.content.decode()
    assert not LanguageModel.objects.exists()


PROTOCOL = '<think>I look.</think>[{"op": "table_ref", "args": {"table": "customers"}}]'


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ([PROTOCOL, "maroon-4821"], "keeps to the protocol, and reads prompts of 12,000 tokens"),
        ([PROTOCOL, "I see no word."], "did not see the beginning of a prompt of about 12,000 tokens"),
        ([{"content": "<think>Well, so", "finish_reason": "length"}], "cut off (length) after"),
        ([PROTOCOL, {"content": "", "reasoning_content": "Let me see.", "finish_reason": "length"}],
         "cut off (length) after"),
        (["Sure, happy to help!"], "not as the protocol asks"),
        ([{"status": 401, "message": "bad key"}], "bad key"),
    ],
)
def test_the_models_test_button_makes_real_calls(admin: Client, replies: list[Any], words: str) -> None:
    with ScriptedServer(replies) as server:
        save(admin, "agents_languagemodel_add", {**MODEL, "key": SECRET, "api_base": server.api_base})
        made = LanguageModel.objects.get()
        answer = admin.post(reverse("admin:languagemodel_test", args=[made.pk]), follow=True)
        assert len(server.requests) == len(replies)
        assert {request["max_tokens"] for request in server.requests} == {made.max_output_tokens}, "room to think"
    page = answer.content.decode()
    assert words in page
    assert SECRET not in page


def test_a_small_models_draft_that_was_cut_is_no_draft(admin: Client) -> None:
    with ScriptedServer([{"content": "SELECT COUNT(*) FROM custom", "finish_reason": "length"}]) as server:
        save(admin, "agents_languagemodel_add", {**MODEL, "size": "small", "api_base": server.api_base})
        made = LanguageModel.objects.get()
        answer = admin.post(reverse("admin:languagemodel_test", args=[made.pk]), follow=True)
    assert "cut off (length) after" in answer.content.decode()


def test_logs_and_runs_can_be_looked_at_and_not_changed(admin: Client, cast: Cast) -> None:
    run = make_run(cast)
    services.query_log(cast.shop, cast.ada)  # a sink only
    QueryLogEntry.objects.create(connection_name="Shop", purpose="execute", sql="SELECT 1", user=cast.ada)
    AuditEntry.objects.create(action="login", actor_name="ada")
    for page in ("connections_querylogentry", "connections_auditentry", "agents_run"):
        assert admin.get(reverse(f"admin:{page}_changelist")).status_code == 200
        assert admin.get(reverse(f"admin:{page}_add")).status_code == 403
    address = reverse("admin:agents_run_change", args=[run.pk])
    assert admin.get(address).status_code == 200
    assert admin.post(address, {"status": "answered"}).status_code == 403
    assert admin.post(reverse("admin:agents_run_delete", args=[run.pk]), {"post": "yes"}).status_code == 403


def test_a_new_person_must_set_an_own_password(admin: Client) -> None:
    values = {"username": "dora", "password1": "Xy9-Xy9-Xy9", "password2": "Xy9-Xy9-Xy9", "usable_password": "true",
              "must_change_password": "on"}  # fmt: skip
    save(admin, "connections_user_add", values)
    assert User.objects.get(username="dora").must_change_password
    assert AuditEntry.objects.filter(action="user added", object_name="dora").exists()


@pytest.mark.parametrize(
    "page", ["connections_user", "connections_team", "connections_connection", "agents_languagemodel"]
)
def test_every_page_opens(admin: Client, cast: Cast, page: str) -> None:
    assert admin.get(reverse(f"admin:{page}_changelist")).status_code == 200
    assert admin.get(reverse(f"admin:{page}_add")).status_code == 200
