"""What models cost, by day, person, model and connection, for whoever may see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from agents import permissions, spending
from agents.answers.columns_chart import Columns, columns
from agents.models import UsageEntry
from connections.models import Connection, Team, User

GROUPS = ("person", "model", "connection", "day")
FIELDS = {"model": "model_name", "day": "day"}
KEYED = {"person": ("user", "user_name"), "connection": ("connection", "connection_name")}
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
        rows=_by_key(entries, by) if by in KEYED else _grouped(entries, FIELDS[by], newest_first=by == "day"),
        chart=columns(all_days, _series(entries, measure), "$" if measure == "cost" else ""),
        by_day=by_day,
        levels=spending.levels_for(user, teams),
    )


def _grouped(entries: QuerySet[UsageEntry], field: str, *, newest_first: bool) -> list[Row]:
    found = _rows(entries.order_by().values(name=F(field)))
    return sorted(found, key=(lambda row: row.name) if newest_first else (lambda row: row.cost), reverse=True)


def _by_key(entries: QuerySet[UsageEntry], by: str) -> list[Row]:
    """One row for each person or connection, the dearest first: under its name of now, or, of one that is gone, under
    the name that was kept."""
    key, kept = KEYED[by]
    parts: dict[int | str, list[Row]] = {}
    for one in _summed(entries.order_by().values(key=F(key), name=F(kept))):
        parts.setdefault(one["key"] or one["name"], []).append(_row(one))
    names = _names_now(by, [of for of in parts if isinstance(of, int)])
    found = [replace(_sum(rows), name=names.get(of, of)) for of, rows in parts.items()]
    return sorted(found, key=lambda row: row.cost, reverse=True)


def _names_now(by: str, keys: Sequence[int]) -> Mapping[Any, str]:
    """By key. People of one name are told apart by the name that they log in with."""
    if by == "connection":
        return dict(Connection.objects.filter(pk__in=keys).values_list("pk", "name"))
    people = {one.pk: one for one in User.objects.filter(pk__in=keys)}
    names = {pk: one.get_full_name() or one.get_username() for pk, one in people.items()}
    often = Counter(names.values())
    return {pk: f"{name} ({people[pk].get_username()})" if often[name] > 1 else name for pk, name in names.items()}


def _rows(grouped: QuerySet[Any, Any]) -> list[Row]:
    return [_row(one) for one in _summed(grouped)]


def _summed(grouped: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    summed: QuerySet[Any, Any] = grouped.annotate(
        number=Count("pk"), read=Sum("input_tokens"), again=Sum("cached_tokens"), written=Sum("output_tokens"),
        money=Sum("cost"),
    )  # fmt: skip
    return summed


def _row(one: Mapping[str, Any]) -> Row:
    return Row(one["name"], one["number"], one["read"], one["again"], one["written"], float(one["money"]))


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
