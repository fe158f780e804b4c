"""What stands on an answer for sharing and judging it, decided by the reader's rights."""

from __future__ import annotations

from typing import Any

from django import template

from agents import permissions
from agents.models import Run
from connections.models import User

register = template.Library()


@register.inclusion_tag("agents/parts/result_actions.html", takes_context=True)
def result_actions(context: dict[str, Any]) -> dict[str, Any]:
    run, user = _run_and_user(context)
    return {"run": run, "prefix": context.get("prefix", ""), "may_share": permissions.may_share(user, run)}


@register.inclusion_tag("agents/parts/result_verdict.html", takes_context=True)
def result_verdict(context: dict[str, Any]) -> dict[str, Any]:
    run, _ = _run_and_user(context)
    return {"run": run}


def _run_and_user(context: dict[str, Any]) -> tuple[Run, User]:
    user = context["request"].user
    assert isinstance(user, User)
    return context["run"], user
