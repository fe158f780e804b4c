"""What a piece of work took."""

from __future__ import annotations

from typing import Any

from django.db import models


class Spent(models.Model):
    """`cost` in US dollars, None when a price is not known."""

    turns = models.PositiveIntegerField(default=0)
    calls = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    seconds = models.FloatField(default=0)

    class Meta:
        abstract = True

    def spent(self) -> dict[str, Any]:
        """All of it by name, to be kept elsewhere, too."""
        return {field.name: getattr(self, field.name) for field in Spent._meta.get_fields()}
