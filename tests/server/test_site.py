"""Logging in, being locked out, setting an own password; security headers; what machines ask."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.checks import run_checks
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents import upkeep
from agents.models import Status, Thread, UsageEntry
from connections.models import AuditEntry, User
from tests.server.conftest import PASSWORD, Cast, make_run


def log_in(client: Client, name: str = "ada", password: str = PASSWORD) -> Any:
    return client.post(reverse("login"), {"username": name, "password": password})


def test_a_person_logs_in_and_it_is_written_down(cast: Cast, client: Client) -> None:
    assert log_in(client).status_code == 302
    assert client.session["_auth_user_id"] == str(cast.ada.pk)
    entry = AuditEntry.objects.get(action="login")
    assert (entry.actor, entry.address) == (cast.ada, "127.0.0.1")


def test_a_wrong_password_is_written_down_without_it(cast: Cast, client: Client) -> None:
    page = log_in(client, password="wrong-password-1")
    assert page.status_code == 200
    assert AuditEntry.objects.get(action="login failed").actor_name == "ada"
    assert "wrong-password-1" not in str(list(AuditEntry.objects.values())) + page.content.decode()


def test_after_five_wrong_passwords_even_the_right_one_waits(cast: Cast, client: Client) -> None:
    for _ in range(5):
        last = log_in(client, password="wrong")
    assert last.status_code == 429
    page = log_in(client)
    assert page.status_code == 429
    assert "15 minutes" in page.content.decode()
    assert AuditEntry.objects.filter(action="locked out", actor_name="ada").exists()
    assert log_in(client, name="ben").status_code == 302, "others are not locked out"


@pytest.fixture
def new_person(cast: Cast, client: Client) -> Client:
    User.objects.filter(pk=cast.ada.pk).update(must_change_password=True)
    log_in(client)
    return client


@pytest.mark.parametrize("page", ["/", "/admin/", "/does-not-exist"])
def test_a_generated_password_is_changed_before_anything_else(new_person: Client, page: str) -> None:
    answer = new_person.get(page)
    assert (answer.status_code, answer["Location"]) == (302, reverse("password_change"))


def test_after_the_change_everything_is_open(new_person: Client, cast: Cast) -> None:
    fresh = "another long password"
    values = {"old_password": PASSWORD, "new_password1": fresh, "new_password2": fresh}
    assert new_person.post(reverse("password_change"), values)["Location"] == "/"
    cast.ada.refresh_from_db()
    assert not cast.ada.must_change_password
    assert new_person.get("/does-not-exist").status_code == 404


def test_health_needs_nothing(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"


def test_readiness_says_which_part_is_missing(db: None, client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database": "ok", "broker": "ok", "worker": "no worker has been seen for 30 seconds"}
    upkeep.beat("here:1")
    assert client.get("/readyz").status_code == 200


def test_a_broker_that_is_away_is_said_without_its_password(db: None, client: Client, settings: Any) -> None:
    from reactsql_web.celery import app

    before = app.conf.broker_read_url, app.conf.broker_write_url
    app.conf.broker_write_url = "redis://:secret@127.0.0.1:1/0"
    try:
        answer = client.get("/readyz")
    finally:
        app.conf.broker_read_url, app.conf.broker_write_url = before
    assert answer.json()["broker"].startswith("not reachable")
    assert "secret" not in answer.content.decode()


def test_metrics_count_runs(cast: Cast, client: Client) -> None:
    make_run(cast, status=Status.ANSWERED)
    text = client.get("/metrics").content.decode()
    assert 'reactsql_runs{status="answered"} 1.0' in text


def test_what_was_spent_never_gets_less(cast: Cast, client: Client) -> None:
    run = make_run(cast, status=Status.ANSWERED)
    spent = {"at": timezone.now(), "user_name": "ada", "connection_name": "Shop", "input_tokens": 100, "cost": 2}
    UsageEntry.objects.create(run_id=run.pk, closed_at=timezone.now(), **spent)
    UsageEntry.objects.create(run_id=uuid4(), **spent)  # of a run at work, which may still be mended
    for _ in range(2):
        text = client.get("/metrics").content.decode()
        assert 'reactsql_tokens_total{direction="input"} 100.0' in text
        assert "reactsql_cost_dollars_total 2.0" in text
        Thread.objects.all().delete()


def policy_of(page: Any) -> str:
    found = re.search("form-action ([^;]*)", page["Content-Security-Policy"])
    assert found is not None
    return found[1]


def test_only_the_pages_with_the_sign_on_button_let_a_form_lead_to_the_provider(
    cast: Cast, client: Client, settings: Any
) -> None:
    login = reverse("login")
    assert policy_of(client.get(login)) == "'self'"
    settings.OIDC_ORIGINS = ["https://sso.example.com", "https://login.example.com"]
    allowed = "'self' https://sso.example.com https://login.example.com"
    assert policy_of(client.get(login)) == allowed
    answers = [client.post(login, {"username": "ada", "password": "wrong"}) for _ in range(6)]
    assert answers[-1].status_code == 429
    assert [policy_of(answer) for answer in answers] == [allowed] * 6
    client.force_login(cast.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert policy_of(client.get("/")) == "'self'"


@pytest.mark.parametrize(
    ("second", "locked"),
    [("2001:db8:1:2:ffff::9", True), ("2001:db8:1:3::1", False), ("198.51.100.7", False)],
)
def test_an_ipv6_client_has_no_further_tries_from_its_other_addresses(
    cast: Cast, second: str, locked: bool
) -> None:
    wrong = {"username": "ada", "password": "wrong"}
    for _ in range(6):
        Client(REMOTE_ADDR="2001:db8:1:2::1").post(reverse("login"), wrong)
    answer = Client(REMOTE_ADDR=second).post(reverse("login"), {"username": "ada", "password": PASSWORD})
    assert answer.status_code == (429 if locked else 302)


def test_metrics_are_for_this_machine_or_for_who_has_the_token(db: None, client: Client, settings: Any) -> None:
    assert client.get("/metrics", REMOTE_ADDR="10.1.2.3").status_code == 404
    assert client.get("/metrics", HTTP_X_FORWARDED_FOR="10.1.2.3").status_code == 404
    settings.METRICS_TOKEN = "token"
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer token", REMOTE_ADDR="10.1.2.3").status_code == 200


def test_pages_carry_a_strict_policy_with_a_fresh_nonce(db: None, client: Client) -> None:
    policies = [client.get(reverse("login"))["Content-Security-Policy"] for _ in range(2)]
    assert "default-src 'self'" in policies[0]
    assert "unsafe" not in policies[0]
    assert "frame-ancestors 'none'" in policies[0]
    nonces = [set(re.findall(r"'nonce-([^']+)'", policy)) for policy in policies]
    assert not nonces[0] or nonces[0] != nonces[1]


def test_other_security_headers_are_there(db: None, client: Client) -> None:
    page = client.get(reverse("login"))
    assert page["X-Frame-Options"] == "DENY"
    assert page["X-Content-Type-Options"] == "nosniff"
    assert page["Referrer-Policy"] == "same-origin"


def test_a_form_without_its_token_is_refused(cast: Cast) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(reverse("login"), {"username": "ada", "password": PASSWORD}).status_code == 403


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [(False, "1.2.3.4", "127.0.0.1"), (True, "6.6.6.6, 1.2.3.4", "1.2.3.4"), (True, "nonsense", None)],
)
def test_the_address_of_a_login_is_the_proxys_word_only_where_it_is_trusted(
    cast: Cast, client: Client, settings: Any, trusted: bool, forwarded: str, address: str | None
) -> None:
    settings.TRUST_PROXY = trusted
    client.post(
        reverse("login"), {"username": "ada", "password": PASSWORD}, HTTP_X_FORWARDED_FOR=forwarded
    )
    assert AuditEntry.objects.get(action="login").address == address


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"DEBUG": True, "ALLOWED_HOSTS": ["ask.example.com"]}, "reactsql.E001"),
        ({"IS_HTTPS": False}, "reactsql.W001"),
        ({"IS_HTTPS": True, "TRUST_PROXY": False}, "reactsql.W002"),
        ({"STRATEGY": "magic"}, "reactsql.E002"),
    ],
)
def test_unsafe_settings_are_found(settings: Any, values: dict[str, Any], found: str) -> None:
    for name, value in values.items():
        setattr(settings, name, value)
    assert found in {message.id for message in run_checks(include_deployment_checks=True)}
