"""The share dialogue, revoking, and opening a link."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from agents import permissions
from agents.forms import ShareForm
from agents.library import sharing
from agents.models import Run
from agents.views.objects import person, run_to_see, run_to_share, share_to_revoke
from connections.login import login_required, posts_only


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The dialogue; sent, it shares, and shows a new link this once."""
    run = run_to_share(request, run_id)
    if request.method != "POST":
        return _dialogue(request, run, ShareForm())
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _dialogue(request, run, form, status=422)
    user, days = person(request), form.cleaned_data["days"]
    try:
        people, teams = sharing.named(user, form.cleaned_data["audience"])
    except ValidationError as error:
        form.add_error("audience", error)
        return _dialogue(request, run, form, status=422)
    sharing.share(user=user, run=run, people=people, teams=teams, days=days)
    if not form.cleaned_data["link"]:
        return _dialogue(request, run, ShareForm(), done=bool(people or teams))
    token = sharing.make_link(user=user, run=run, days=days)
    address = request.build_absolute_uri(reverse("open_link", args=[token]))
    return _dialogue(request, run, ShareForm(), link=address, done=True)


@login_required
@posts_only
def revoke(request: HttpRequest, share_id: UUID) -> HttpResponse:
    found = share_to_revoke(request, share_id)
    sharing.revoke(user=person(request), share=found)
    return _dialogue(request, found.run, ShareForm())


@login_required
@never_cache
@require_safe
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    try:
        run = sharing.open_link(user=person(request), token=token)
    except ObjectDoesNotExist as error:
        raise Http404("This link was never made, was revoked, or has expired.") from error
    return redirect("run", run.pk)


@login_required
@posts_only
def ask_for_access(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = run_to_see(request, run_id)
    try:
        told = sharing.ask_for_access(user=person(request), run=run)
        words = "The managers of its teams were told." if told else "Its teams have no manager: ask an administrator."
    except ValidationError as refused:
        words = " ".join(refused.messages)
    except ObjectDoesNotExist as error:
        raise Http404("The connection of this run was deleted.") from error
    messages.info(request, words)
    return redirect("run", run.pk)


def _dialogue(request: HttpRequest, run: Run, form: ShareForm, *, status: int = 200, **more: Any) -> HttpResponse:
    """To htmx the dialogue alone, otherwise a page of its own."""
    user = person(request)
    context = {
        "run": run,
        "form": form,
        "audiences": sharing.shares_of(run),
        "names": sharing.offered_names(
            permissions.people_to_share_with(user), permissions.teams_to_share_with(user)
        ),
        "connection": run.question.thread.connection,
        **more,
    }
    to_htmx = getattr(request, "htmx", False)
    template = "agents/parts/share_dialog.html" if to_htmx else "agents/share.html"
    return render(request, template, context, status=200 if to_htmx else status)
