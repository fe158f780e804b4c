"""What stands on an answer for sharing, judging and talking about it, decided by the reader's rights."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest

from agents import permissions
from agents.library import notices
from agents.models import Reason, Run
from connections.models import Membership, Role, User

register = template.Library()


@register.inclusion_tag("agents/parts/result_actions.html", takes_context=True)
def result_actions(context: dict[str, Any]) -> dict[str, Any]:
    run, user = _run_and_user(context)
    return {"run": run, "prefix": context.get("prefix", ""), "may_share": permissions.may_share(user, run)}


@register.inclusion_tag("agents/parts/result_verdict.html", takes_context=True)
def result_verdict(context: dict[str, Any]) -> dict[str, Any]:
    run, user = _run_and_user(context)
    verdict = next((one for one in run.feedback.all() if one.user_id == user.pk), None)
    return {
        "csrf_token": context.get("csrf_token"),
        "run": run,
        "verdict": verdict,
        "reasons": Reason.choices,
        "error": context.get("verdict_error", ""),
        "focus": context.get("focus", ""),
        "verification": getattr(run, "verification", None),
        "in_regression_set": getattr(run, "in_regression_set", None),
        "may_verify": is_manager(context["request"]) and permissions.may_verify(user, run),
    }


def is_manager(request: Any) -> bool:
    """Of any team; asked for once a page, however many answers are on it."""
    return any(one.role == Role.MANAGER for one in memberships(request))


def memberships(request: Any) -> list[Membership]:
    """The person's teams, read once a page."""
    if not hasattr(request, "memberships"):
        request.memberships = list(notices.memberships(request.user))
    found: list[Membership] = request.memberships
    return found


@register.simple_tag(takes_context=True)
def typed_comment(context: dict[str, Any]) -> str:
    """What somebody wrote about this run before they had to log in again: the address of the run's page holds it."""
    request: HttpRequest = context["request"]
    about = request.resolver_match.kwargs.get("run_id") if request.resolver_match is not None else None
    return request.GET.get("comment", "") if about == context["run"].pk else ""


@register.filter
def verified(run: Run) -> bool:
    return getattr(run, "verification", None) is not None


@register.filter
def name_of(user: User | None) -> str:
    return (user.get_full_name() or user.get_username()) if user is not None else "a deleted person"


def _run_and_user(context: dict[str, Any]) -> tuple[Run, User]:
    user = context["request"].user
    assert isinstance(user, User)
    return context["run"], user
