"""Settings come from the environment, are loud on bad values, and none is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from reactsql_web import env_file, keys
from reactsql_web.database import own_database
from reactsql_web.environment import SETTINGS, Environment

ROOT = Path(__file__).resolve().parents[2]
PRINT = (
    "import django; django.setup(); from django.conf import settings as s; "
    "print(s.SITE_URL, s.ALLOWED_HOSTS, s.SESSION_COOKIE_SECURE, s.DATABASES['default']['ENGINE'], s.CELERY_BROKER_URL)"
)


def start(tmp_path: Path, **values: str) -> subprocess.CompletedProcess[str]:
    """A fresh process with these settings and no others."""
    names = {setting.name for setting in SETTINGS}
    kept = {name: value for name, value in os.environ.items() if name not in names}
    environment = {**kept, "DJANGO_SETTINGS_MODULE": "reactsql_web.settings", "DATA_DIR": str(tmp_path), **values}
    command = [sys.executable, "-c", PRINT]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_no_setting_is_needed(tmp_path: Path) -> None:
    started = start(tmp_path)
    assert started.returncode == 0, started.stderr
    assert started.stdout.startswith("http://localhost:8000 ")
    assert "sqlite3" in started.stdout
    assert "filesystem" in started.stdout


def test_an_https_address_switches_secure_cookies_on(tmp_path: Path) -> None:
    started = start(tmp_path, SITE_URL="https://ask.example.com", DATABASE_URL="postgresql://u:p@db/x")
    assert started.stdout.startswith("https://ask.example.com ['ask.example.com', ")
    assert " True django.db.backends.postgresql" in started.stdout


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("DEBUG", "maybe", "DEBUG: 'maybe' cannot be read; it must be on or off"),
        ("PORT", "80a", "PORT: '80a' cannot be read; it must be a whole number of at least 1"),
        ("RUN_MAX_TURNS", "0", "a whole number of at least 1"),
        ("RUN_MAX_COST", "nan", "a number of at least 0"),
        ("SHAPING", "often", "it must be auto or always"),
        ("SITE_URL", "ask.example.com", "SITE_URL: 'ask.example.com' is no address"),
        ("DATABASE_URL", "oracle://scott:tiger@db/x", "DATABASE_URL: a oracle address cannot be used"),
        ("FERNET_KEYS", "short", "FERNET_KEYS: a key cannot be read"),
        ("DATABASE_NETWORKS", "10.0.0.0/99", "networks such as 10.0.0.0/8"),
        ("LOG_LEVEL", "LOUD", "DEBUG or INFO or WARNING or ERROR"),
        ("OIDC_SERVER_URL", "sso.example.com", "an address such as https://login.example.com"),
    ],
)
def test_a_bad_value_stops_the_start_and_says_what_would_be_right(
    tmp_path: Path, name: str, value: str, words: str
) -> None:
    started = start(tmp_path, **{name: value})
    assert started.returncode != 0
    assert words in started.stderr
    assert "tiger" not in started.stderr


PROCESSES = {
    "web": ["-m", "uvicorn", "reactsql_web.asgi:application", "--port", "0"],
    "worker": ["-m", "celery", "--quiet", "-A", "reactsql_web", "worker"],
    "everything": ["-m", "reactsql_web.start"],
}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"LLM_MODEL": "openai/x", "LLM_TEMPERATURE": "hot"}, "LLM_TEMPERATURE='hot' cannot be used: it must be"),
        ({"LLM_MODEL": "openai/x", "LLM_FALLBACK_API_KEY": "x"}, "LLM_FALLBACK_API_KEY is set but"),
        ({"STRATEGY": "magic"}, "STRATEGY: 'magic' is unknown; it must be one of auto, react"),
    ],
    ids=["model", "fallback", "strategy"],
)
@pytest.mark.parametrize("process", PROCESSES)
def test_what_no_question_could_be_asked_with_stops_web_and_worker(
    tmp_path: Path, process: str, values: dict[str, str], words: str
) -> None:
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": "", **values}
    command = [sys.executable, *PROCESSES[process]]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert words in done.stderr


def test_a_file_says_what_the_environment_does_not(tmp_path: Path) -> None:
    file = tmp_path / "settings"
    file.write_text('# for this machine\nPORT=8123\nEMAIL_FROM="Shop <shop@example.com>"\nLOG_LEVEL=DEBUG\n')
    values = {"ENV_FILE": str(file), "LOG_LEVEL": "ERROR"}
    env_file.read(values)
    read = Environment(values)
    assert (read.integer("PORT"), read.text("EMAIL_FROM")) == (8123, "Shop <shop@example.com>")
    assert read.text("LOG_LEVEL") == "ERROR"


ENTRANCES = {
    "manage.py": ["manage.py", "shell", "--no-imports", "-c", "from django.conf import settings as s; print(s.PORT)"],
    **{
        name: ["-c", f"import reactsql_web.{name}; from django.conf import settings as s; print(s.PORT)"]
        for name in ("asgi", "wsgi", "celery", "beat")
    },
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_whatever_is_started_reads_the_file(tmp_path: Path, entrance: str) -> None:
    (tmp_path / "settings").write_text("PORT=8123\n")
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "ENV_FILE": str(tmp_path / "settings")}
    environment.pop("PORT", None)
    command = [sys.executable, *ENTRANCES[entrance]]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["8123"], done.stderr


@pytest.mark.parametrize(("text", "words"), [(None, "there is no file"), ('A="open', "cannot be read: No closing")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "settings").write_text(text)
    with pytest.raises(ImproperlyConfigured, match=words):
        env_file.read({"ENV_FILE": str(tmp_path / "settings")})


def test_no_test_reads_the_settings_of_whoever_runs_it() -> None:
    assert os.environ["ENV_FILE"] == "off"


def test_every_name_stands_once_and_has_a_help() -> None:
    names = [setting.name for setting in SETTINGS]
    assert len(names) == len(set(names))
    assert all(setting.help for setting in SETTINGS)


def test_a_site_is_named_without_path_and_login() -> None:
    found = Environment({"OIDC_SERVER_URL": "https://u:p@sso.example.com:8443/realms/shop", "OIDC_ORIGINS": " "})
    assert (found.origin("OIDC_SERVER_URL"), found.origins("OIDC_ORIGINS")) == ("https://sso.example.com:8443", [])
    several = Environment({"OIDC_ORIGINS": "https://a.example.com/x, http://b.example.com"})
    assert several.origins("OIDC_ORIGINS") == ["https://a.example.com", "http://b.example.com"]


def test_a_name_that_is_not_listed_cannot_be_read() -> None:
    with pytest.raises(KeyError):
        Environment({"SECRET": "x"}).text("SECRET")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match="make DATA_DIR writable"):
        keys.secret_key("", tmp_path / "file" / "inside")


def test_a_key_is_made_once_and_is_for_its_owner_only(tmp_path: Path) -> None:
    first = keys.secret_key("", tmp_path)
    assert keys.secret_key("", tmp_path) == first
    assert len(first) > 50
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    assert keys.secret_key("given", tmp_path) == "given"


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("", {"ENGINE": "django.db.backends.sqlite3", "NAME": Path("/data/app.sqlite")}),
        ("sqlite:////a/b.sqlite", {"NAME": Path("/a/b.sqlite")}),
        (
            "postgresql://us%40er:p%2Fw@db.example.com:5433/my%20db?sslmode=require",
            {"USER": "us@er", "PASSWORD": "p/w", "HOST": "db.example.com", "PORT": "5433", "NAME": "my db"},
        ),
        ("postgres://localhost/x", {"HOST": "localhost", "USER": "", "PORT": ""}),
        ("postgresql+psycopg://u@h/x", {"ENGINE": "django.db.backends.postgresql", "USER": "u"}),
    ],
)
def test_a_database_url_is_read(url: str, entry: dict[str, object]) -> None:
    found = own_database(url, Path("/data"))
    assert {name: found[name] for name in entry} == entry
