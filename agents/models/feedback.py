"""What people think of answers: verdicts, verification, the managers' review, the regression set."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.run import Run
from connections.models import Connection


class Reason(models.TextChoices):
    """Why an answer is bad."""

    WRONG_NUMBER = "wrong_number", "Wrong number"
    WRONG_MEANING = "wrong_meaning", "Not what I meant"
    WRONG_DATA = "wrong_data", "Wrong table or column"
    MISSING = "missing", "Something is missing"
    SHOULD_ASK = "should_ask", "Should have asked back"
    UNCLEAR = "unclear", "Hard to understand"
    OTHER = "other", "Something else"


class Feedback(models.Model):
    """One person's verdict on a run; `reason` is for bad ones."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="feedback")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="feedback")
    good = models.BooleanField()
    reason = models.CharField(max_length=20, choices=Reason.choices, blank=True)
    text = models.TextField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]
        constraints = [models.UniqueConstraint(fields=["run", "user"], name="one_verdict_per_person")]

    def __str__(self) -> str:
        return "good" if self.good else self.get_reason_display() or "bad"


class Verification(models.Model):
    """A manager checked the answer: it is trusted, and open to whoever sees the connection."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="verification")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"verified: {self.run.question}"

    @property
    def by_name(self) -> str:
        return (self.by.get_full_name() or self.by.get_username()) if self.by else "a deleted person"


class Review(models.Model):
    """A manager has looked at the run. A verdict given later opens it again."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="review")
    done_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    done_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"reviewed: {self.run.question}"


class RegressionQuestion(models.Model):
    """A question that a connection's answers are measured with. `gold_sql` is empty until somebody knows it.

    When the connection is removed, `connection_name` keeps its name; an administrator can give the question to another.
    """

    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL, related_name="regression_set")
    connection_name = models.CharField(max_length=100, blank=True)
    run = models.OneToOneField(Run, null=True, on_delete=models.SET_NULL, related_name="in_regression_set")
    text = models.TextField()
    evidence = models.TextField(blank=True)
    gold_sql = models.TextField(blank=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.text[:80]
