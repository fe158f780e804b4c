"""What a server that others reach must have: https set up, limits on what is sent, quiet and whole static files."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.test import AsyncClient, Client
from django.urls import reverse

ROOT = Path(__file__).resolve().parent.parent.parent
HTTPS = {"SITE_URL": "https://ask.example.com", "TRUST_PROXY": "on", "SECRET_KEY": "x" * 50, "LOG_LEVEL": "ERROR"}
ASKED = """
import django, json
django.setup()
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
client = Client(headers={"host": "ask.example.com"})
plain = client.get("/login/")
page = client.get("/login/", headers={"X-Forwarded-Proto": "https"})
cookies = {name: [bool(cookie["secure"]), cookie["samesite"]] for name, cookie in page.cookies.items()}
stranger = Client(headers={"host": "evil.example.com"}).get("/login/", headers={"X-Forwarded-Proto": "https"})
print(json.dumps({"plain": [plain.status_code, plain.headers.get("Location")], "headers": dict(page.headers),
                  "cookies": cookies, "stranger": stranger.status_code}))
"""


@pytest.fixture(scope="module")
def behind_https(tmp_path_factory: pytest.TempPathFactory) -> Any:
    env = {**os.environ, **HTTPS, "DATA_DIR": str(tmp_path_factory.mktemp("data")), "DATABASE_URL": "",
           "DJANGO_SETTINGS_MODULE": "reactsql_web.settings"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_over_https_cookies_are_secure_and_browsers_stay_with_https(behind_https: Any) -> None:
    assert behind_https["plain"] == [301, "https://ask.example.com/login/"]
    assert "max-age=31536000" in behind_https["headers"]["Strict-Transport-Security"]
    assert behind_https["cookies"]["csrftoken"] == [True, "Lax"]


def test_a_name_that_is_not_ours_is_not_answered(behind_https: Any) -> None:
    assert behind_https["stranger"] == 400


def test_more_than_two_megabytes_are_not_taken(db: None, client: Client) -> None:
    answer = client.post(reverse("login"), {"username": "a" * (2 * 1024 * 1024 + 1)})
    assert answer.status_code in (400, 413)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"FERNET_KEYS_FILE": "data/fernet.keys"}, "reactsql.W004"),
        ({"SECRET_KEY_FILE": "data/secret.key"}, "reactsql.W005"),
        ({}, "reactsql.W003"),
    ],
)
def test_what_is_unsafe_on_a_server_is_told(settings: Any, values: dict[str, Any], found: str) -> None:
    for name, value in values.items():
        setattr(settings, name, value)
    assert found in {message.id for message in run_checks(include_deployment_checks=True)}


@pytest.mark.parametrize(
    ("headers", "status", "length"), [({}, 200, None), ({"Range": "bytes=0-99"}, 206, 100)]
)
def test_static_files_come_whole_and_without_a_warning(
    headers: dict[str, str], status: int, length: int | None
) -> None:
    path = ROOT / "static" / "css" / "app.css"

    async def fetched() -> tuple[int, bytes]:
        answer = await AsyncClient().get("/static/css/app.css", headers=headers)
        return answer.status_code, b"".join([piece async for piece in answer.streaming_content])  # type: ignore[attr-defined]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = asyncio.run(fetched())
    assert found == (status, path.read_bytes()[:length])


def test_a_worker_starts_without_a_warning_even_as_root(tmp_path: Path) -> None:
    code = (
        "import warnings; warnings.simplefilter('default'); from reactsql_web.celery import app; "
        "from celery.platforms import check_privileges; check_privileges(app.conf.accept_content)"
    )
    env = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, "superuser" in done.stderr) == (0, False), done.stderr
