"""How every page writes icons, numbers and moments."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
@cache
def icon(name: str, turning: bool = False) -> SafeString:
    """An icon of static/icons.svg. `turning` ones point down when their fold is open."""
    extra = " icon--turn" if turning else ""
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#i-{}"/></svg>', extra, static("icons.svg"), name
    )


@register.filter
def number(value: object) -> str:
    """18420 as 18,420, with a real minus sign; anything else as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}".replace("-", "\u2212")
    return "" if value is None else str(value)


@register.filter
def plural(count: int, noun: str) -> str:
    """`{{ 3|plural:"row" }}` is "3 rows"; irregular nouns as "query/queries"."""
    one, _, many = noun.partition("/")
    return f"{count:,} {one if count == 1 else many or one + 's'}"


@register.filter
def short_when(moment: datetime | None) -> str:
    """For the rail: now, 12 m, 3 h, Mon, 12 Nov."""
    if moment is None:
        return ""
    now, local = timezone.localtime(), timezone.localtime(moment)
    minutes = int((now - local).total_seconds() // 60)
    if minutes < 60:
        return f"{minutes} m" if minutes > 0 else "now"
    if minutes < 24 * 60:
        return f"{minutes // 60} h"
    return f"{local:%a}" if minutes < 6 * 24 * 60 else _day(local)


@register.filter
def list_when(moment: datetime | None) -> str:
    """For lists: the time today, else the day, with the year where it is another one."""
    if moment is None:
        return ""
    now, local = timezone.localtime(), timezone.localtime(moment)
    if local.date() == now.date():
        return f"{local:%H:%M}"
    return _day(local) if local.year == now.year else f"{_day(local)} {local.year}"


@register.filter
def full_when(moment: datetime | None) -> str:
    """17 Nov 2026, 14:02, in the reader's time zone."""
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    return f"{_day(local)} {local.year}, {local:%H:%M}"


@register.filter
def read_when(moment: datetime | None) -> str:
    """06:00 today, yesterday, 3 Nov."""
    if moment is None:
        return "never"
    now, local = timezone.localtime(), timezone.localtime(moment)
    days = (now.date() - local.date()).days
    return f"{local:%H:%M} today" if days == 0 else "yesterday" if days == 1 else _day(local)


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b}"
