"""What stays when a connection is removed: evaluations with their answers and traces, and the regression set."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import pre_delete
from django.dispatch import receiver

from agents.models import Evaluation, EvaluationState, RegressionQuestion
from connections.models import Connection


@receiver(pre_delete, sender=Connection)
def keep_what_was_measured(instance: Connection, **_: Any) -> None:
    """Under the connection's name, for the teams that have it now. What still goes on is stopped."""
    measured = Evaluation.objects.filter(connection=instance)
    teams = list(instance.teams.all())
    for evaluation in measured:
        evaluation.kept_for.set(teams)
    measured.update(connection_name=instance.name)
    measured.filter(state=EvaluationState.RUNNING).update(
        state=EvaluationState.STOPPED, error=f"The connection {instance.name} was removed."
    )
    RegressionQuestion.objects.filter(connection=instance).update(connection_name=instance.name)
