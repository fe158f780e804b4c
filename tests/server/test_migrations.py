"""Migrations go forward and back, and what people keep goes with them, on both engines."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps as apps_now
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

BEFORE = "0013_votes_of_systems"

pytestmark = pytest.mark.usefixtures("own_url")


def migrate(*target: str) -> Any:
    """To the target, or to the newest; returns the models as they are then."""
    call_command("migrate", *target, verbosity=0)
    return MigrationExecutor(connection).loader.project_state([target]).apps if target else apps_now


def furnish(apps: Any) -> None:
    ada = apps.get_model("connections", "User").objects.create(username="ada")
    shop = apps.get_model("connections", "Connection").objects.create(name="Shop", kind="sqlite", database="x")
    thread = apps.get_model("agents", "Thread").objects.create(owner=ada, connection=shop, title="How many?")
    question = apps.get_model("agents", "Question").objects.create(thread=thread, position=1, text="?", asked_by=ada)
    run = apps.get_model("agents", "Run").objects.create(question=question, strategy="react")
    apps.get_model("agents", "Notice").objects.create(user=ada, kind="comment", run=run)
    apps.get_model("agents", "Evaluation").objects.create(name="One", connection=shop, began_at=timezone.now())
    apps.get_model("agents", "RegressionQuestion").objects.create(connection=shop, text="How many?")


def counted(apps: Any) -> dict[str, int]:
    names = ("Notice", "Evaluation", "RegressionQuestion", "Run")
    return {name: apps.get_model("agents", name).objects.count() for name in names}


def test_what_is_there_before_is_there_after_and_after_the_way_back() -> None:
    before = migrate("agents", BEFORE)
    furnish(before)
    whole = {"Notice": 1, "Evaluation": 1, "RegressionQuestion": 1, "Run": 1}
    now = migrate()
    assert counted(now) == whole
    assert counted(migrate("agents", BEFORE)) == whole
    now = migrate()
    now.get_model("connections", "Connection").objects.all().delete()
    assert counted(now) == whole
    kept = counted(migrate("agents", BEFORE))
    assert kept == {**whole, "RegressionQuestion": 0}, "the version before has no place for those without a connection"
    assert migrate().get_model("agents", "Evaluation").objects.get().name == "One"


def test_a_schedule_keeps_its_rights_and_clock_and_the_question_its_owner() -> None:
    before = migrate("agents", "0016_drafts_that_vote")
    furnish(before)
    mona = before.get_model("connections", "User").objects.create(username="mona", time_zone="America/New_York")
    ada, run = before.get_model("connections", "User").objects.get(username="ada"), before.get_model("agents", "Run")
    team = before.get_model("connections", "Team").objects.create(name="Retail")
    place = before.get_model("agents", "Collection").objects.create(team=team, name="Reports")
    for title, owner, more in (("Set by Mona", mona, {"cadence": "daily"}), ("Unset by Mona", mona, {}),
                               ("Of nobody now", None, {"cadence": "daily"}), ("Of Ada", ada, {})):  # fmt: skip
        before.get_model("agents", "SavedQuestion").objects.create(
            collection=place, title=title, program=[], owner=owner, run=run.objects.get(), **more
        )
    found = migrate().get_model("agents", "SavedQuestion").objects.order_by("pk")
    assert list(found.values_list("owner__username", "scheduled_by__username", "time_zone")) == [
        ("ada", "mona", "America/New_York"), ("ada", None, "America/New_York"), (None, None, "UTC"),
        ("ada", None, "UTC"),
    ]  # fmt: skip
    back = migrate("agents", "0016_drafts_that_vote").get_model("agents", "SavedQuestion").objects.order_by("pk")
    assert list(back.values_list("owner__username", flat=True)) == ["mona", "ada", None, "ada"]


def test_no_model_lacks_its_migration() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
