"""Words and numbers of the usage page."""

from __future__ import annotations

from datetime import date

from django import template

from agents.models import Cap
from agents.models.usage import told
from agents.spending import Level
from agents.usage import Row

register = template.Library()


@register.filter
def dollars(value: float) -> str:
    """Small sums with the digits that tell them apart."""
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


@register.filter
def short_count(number: int) -> str:
    for size, letter in ((1_000_000, "m"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f} {letter}"
    return str(number)


@register.filter
def usage_name(row: Row, kind: str) -> str:
    if isinstance(row.name, date):
        return f"{row.name.day} {row.name:%b %Y}"
    return str(row.name) or ("The site's own model" if kind == "model" else "Unknown")


@register.filter
def add_four(place: float) -> float:
    """A number at a line sits a little lower than the line."""
    return round(place + 4, 1)


@register.filter
def cap_whose(level: Level) -> str:
    return "You" if level.cap.scope == Cap.Scope.EACH_PERSON else level.cap.whose


@register.filter
def cap_used(level: Level) -> str:
    return told(level.cap.measure, level.used)


@register.filter
def cap_note(level: Level) -> str:
    whose = "You have" if level.cap.scope == Cap.Scope.EACH_PERSON else f"{level.cap.whose} has"
    return f"{whose} used {level.percent} % of the cap of {level.cap.told_amount} a {level.cap.period}."


@register.filter
def meter(level: Level) -> int:
    return min(level.percent, 100)
