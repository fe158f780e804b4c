"""System checks for what is unsafe on a machine that others can reach: `manage.py check --deploy`."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register, run_checks
from django.core.exceptions import ImproperlyConfigured

START = "start"
"""The tag of what has to be right before web and worker begin."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")


def stop_on_errors() -> None:
    """For processes that `manage.py` does not start, and for which nobody looks at checks. Raises
    ImproperlyConfigured."""
    errors = [message for message in run_checks(tags=[START]) if message.is_serious()]
    if errors:
        raise ImproperlyConfigured(" ".join(f"{error.msg} {error.hint or ''}".strip() for error in errors))


@register(Tags.security, START)
def addresses_are_safe(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Always checked: debug pages must never be reachable from elsewhere."""
    if settings.DEBUG and any(host not in LOCAL for host in settings.ALLOWED_HOSTS):
        return [
            Error(
                "DEBUG is on and the site answers to names that others can reach.",
                hint="Set DEBUG=off, or SITE_URL and ALLOWED_HOSTS to this machine only.",
                id="reactsql.E001",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def production_is_safe(app_configs: Any, **_: Any) -> list[CheckMessage]:
    on_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    weaknesses = (
        (not settings.IS_HTTPS, "W001", "SITE_URL is not https: passwords and answers travel in the clear.",
         "Put a proxy with TLS in front and set SITE_URL=https://…"),
        (settings.IS_HTTPS and not settings.TRUST_PROXY, "W002",
         "SITE_URL is https but TRUST_PROXY is off: behind a proxy every page redirects to itself.",
         "Set TRUST_PROXY=on when a proxy ends TLS."),
        (on_sqlite, "W003", "The product's own database is SQLite: web and worker must share one machine.",
         "Set DATABASE_URL to a PostgreSQL database."),
        (settings.FERNET_KEYS_FILE is not None, "W004", "The keys that encrypt passwords lie beside the passwords.",
         "Move them from the data folder's fernet.keys into FERNET_KEYS."),
        (settings.SECRET_KEY_FILE is not None, "W005", "The key that signs sessions lies in the data folder.",
         "Move it from the data folder's secret.key into SECRET_KEY."),
        (os.geteuid() == 0, "W006", "The processes run as root.",
         "Give them a user of their own, as the Dockerfile does."),
    )  # fmt: skip
    return [Warning(text, hint=hint, id=f"reactsql.{code}") for weak, code, text, hint in weaknesses if weak]


@register(START)
def language_model_can_be_read(app_configs: Any, **_: Any) -> list[CheckMessage]:
    from agents.llm.profiles import ProfileError, chain_from_environment  # late: as below

    try:
        chain_from_environment(os.environ)
    except ProfileError as error:
        return [Error(str(error), id="reactsql.E003")]
    return []


@register(START)
def strategy_is_known(app_configs: Any, **_: Any) -> list[CheckMessage]:
    from agents.strategies import STRATEGIES  # late: checks are registered before the apps are ready

    if settings.STRATEGY in STRATEGIES:
        return []
    return [Error(f"STRATEGY: {settings.STRATEGY!r} is unknown; it must be one of {', '.join(STRATEGIES)}.",
                  id="reactsql.E002")]  # fmt: skip
