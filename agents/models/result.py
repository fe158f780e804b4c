"""Results kept with their run."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from agents.models.run import Run


class StoredResult(models.Model):
    """Result number `number` of a run. The rows are a Parquet file under the results folder, named by `file`;
    `columns` are {"name", "type", "semantic"} by position. Rows are gone once `expires_at` has passed."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="results")
    number = models.PositiveIntegerField()
    columns = models.JSONField()
    file = models.CharField(max_length=200)
    rows_stored = models.PositiveBigIntegerField()
    row_count = models.PositiveBigIntegerField(null=True)
    row_count_exact = models.BooleanField(default=True)
    truncated = models.BooleanField(default=False)
    sql = models.TextField()
    handle = models.CharField(max_length=255, blank=True)
    ms = models.FloatField(default=0)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_result_per_number")]
        indexes = [models.Index(fields=["run", "number"], condition=models.Q(row_count=0), name="results_of_no_rows")]

    def __str__(self) -> str:
        return f"result {self.number}"


@receiver(post_delete, sender=StoredResult)
def delete_file(instance: StoredResult, **_: Any) -> None:
    """The rows go with the row that tells of them, by whatever way it goes."""
    path = settings.RESULTS_DIR / instance.file
    transaction.on_commit(lambda: path.unlink(missing_ok=True))
