"""Threads and the questions in them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from agents.models.ownership import keep_teams_questions
from connections.models import Connection


class Thread(models.Model):
    """Questions that follow on one another, on one connection, by one person. What an `evaluation` asks is on nobody's
    list of questions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=keep_teams_questions, related_name="threads")
    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL, related_name="threads")
    evaluation = models.ForeignKey("agents.Evaluation", null=True, on_delete=models.CASCADE, related_name="threads")
    title = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True, db_index=True)

    def __str__(self) -> str:
        return self.title


class Question(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    text = models.TextField()
    evidence = models.TextField(blank=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=keep_teams_questions, related_name="questions"
    )
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["thread", "position"], name="one_question_per_position")]

    def __str__(self) -> str:
        return self.text[:80]
