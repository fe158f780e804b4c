"""Ways in that are told once and kept as a hash: invitations to a team, and tokens for programs."""

from __future__ import annotations

import hashlib
import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from connections.roles import Role

TOKEN_BYTES = 24
TOKEN_PREFIX = "rsw_"  # so that scanners recognise one that leaked


def new_token(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(TOKEN_BYTES)


def hash_of(token: str) -> str:
    """Tokens are long and random, so a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode()).hexdigest()


class OpenInvitations(models.Manager["Invitation"]):
    """Neither accepted nor withdrawn nor expired."""

    def get_queryset(self) -> models.QuerySet[Invitation]:
        return super().get_queryset().filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """Whoever has the link may join `team` once. `email` is where it was sent, "" where it was only copied."""

    team = models.ForeignKey("connections.Team", on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.ANALYST)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="invitations_made"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="invitations_accepted"
    )

    objects = models.Manager["Invitation"]()
    open = OpenInvitations()

    def __str__(self) -> str:
        return f"{self.email or 'a link'} to {self.team} as {self.role}"


class LiveTokens(models.Manager["ApiToken"]):
    """Tokens that still open something: of active people, neither revoked nor expired."""

    def get_queryset(self) -> models.QuerySet[ApiToken]:
        unexpired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
        return super().get_queryset().filter(unexpired, revoked_at=None, user__is_active=True)


class ApiToken(models.Model):
    """A program acts as `user` with it. `start` are the first characters, to tell tokens apart."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    start = models.CharField(max_length=12)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    objects = models.Manager["ApiToken"]()
    live = LiveTokens()

    def __str__(self) -> str:
        return f"{self.name} ({self.start}…)"
