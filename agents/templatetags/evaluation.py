"""Words and numbers of evaluations, and the way to them from a connection."""

from __future__ import annotations

from typing import Any

from django import template

from agents import permissions
from agents.templatetags.library import is_manager
from connections.models import Connection

register = template.Library()


@register.inclusion_tag("agents/parts/evaluate_link.html", takes_context=True)
def evaluate_link(context: dict[str, Any], connection: Connection) -> dict[str, Any]:
    request = context["request"]
    may = is_manager(request) and permissions.may_evaluate(request.user, connection)
    return {"connection": connection, "may_evaluate": may}


@register.filter
def percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1f} %"


@register.filter
def bounds(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.1f} to {interval[1]:.1f}"


@register.filter
def points(value: float) -> str:
    """A difference with its sign, a real minus."""
    return f"{value:+.1f}".replace("-", "\u2212")


@register.filter
def point_bounds(interval: tuple[float, float]) -> str:
    return f"{points(interval[0])} to {points(interval[1])}"


@register.filter
def p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def time_left(seconds: float | None) -> str:
    """Seconds as a person would say them."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"about {max(round(seconds / 5) * 5, 5)} seconds left"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minutes left"
    return f"about {round(minutes / 60)} hours left"


@register.filter
def tenth(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}".replace("-", "\u2212")


@register.filter
def whole(value: float) -> str:
    return f"{value:,.0f}"


@register.filter
def colour_place(position: int) -> int:
    """The class f1 … f6 of a series."""
    return position % 6 + 1
