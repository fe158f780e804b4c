"""The mail server out of EMAIL_URL."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SECONDS = 15
PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}


def mail_server(url: str) -> dict[str, Any]:
    """Django's EMAIL_* settings. smtp: with STARTTLS; smtps: TLS from the first byte; smtp+plain: neither; "": none."""
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ImproperlyConfigured(
            "EMAIL_URL: its value cannot be read; it must be smtp://user:password@host:587, smtps://… or smtp+plain://…"
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": SECONDS,
    }
