"""A month of usage with caps, for looking at the pages about teams and limits."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

from django.utils import timezone

from agents.models import Cap, UsageEntry
from connections import teams
from connections.models import Role
from tests.web.stories import Cast


def spent(people: Cast) -> str:
    """Olga manages the team and spent a month's money in it; the token of an invitation to it."""
    people.team.memberships.filter(user=people.olga).update(role=Role.MANAGER)
    for day in range(30):
        at = timezone.now() - timedelta(days=day)
        quiet = at.weekday() >= 5
        for number, (user, model) in enumerate(((people.olga, "Claude"), (people.tom, "Claude"), (people.tom, "Mini"))):
            UsageEntry.objects.create(
                run_id=uuid4(), at=at, closed_at=at, user=user, user_name=user.get_full_name(), team=people.team,
                connection=people.shop, connection_name=people.shop.name, model_name=model,
                input_tokens=9_000 * (1 if quiet else 7 - number), cached_tokens=6_000, output_tokens=700,
                cost=Decimal("0.31") if quiet else Decimal(3 + (day * 7 + number * 3) % 5) / 2,
            )  # fmt: skip
    Cap.objects.create(scope="team", team=people.team, amount=10_000, period="month")
    Cap.objects.create(scope="person", user=people.tom, amount=Decimal("0.3"), period="day")
    teams.invite(actor=people.olga, team=people.team, role="analyst", email="dora@example.com")
    return teams.invite(actor=people.olga, team=people.team, role="viewer")[1]


def full(people: Cast) -> None:
    """Olga's cap is used up."""
    people.team.memberships.filter(user=people.olga).update(role=Role.MANAGER)
    Cap.objects.create(scope="person", user=people.olga, measure="money", amount=5, period="month")
    now = timezone.now()
    UsageEntry.objects.create(
        run_id=uuid4(), at=now, closed_at=now, user=people.olga, user_name="Olga Owner", team=people.team,
        connection_name="Shop", model_name="Claude", input_tokens=10_000, output_tokens=500, cost=Decimal("5.02"),
    )  # fmt: skip
