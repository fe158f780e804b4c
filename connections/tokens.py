"""Tokens for programs: made, listed, revoked by their person; each is told once and kept as a hash."""

from __future__ import annotations

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from connections import audit
from connections.access import TOKEN_PREFIX, hash_of, new_token
from connections.models import ApiToken, User

USED_EVERY = timedelta(minutes=1)  # so that a busy program does not write with every request


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.live.filter(user=user).order_by("-created_at")


def make(*, user: User, name: str, days: int = 0) -> tuple[ApiToken, str]:
    """A token of `user`'s and its text, told this once. `days` 0: until it is revoked."""
    name = name.strip()
    if not name:
        raise ValidationError("Give the token a name that says which program has it.", code="name")
    token = new_token(TOKEN_PREFIX)
    with transaction.atomic():
        made = ApiToken.objects.create(
            user=user, name=name[:100], start=token[:12], token_hash=hash_of(token),
            expires_at=timezone.now() + timedelta(days=days) if days else None,
        )  # fmt: skip
        audit.record("API token made", actor=user, target=made, detail={"days": days})
    return made, token


def revoke(*, user: User, token_id: int) -> None:
    """Raises ApiToken.DoesNotExist for somebody else's."""
    with transaction.atomic():
        token = tokens_of(user).get(pk=token_id)
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
        audit.record("API token revoked", actor=user, target=token)


def user_of(token: str) -> User | None:
    """Whose token it is, None where it opens nothing. A generated password must be changed in the browser first."""
    found = ApiToken.live.filter(token_hash=hash_of(token)).select_related("user").first()
    if found is None or found.user.must_change_password:
        return None
    now = timezone.now()
    if found.last_used_at is None or now - found.last_used_at > USED_EVERY:
        ApiToken.objects.filter(pk=found.pk).update(last_used_at=now)
    user: User = found.user
    return user
