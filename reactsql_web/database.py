"""The product's own database: SQLite in the data folder, or what DATABASE_URL names."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# Readers never wait for the writer (WAL), and a writer waits its turn instead of failing. IMMEDIATE takes the write
# lock when a transaction begins: taking it later fails at once when somebody else wrote in between.
SQLITE_OPTIONS = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}


def own_database(url: str, data_folder: Path) -> dict[str, Any]:
    """Django's DATABASES entry for `url`; "" is SQLite in `data_folder`."""
    if not url:
        return _sqlite(data_folder / "app.sqlite")
    parts = urlsplit(url)
    scheme = parts.scheme.split("+")[0]
    if scheme == "sqlite":
        return _sqlite(Path(unquote(parts.path.removeprefix("/"))))
    if scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            f"DATABASE_URL: a {parts.scheme or 'nameless'} address cannot be used; it must be "
            "postgresql://user:password@host:port/name or sqlite:////absolute/path."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "OPTIONS": {"connect_timeout": 10, **dict(parse_qsl(parts.query))},
    }


def _sqlite(path: Path) -> dict[str, Any]:
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": path, "OPTIONS": dict(SQLITE_OPTIONS)}
