"""Comments on a question, and what people are told of."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.collection import SavedQuestion
from agents.models.ownership import deleted_person
from agents.models.question import Question
from agents.models.run import Run


class Comment(models.Model):
    """`run` is the one that the author was looking at."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="comments")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET(deleted_person), related_name="comments"
    )
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return self.text[:80]


class Notice(models.Model):
    """Something that a person is told: on the page, and by e-mail where that is set up. It is about a run, or about the
    schedule of a `saved` question that failed."""

    class Kind(models.TextChoices):
        MENTION = "mention", "mentioned you"
        COMMENT = "comment", "commented on your question"
        SHARE = "share", "shared an answer with you"
        VERIFIED = "verified", "verified your answer"
        ACCESS = "access", "asks for access"
        SCHEDULE = "schedule", "Scheduled question"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    run = models.ForeignKey(Run, null=True, on_delete=models.CASCADE, related_name="+")
    saved = models.ForeignKey(SavedQuestion, null=True, on_delete=models.CASCADE, related_name="+")
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["user", "read_at"])]
        constraints = [
            models.CheckConstraint(name="about_one_thing", condition=(
                models.Q(run__isnull=False, saved=None) | models.Q(run=None, saved__isnull=False)
            ))
        ]  # fmt: skip

    def __str__(self) -> str:
        if self.kind == self.Kind.SCHEDULE:
            return self.text.partition("\n")[0][:120]
        who = (self.actor.get_full_name() or self.actor.get_username()) if self.actor else "A deleted person"
        return f"{who} {self.get_kind_display()}"
