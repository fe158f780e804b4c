"""What is true only for a moment: a reply while it is written, and the workers that are alive."""

from __future__ import annotations

from django.db import models

from agents.models.run import Run


class LiveThought(models.Model):
    """The reply that the model is writing now: `text` is all of it so far, of turn `turn`. Gone with the run's end.

    A table, because it reaches every web process without any further server.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="live_thought")
    turn = models.PositiveIntegerField(default=0)
    text = models.TextField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"turn {self.turn}: {self.text[-60:]}"


class WorkerBeat(models.Model):
    """A worker process says every few seconds that it is alive."""

    name = models.CharField(max_length=100, primary_key=True)
    started_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(auto_now=True, db_index=True)

    def __str__(self) -> str:
        return self.name
