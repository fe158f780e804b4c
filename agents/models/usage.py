"""What models cost, kept beside the runs and longer than they, and the caps that stop it."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from agents.models.language_model import LanguageModel
from connections.models import Connection, Team


class UsageEntry(models.Model):
    """What one run used; written when it is asked for, as a reservation, and closed with the true figures.

    Deleting a question leaves its usage. `cost` in US dollars, 0 where the price is not known.
    """

    run_id = models.UUIDField(unique=True)
    at = models.DateTimeField(db_index=True)
    closed_at = models.DateTimeField(null=True, db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="usage")
    user_name = models.CharField(max_length=300)
    team = models.ForeignKey(Team, null=True, on_delete=models.SET_NULL, related_name="usage")
    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL, related_name="usage")
    connection_name = models.CharField(max_length=100)
    language_model = models.ForeignKey(LanguageModel, null=True, on_delete=models.SET_NULL, related_name="usage")
    model_name = models.CharField(max_length=200, blank=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=8, default=0)
    reserved_tokens = models.PositiveBigIntegerField(default=0)
    reserved_cost = models.DecimalField(max_digits=14, decimal_places=8, default=0)

    class Meta:
        verbose_name_plural = "usage"
        indexes = [models.Index(fields=["user", "at"]), models.Index(fields=["team", "at"])]

    def __str__(self) -> str:
        return f"{self.user_name} {self.at:%Y-%m-%d}"


class Cap(models.Model):
    """At most `amount` of `measure` in each period, which begins at midnight UTC, on Monday, or on the 1st."""

    class Scope(models.TextChoices):
        INSTANCE = "instance", "Everything together"
        EACH_PERSON = "each", "Every person"
        PERSON = "person", "One person"
        TEAM = "team", "One team"
        MODEL = "model", "One language model"

    class Measure(models.TextChoices):
        MONEY = "money", "US dollars"
        TOKENS = "tokens", "Tokens"
        QUESTIONS = "questions", "Questions"

    class Period(models.TextChoices):
        DAY = "day", "Day"
        WEEK = "week", "Week"
        MONTH = "month", "Month"

    scope = models.CharField(max_length=8, choices=Scope.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE)
    language_model = models.ForeignKey(LanguageModel, null=True, blank=True, on_delete=models.CASCADE)
    measure = models.CharField(max_length=9, choices=Measure.choices, default=Measure.MONEY)
    amount = models.DecimalField(max_digits=16, decimal_places=4)
    period = models.CharField(max_length=5, choices=Period.choices, default=Period.MONTH)
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [models.CheckConstraint(name="cap_is_positive", condition=Q(amount__gt=0))]

    def __str__(self) -> str:
        return f"{self.whose}: {self.told_amount} a {self.period}"

    @property
    def whose(self) -> str:
        if self.user is not None:
            return self.user.get_full_name() or self.user.get_username()
        return str(self.team or self.language_model or self.get_scope_display())

    @property
    def told_amount(self) -> str:
        return told(self.measure, float(self.amount))

    def clean(self) -> None:
        wanted = {"person": "user", "team": "team", "model": "language_model"}.get(self.scope, "")
        for name in ("user", "team", "language_model"):
            if (getattr(self, name) is not None) != (name == wanted):
                words = "Choose whose cap this is." if name == wanted else "Leave this empty: the cap is for another."
                raise ValidationError({name: words})


def told(measure: str, amount: float) -> str:
    """An amount with its unit."""
    if measure == Cap.Measure.MONEY:
        return f"${amount:,.2f}"
    noun = measure if amount != 1 else measure.removesuffix("s")
    return f"{amount:,.0f} {noun}"
