"""Evaluations: questions whose answers are known, asked of several systems, and how right each of them was."""

from __future__ import annotations

from string import ascii_uppercase

from django.conf import settings
from django.db import models

from agents.evaluation.results import with_vote
from agents.models.language_model import LanguageModel
from agents.models.run import Run, Status
from agents.models.spent import Spent
from connections.models import Connection, Team


class EvaluationState(models.TextChoices):
    RUNNING = "running", "Running"
    STOPPED = "stopped", "Stopped"
    DONE = "done", "Done"


class Evaluation(models.Model):
    """Of a connection's regression set, or (`source` names the folder) one that `manage.py evaluate` made elsewhere.

    `began_at` and `done_before` tell how fast it goes since it was last started or continued. `error` says why it
    stopped of its own accord. When the connection is removed, `connection_name` keeps its name, and `kept_for` the
    teams that had it.
    """

    name = models.CharField(max_length=200)
    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL, related_name="evaluations")
    connection_name = models.CharField(max_length=100, blank=True)
    kept_for = models.ManyToManyField(Team, related_name="+")
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="evaluations")
    source = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    began_at = models.DateTimeField()
    done_before = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)
    state = models.CharField(
        max_length=8, choices=EvaluationState.choices, default=EvaluationState.RUNNING, db_index=True
    )
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def whose(self) -> str:
        """The connection that was asked, or the team that it was imported for."""
        if self.connection is None and self.connection_name:
            return f"{self.connection_name} (removed)"
        return str(self.connection or self.team or "")

    @property
    def is_running(self) -> bool:
        return self.state == EvaluationState.RUNNING


class EvaluationSystem(models.Model):
    """One strategy with one model, and how many drafts vote. Without `language_model` the environment's answers, or it
    ran elsewhere."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="systems")
    position = models.PositiveSmallIntegerField()
    strategy = models.CharField(max_length=60)
    samples = models.PositiveSmallIntegerField(default=1)
    language_model = models.ForeignKey(LanguageModel, null=True, on_delete=models.SET_NULL, related_name="+")
    model_name = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["evaluation", "position"], name="one_system_per_position")]

    def __str__(self) -> str:
        return f"{self.method}, {self.model_name}" if self.model_name else self.method

    @property
    def method(self) -> str:
        return with_vote(self.strategy, self.samples)

    @property
    def letter(self) -> str:
        """A, B, … Z, A1, B1, …"""
        round_of, place = divmod(self.position, len(ascii_uppercase))
        return ascii_uppercase[place] + (str(round_of) if round_of else "")


class EvaluationQuestion(models.Model):
    """`key` names the question in every evaluation that asks it. Any of `gold_sql` is right. `gold` is the beginning of
    what the first of them returns: {"columns", "rows", "row_count"}."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    text = models.TextField()
    evidence = models.TextField(blank=True)
    db_id = models.CharField(max_length=200, blank=True)
    difficulty = models.CharField(max_length=60, blank=True)
    answerable = models.BooleanField(default=True)
    gold_sql = models.JSONField(default=list)
    gold = models.JSONField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["evaluation", "key"], name="one_question_per_key")]

    def __str__(self) -> str:
        return self.text[:80]


class CaseState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    WORKING = "working", "Working"
    DONE = "done", "Done"


class EvaluationCase(Spent):
    """One question under one system. `status` is how its run ended; the scores are those of agents.evaluation.results.

    `run` is None before it is asked, and where it ran elsewhere and its trace was not imported.
    """

    system = models.ForeignKey(EvaluationSystem, on_delete=models.CASCADE, related_name="cases")
    question = models.ForeignKey(EvaluationQuestion, on_delete=models.CASCADE, related_name="cases")
    run = models.OneToOneField(Run, null=True, on_delete=models.SET_NULL, related_name="evaluation_case")
    state = models.CharField(max_length=8, choices=CaseState.choices, default=CaseState.WAITING)
    status = models.CharField(max_length=12, choices=Status.choices, blank=True)
    right = models.BooleanField(default=False)
    execution = models.BooleanField(default=False)
    tolerant = models.BooleanField(default=False)
    soft_f1 = models.FloatField(default=0)
    judged = models.BooleanField(null=True)
    judge_reason = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    sql = models.TextField(blank=True)
    predicted = models.JSONField(null=True)
    error_type = models.CharField(max_length=60, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["question__position", "system__position"]
        constraints = [models.UniqueConstraint(fields=["system", "question"], name="one_case_per_question")]
        indexes = [models.Index(fields=["system", "state"])]

    def __str__(self) -> str:
        return f"{self.question} by {self.system}"
