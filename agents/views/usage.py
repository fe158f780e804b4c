"""The usage page: tokens and money by day, person, model and connection, and how full the caps are."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from agents import permissions
from agents import usage as figures
from agents.views.objects import person
from connections.login import login_required
from connections.models import Team

PERIODS = {"7": "Last 7 days", "30": "Last 30 days", "90": "Last 90 days"}
NEAR = 80  # percent of a cap from which the page warns


class UsageForm(forms.Form):
    team = forms.ModelChoiceField(Team.objects.none(), required=False)
    days = forms.ChoiceField(choices=list(PERIODS.items()), required=False)
    by = forms.ChoiceField(choices=[(name, name) for name in figures.GROUPS], required=False)
    show = forms.ChoiceField(choices=[("cost", "Cost"), ("tokens", "Tokens")], required=False)


@login_required
@require_safe
def usage(request: HttpRequest) -> HttpResponse:
    user = person(request)
    teams = permissions.teams_with_usage(user)
    form = UsageForm(request.GET)
    form.fields["team"].queryset = teams  # type: ignore[attr-defined]
    form.is_valid()  # what cannot be read is left out
    given = form.cleaned_data
    team, days = given.get("team"), given.get("days") or "30"
    by, show = given.get("by") or "person", given.get("show") or "cost"
    report = figures.report(user, team=team, days=int(days), by=by, measure=show)
    kept: dict[str, Any] = {"days": days, **({"team": team.pk} if team else {})}
    context = {
        "report": report,
        "teams": teams,
        "team": team,
        "periods": PERIODS,
        "days": days,
        "by": by,
        "show": show,
        "groups": [(name, f"?{urlencode({**kept, 'by': name, 'show': show})}") for name in figures.GROUPS],
        "measures": [(name, f"?{urlencode({**kept, 'by': by, 'show': name})}") for name in ("cost", "tokens")],
        "near": [level for level in report.levels if level.percent >= NEAR],
        "own_only": not (user.is_staff or teams),
    }
    return render(request, "agents/usage.html", context)
