"""Runs and their events."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from agents.models.language_model import LanguageModel
from agents.models.question import Question
from agents.models.spent import Spent


class Status(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    ANSWERED = "answered", "Answered"
    CLARIFY = "clarify", "Needs a choice"
    UNANSWERABLE = "unanswerable", "Cannot be answered"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Stopped"


LIVE = (Status.QUEUED, Status.RUNNING)


class Run(Spent):
    """One attempt to answer a question.

    `lease_owner` is the worker that may write events until `lease_until`; whoever holds no valid lease writes nothing.
    `attempt` counts the workers that had it.
    `settings` hold "samples" where drafts vote.
    A run without a model holds in `settings` its "program", and where it came from: "rerun_of" a run, with "step" the
    one that was changed, or the "sql" that was lifted.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="runs")
    strategy = models.CharField(max_length=20)
    language_model = models.ForeignKey(LanguageModel, null=True, on_delete=models.SET_NULL)
    model_name = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED, db_index=True)
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    attempt = models.PositiveIntegerField(default=0)
    answer = models.TextField(blank=True)
    answer_result = models.PositiveIntegerField(null=True)
    answer_table = models.JSONField(null=True)
    options = models.JSONField(default=list)
    sql = models.TextField(blank=True)
    program = models.JSONField(default=list)
    error_type = models.CharField(max_length=60, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [models.Index(fields=["status", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.status} run of {self.question}"

    @property
    def is_live(self) -> bool:
        return self.status in LIVE

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The calls that lead to the answer; of a run without a model, those that it was given."""
        given: list[dict[str, Any]] = self.settings.get("program", [])
        return self.program or given


class RunEvent(models.Model):
    """One event of the trace; `data` is `traces.events.to_json` without position and time."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=24)
    turn = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()
    data = models.JSONField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["run", "position"], name="one_event_per_position")]

    def __str__(self) -> str:
        return f"{self.position} {self.kind}"
