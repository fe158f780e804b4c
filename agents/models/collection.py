"""Collections: questions that a team keeps, with their programs, parameters and schedules."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models

from agents.models.run import Run
from connections import time_zones
from connections.models import Connection, Team, User


class Collection(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="collections")
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["team__name", "name"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_collection_per_name")]

    def __str__(self) -> str:
        return self.name


class Cadence(models.TextChoices):
    NEVER = "", "Not scheduled"
    DAILY = "daily", "Daily"
    WEEKLY = "weekly", "Weekly"
    MONTHLY = "monthly", "Monthly"


class SavedQuestion(models.Model):
    """A program under a title. `parameters` are agents.answers.parameters.Parameter as JSON objects.

    `owner` saved it. Scheduled runs have the rights of `scheduled_by`. `day` is a weekday (0 is Monday) or a day of the
    month (1 to 28); `day` and `at` are those of `time_zone`. `fingerprint` is that of the last scheduled result, by
    which a change is seen.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="saved")
    title = models.CharField(max_length=200)
    note = models.CharField(max_length=300, blank=True)
    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL, related_name="saved_questions")
    program = models.JSONField()
    parameters = models.JSONField(default=list)
    owner = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="saved_questions")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="saved_as")
    created_at = models.DateTimeField(auto_now_add=True)
    cadence = models.CharField(max_length=8, choices=Cadence.choices, blank=True)
    day = models.PositiveSmallIntegerField(default=0)
    at = models.TimeField(default="07:00")
    time_zone = models.CharField(max_length=64, default="UTC")
    scheduled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    only_when_changed = models.BooleanField(default=False)
    recipients = models.ManyToManyField(User, related_name="scheduled_for_me")
    next_at = models.DateTimeField(null=True, db_index=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title

    @property
    def zone(self) -> ZoneInfo:
        return time_zones.zone_named(self.time_zone)


class SavedRun(models.Model):
    """A run of a saved question. `value` is its result in short, `number` the same where it is one."""

    saved = models.ForeignKey(SavedQuestion, on_delete=models.CASCADE, related_name="runs")
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="saved_run")
    scheduled = models.BooleanField(default=False)
    with_own_values = models.BooleanField(default=False, help_text="A reader set a parameter")
    value = models.CharField(max_length=60, blank=True)
    number = models.FloatField(null=True)
    settled = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.saved} at {self.created_at:%Y-%m-%d %H:%M}"
