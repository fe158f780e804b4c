"""Pages about teams: who is in, what they may ask, inviting and joining."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from connections import audit, permissions, teams
from connections.login import login_required, posts_only
from connections.models import Invitation, Role, Team, User
from connections.views import person

NO_TEAM = "There is no such team among yours."


class InviteForm(forms.Form):
    email = forms.EmailField(required=False)
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANALYST)
    days = forms.IntegerField(min_value=1, max_value=90, initial=7)


class JoinForm(UserCreationForm):  # type: ignore[type-arg]  # generic for the checker only
    """Refuses a name that differs from another's in the case of its letters only: it would be taken for the other."""

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name")


def _team_to_manage(request: HttpRequest, team_id: int) -> Team:
    try:
        return teams.team_to_manage(person(request), team_id)
    except ObjectDoesNotExist as error:
        raise Http404(NO_TEAM) from error


@login_required
@require_safe
def team_list(request: HttpRequest) -> HttpResponse:
    found = permissions.visible_teams(person(request)).order_by("name").prefetch_related("memberships", "connections")
    return render(request, "connections/teams.html", {"teams": found})


@login_required
@require_safe
def team(request: HttpRequest, team_id: int) -> HttpResponse:
    try:
        found = teams.team_to_see(person(request), team_id)
    except ObjectDoesNotExist as error:
        raise Http404(NO_TEAM) from error
    return _team_page(request, found)


@login_required
@posts_only
def invite(request: HttpRequest, team_id: int) -> HttpResponse:
    """The page again, with the new link this once."""
    found, form = _team_to_manage(request, team_id), InviteForm(request.POST)
    if not form.is_valid():
        return _team_page(request, found, form=form, status=422)
    made, token = teams.invite(actor=person(request), team=found, **form.cleaned_data)
    address = request.build_absolute_uri(reverse("invitation", args=[token]))
    sent = teams.send(made, address)
    return _team_page(request, found, link=address, invited=made, sent=sent)


@login_required
@posts_only
def member(request: HttpRequest, team_id: int, user_id: int) -> HttpResponse:
    """Another role for a member, or "remove"; everybody may remove themselves."""
    user = person(request)
    try:
        found = teams.team_to_see(user, team_id)
        if request.POST.get("role") == "remove":
            teams.remove(actor=user, team=found, user_id=user_id)
        else:
            teams.change_role(actor=user, team=found, user_id=user_id, role=request.POST.get("role", ""))
    except ObjectDoesNotExist as error:
        raise Http404(NO_TEAM) from error
    except ValidationError as error:
        return _team_page(request, found, problem=" ".join(error.messages), status=422)
    return redirect("team", team_id) if permissions.visible_teams(user).filter(pk=team_id) else redirect("teams")


@login_required
@posts_only
def withdraw(request: HttpRequest, team_id: int, invitation_id: int) -> HttpResponse:
    found = _team_to_manage(request, team_id)
    try:
        teams.withdraw(actor=person(request), team=found, invitation_id=invitation_id)
    except ObjectDoesNotExist as error:
        raise Http404("This invitation is not open any more.") from error
    return redirect("team", team_id)


@sensitive_post_parameters("password1", "password2")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join: with one's account, or, where passwords are used here, with a new one."""
    try:
        found = teams.invitation_behind(token)
        if request.user.is_authenticated:
            return _join(request, found, token)
        return _sign_up(request, found, token)
    except Invitation.DoesNotExist as error:
        raise Http404("This invitation was never made, was used or withdrawn, or has expired.") from error


def _join(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    if request.method != "POST":
        return render(request, "connections/invitation.html", {"invitation": found})
    joined = teams.accept(user=person(request), token=token)
    messages.success(request, f"You are in {joined} now.")
    return redirect("home")


def _sign_up(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    may_sign_up = not settings.OIDC_SERVER_URL
    form = JoinForm(request.POST if request.method == "POST" and may_sign_up else None)
    if not form.is_valid():
        context = {"invitation": found, "form": form if may_sign_up else None}
        return render(request, "connections/invitation.html", context, status=422 if form.errors else 200)
    user: User = form.save(commit=False)
    user.email = found.email
    with transaction.atomic():  # of two who use the link at once, the second is left no account either
        user.save()
        audit.record("user added", actor=user, target=user, detail={"by": "invitation", "team": found.team.name})
        joined = teams.accept(user=user, token=token)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    messages.success(request, f"Welcome to {joined}.")
    return redirect("home")


def _team_page(
    request: HttpRequest, found: Team, *, form: InviteForm | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    user = person(request)
    manages = permissions.may_manage_team(user, found)
    context = {
        "team": found,
        "members": found.memberships.select_related("user").order_by("user__first_name", "user__username"),
        "grants": found.connections.filter(is_active=True).order_by("name"),
        "manages": manages,
        "roles": Role.choices,
        "form": form or InviteForm(),
        "invitations": teams.open_invitations(found) if manages else (),
        "mail": teams.mail_is_set_up(),
        "may_grant": permissions.may_manage_connections(user),
        **more,
    }
    return render(request, "connections/team.html", context, status=status)
