"""What a member of a team may do."""

from __future__ import annotations

from django.db import models


class Role(models.TextChoices):
    """What a member may do: viewers read what is shared, analysts also ask, managers also verify and review."""

    VIEWER = "viewer", "Viewer"
    ANALYST = "analyst", "Analyst"
    MANAGER = "manager", "Manager"
