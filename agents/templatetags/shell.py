"""The rail: menu, recent questions, who is here."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest

from agents import selectors
from agents.library import notices, reviewing
from agents.templatetags.library import is_manager, memberships
from connections.login import page_of
from connections.models import User

register = template.Library()

# A press on the theme button goes from one to the next; "" follows the system.
NEXT_THEME = {"": "light", "light": "dark", "dark": "system"}
THEME_WORDS = {"": "as the system", "light": "light", "dark": "dark"}


@register.inclusion_tag("parts/rail.html", takes_context=True)
def rail(context: dict[str, Any]) -> dict[str, Any]:
    request: HttpRequest = context["request"]
    user = request.user
    assert isinstance(user, User)
    match = request.resolver_match
    teams = memberships(request)
    manager = is_manager(request)
    return {
        "request": request,
        "user": user,
        "csrf_token": context.get("csrf_token"),
        "page": page_of(request),
        "here": match.url_name if match is not None else "",
        "manager": manager,
        "to_review": reviewing.waiting(user) if manager else 0,
        "unread": teams[0].unread if teams else notices.unread(user),  # type: ignore[attr-defined]
        "recent": selectors.recent_threads(user),
        "current_thread": context.get("current_thread"),
        "initials": _initials(user),
        "team_names": ", ".join(one.team.name for one in teams) or "No team",
        "next_theme": NEXT_THEME.get(user.theme, "light"),
        "theme_words": THEME_WORDS.get(user.theme, user.theme),
    }


def _initials(user: User) -> str:
    words = (user.get_full_name() or user.get_username()).replace(".", " ").split()
    return "".join(word[0] for word in words[:2]).upper()
