"""The usage page: each number is right, and nobody sees what is not theirs to see."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from agents import usage
from agents.answers.columns_chart import columns
from agents.models import Cap, UsageEntry
from connections.models import Role, Team, User
from tests.server.conftest import Cast


def entry(
    user: User, team: Team | None, cost: str, *, days_ago: int = 0, model: str = "Cloud", tokens: int = 1_000
) -> None:
    at = timezone.now() - timedelta(days=days_ago)
    UsageEntry.objects.create(
        run_id=uuid4(), at=at, closed_at=at, user=user, user_name=user.username, team=team, connection_name="Shop",
        model_name=model, input_tokens=tokens, cached_tokens=tokens // 2, output_tokens=10, cost=Decimal(cost),
    )  # fmt: skip


@pytest.fixture
def spent(cast: Cast) -> Cast:
    """Ada spent in Retail, Cleo elsewhere; Ben manages Retail."""
    cast.team.memberships.filter(user=cast.ben).update(role=Role.MANAGER)
    entry(cast.ada, cast.team, "1.50")
    entry(cast.ada, cast.team, "0.25", days_ago=3, model="Small")
    entry(cast.ada, cast.team, "100", days_ago=60)
    entry(cast.cleo, Team.objects.get(name="Elsewhere"), "7")
    return cast


def told(user: User, **given: Any) -> usage.Report:
    return usage.report(user, **{"team": None, "days": 30, "by": "person", "measure": "cost", **given})


@pytest.mark.parametrize(
    ("person", "cost"), [("ada", 1.75), ("ben", 1.75), ("cleo", 7.0), ("root", 8.75)]
)
def test_managers_see_their_team_staff_see_all_and_others_themselves(spent: Cast, person: str, cost: float) -> None:
    User.objects.create_superuser("root")
    assert told(User.objects.get(username=person)).total.cost == cost


def test_a_team_mate_sees_nothing_of_the_others(spent: Cast) -> None:
    spent.team.memberships.filter(user=spent.ben).update(role=Role.ANALYST)
    assert told(spent.ben).total.questions == 0


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("person", [("ada", 2, 1.75)]),
        ("model", [("Cloud", 1, 1.5), ("Small", 1, 0.25)]),
        ("connection", [("Shop", 2, 1.75)]),
    ],
)
def test_each_group_adds_up(spent: Cast, by: str, rows: list[Any]) -> None:
    assert [(row.name, row.questions, row.cost) for row in told(spent.ben, by=by).rows] == rows


def test_people_of_one_name_are_two_and_one_who_was_renamed_is_one(cast: Cast) -> None:
    for user in (cast.ada, cast.ben):
        User.objects.filter(pk=user.pk).update(first_name="Anna", last_name="Müller")
    for user, kept in ((cast.ada, "Anna Müller"), (cast.ada, "Anna Schmidt"), (cast.ben, "Anna Müller")):
        entry(user, cast.team, "1")
        UsageEntry.objects.filter(pk=UsageEntry.objects.latest("pk").pk).update(user_name=kept)
    root = User.objects.create_superuser("root")
    assert [(row.name, row.cost) for row in told(root).rows] == [("Anna Müller (ada)", 2.0), ("Anna Müller (ben)", 1.0)]
    cast.ada.delete()
    assert {(row.name, row.cost) for row in told(root).rows} == {("Anna Müller", 1.0), ("Anna Schmidt", 1.0)}, "of two"


def test_a_connection_that_was_renamed_is_one(cast: Cast) -> None:
    for name in ("Shop", "Old shop"):
        entry(cast.ada, cast.team, "1")
        newest = UsageEntry.objects.filter(pk=UsageEntry.objects.latest("pk").pk)
        newest.update(connection=cast.shop, connection_name=name)
    assert [(row.name, row.questions) for row in told(cast.ada, by="connection").rows] == [("Shop", 2)]


def test_the_page_says_it_in_words_numbers_and_a_table(spent: Cast, client: Client) -> None:
    Cap.objects.create(scope="team", team=spent.team, amount=2, period="month")
    entry(spent.ada, spent.team, "0.05")
    client.force_login(spent.ben, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/usage/?by=model&days=7").content.decode()
    for words in ("$1.80", "Small", "3,000", "The numbers, day by day", "$2.00 a month"):
        assert words in page
    assert "Elsewhere" not in page
    assert client.get("/usage/?days=nonsense&team=999&by=x").status_code == 200


def test_near_a_cap_the_page_warns(spent: Cast, client: Client) -> None:
    Cap.objects.create(scope="person", user=spent.ada, amount=101.8, period="month")
    UsageEntry.objects.update(at=timezone.now())
    client.force_login(spent.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert "ada has used 100 % of the cap of $101.80 a month" in client.get("/usage/").content.decode()


def test_columns_stand_on_each_other_and_stay_inside() -> None:
    days = [date(2026, 11, 1) + timedelta(days=number) for number in range(30)]
    series = {"a": {days[0]: 3.0, days[29]: 1.0}, "b": {days[0]: 5.0}}
    drawn = columns(days, series, "$")
    first = [bar for bar in drawn.bars if bar.x < 60]
    assert [bar.series for bar in first] == [1, 2]
    assert first[1].y < first[0].y
    assert all(bar.y >= 10 and bar.y + bar.height <= 186 and bar.x + bar.width <= 920 for bar in drawn.bars)
    assert [line.text for line in drawn.lines] == ["$0", "$2", "$4", "$6", "$8"]


def test_a_chart_of_nothing_is_an_empty_one() -> None:
    assert columns([date(2026, 11, 1)], {}).bars == []
