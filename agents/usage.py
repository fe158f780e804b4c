"""What models cost, by day, person, model and connection, for whoever may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from agents import permissions, spending
from agents.answers.columns_chart import Columns, columns
from agents.models import UsageEntry
from connections.models import Team, User

GROUPS = {"person": "user_name", "model": "model_name", "connection": "connection_name", "day": "day"}
MOST_SERIES = 5  # further models are drawn as one


@dataclass(frozen=True, slots=True)
class Row:
    name: Any
    questions: int
    input: int
    cached: int
    output: int
    cost: float

    @property
    def tokens(self) -> int:
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class Report:
    days: int
    by: str
    total: Row
    cached_percent: int
    median_cost: float
    rows: Sequence[Row]
    chart: Columns
    by_day: Sequence[Row]
    levels: Sequence[spending.Level]


def report(user: User, *, team: Team | None, days: int, by: str, measure: str) -> Report:
    """The last `days` days, today included. `team` narrows to one; `measure` is what the chart shows."""
    spending.settle()
    today = timezone.localdate()
    first = today - timedelta(days=days - 1)
    entries = permissions.visible_usage(user).annotate(day=TruncDate("at")).filter(day__gte=first)
    if team is not None:
        entries = entries.filter(team=team)
    by_day = _grouped(entries, "day", newest_first=True)
    whole = _sum(by_day)
    costs = [float(cost) for cost in entries.exclude(closed_at=None).values_list("cost", flat=True)]
    all_days = [first + timedelta(days=number) for number in range(days)]
    teams = [team] if team is not None else list(permissions.teams_with_usage(user))
    return Report(
        days=days,
        by=by,
        total=whole,
        cached_percent=round(100 * whole.cached / whole.input) if whole.input else 0,
        median_cost=median(costs) if costs else 0.0,
        rows=_grouped(entries, GROUPS[by], newest_first=by == "day"),
        chart=columns(all_days, _series(entries, measure), "$" if measure == "cost" else ""),
        by_day=by_day,
        levels=spending.levels_for(user, teams),
    )


def _grouped(entries: QuerySet[UsageEntry], field: str, *, newest_first: bool) -> list[Row]:
    found = _rows(entries.order_by().values(name=F(field)))
    return sorted(found, key=(lambda row: row.name) if newest_first else (lambda row: row.cost), reverse=True)


def _rows(grouped: QuerySet[Any, Any]) -> list[Row]:
    summed = grouped.annotate(
        number=Count("pk"), read=Sum("input_tokens"), again=Sum("cached_tokens"), written=Sum("output_tokens"),
        money=Sum("cost"),
    )  # fmt: skip
    return [
        Row(one["name"], one["number"], one["read"], one["again"], one["written"], float(one["money"]))
        for one in summed
    ]


def _sum(rows: Sequence[Row]) -> Row:
    names = ("questions", "input", "cached", "output", "cost")
    return Row("", *(sum(getattr(row, name) for row in rows) for name in names))


def _series(entries: QuerySet[UsageEntry], measure: str) -> Mapping[str, Mapping[date, float]]:
    """By model, the dearest first, at most MOST_SERIES and one of all others."""
    sums: dict[str, dict[date, float]] = {}
    by_day = entries.order_by().annotate(day=TruncDate("at"))
    grouped = by_day.values("model_name", "day").annotate(
        money=Sum("cost"), read=Sum("input_tokens"), written=Sum("output_tokens")
    )  # fmt: skip
    for one in grouped:
        value = float(one["money"]) if measure == "cost" else float(one["read"] + one["written"])
        sums.setdefault(one["model_name"] or "The site's own model", {})[one["day"]] = value
    ordered = sorted(sums.items(), key=lambda item: -sum(item[1].values()))
    shown = dict(ordered[:MOST_SERIES])
    rest: dict[date, float] = {}
    for _, values in ordered[MOST_SERIES:]:
        for day, value in values.items():
            rest[day] = rest.get(day, 0.0) + value
    return {**shown, "Others": rest} if rest else shown
