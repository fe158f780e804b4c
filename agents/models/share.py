"""Shares: who else may see a run, for how long."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from agents.models.run import Run
from connections.models import Team


class LiveShares(models.Manager["Share"]):
    """Shares that count now: not revoked, not expired."""

    def get_queryset(self) -> models.QuerySet[Share]:
        unexpired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
        return super().get_queryset().filter(unexpired, revoked_at=None)


class Share(models.Model):
    """A run shared with a person, with a team, or by a link.

    Of a link only the SHA-256 of its token is kept; `readers` are the people who opened it. Nothing is deleted when a
    share is revoked, so that the audit log's words stay true.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="shares")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="shares_received"
    )
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="shares")
    token_hash = models.CharField(max_length=64, null=True, unique=True)
    readers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="links_opened")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="shares_made"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = models.Manager["Share"]()
    live = LiveShares()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="shared_in_one_way",
                condition=(
                    Q(person__isnull=False, team=None, token_hash=None)
                    | Q(person=None, team__isnull=False, token_hash=None)
                    | Q(person=None, team=None, token_hash__isnull=False)
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.run.question} with {self.audience}"

    @property
    def audience(self) -> str:
        if self.team is not None:
            return self.team.name
        if self.person is not None:
            return self.person.get_full_name() or self.person.get_username()
        return "anyone with the link"
