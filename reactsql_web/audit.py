"""Logins, failed logins and lock-outs go to the audit log."""

from __future__ import annotations

from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from connections import audit
from reactsql_web.address import client_address


@receiver(user_logged_in)
def logged_in(request: HttpRequest, user: Any, **_: Any) -> None:
    audit.record("login", actor=user, address=client_address(request))


@receiver(user_logged_out)
def logged_out(request: HttpRequest, user: Any, **_: Any) -> None:
    if user is not None:
        audit.record("logout", actor=user, address=client_address(request))


@receiver(user_login_failed)
def login_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    address = client_address(request) if request else None
    audit.record("login failed", actor_name=str(credentials.get("username", "")), address=address)


@receiver(user_locked_out)
def locked_out(request: HttpRequest, username: str | None = None, ip_address: str | None = None, **_: Any) -> None:
    audit.record("locked out", actor_name=username or "", address=ip_address)
