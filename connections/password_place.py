"""Where a stored password goes: another place gets it only from somebody who knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connections.models import FILE_KINDS, TLS, Connection

PLACE = ("kind", "host", "port", "username")
BY_STRENGTH = (TLS.OFF, TLS.PREFER, TLS.REQUIRE, TLS.VERIFY)
PASSWORD_ANEW = (
    "Type the password anew, or delete the stored one: it was given for another server or user, or for a safer TLS."
)


def goes_elsewhere(before: Connection, after: Mapping[str, Any]) -> bool:
    """Whether the password that `before` has would be sent to another server, as another user, or less safely.

    `after` are the new values of the fields; one that is missing could not be read and is stored nowhere.
    """
    if not before.password_encrypted or after.get("kind") in FILE_KINDS:
        return False
    moved = any(after.get(name, getattr(before, name)) != getattr(before, name) for name in PLACE)
    return moved or _strength(after.get("tls", before.tls)) < _strength(before.tls)


def _strength(tls: str) -> int:
    return BY_STRENGTH.index(TLS(tls))
