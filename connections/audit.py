"""The one way to write the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

from connections.models import AuditEntry, User


def record(
    action: str,
    *,
    actor: User | None = None,
    actor_name: str = "",
    target: Model | None = None,
    detail: Mapping[str, Any] | None = None,
    address: str | None = None,
) -> AuditEntry:
    """Add "`actor` did `action` to `target`". `detail` must hold no secret: it is shown as it is."""
    return AuditEntry.objects.create(
        actor=actor,
        actor_name=(actor.get_username() if actor else actor_name)[:150],
        action=action,
        object_type=str(target._meta.verbose_name)[:50] if target is not None else "",
        object_id=str(target.pk)[:64] if target is not None else "",
        object_name=str(target)[:255] if target is not None else "",
        detail=dict(detail or {}),
        address=address,
    )
