"""Pages about connections and about the person: which databases there are, what is in them, one's own settings."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from connections import browsing, permissions, selectors
from connections.forms import SettingsForm, ThemeForm
from connections.login import login_required, posts_only
from connections.models import Connection, User
from connections.storable import storable


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def connection_to_browse(request: HttpRequest, connection_id: int) -> Connection:
    try:
        return selectors.connection_to_browse(person(request), connection_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such connection among those of your teams.") from error


@login_required
@require_safe
def connection_list(request: HttpRequest) -> HttpResponse:
    user = person(request)
    found = selectors.connections_to_show(user).prefetch_related("teams")
    askable = set(selectors.connections_to_ask(user).values_list("pk", flat=True))
    context = {"connections": found, "askable": askable, "may_manage": permissions.may_manage_connections(user)}
    return render(request, "connections/list.html", context)


def _wanted(request: HttpRequest) -> browsing.Wanted:
    given = storable(request.GET.dict())
    return browsing.Wanted(
        search=given.get("q", ""), schema=given.get("schema", ""), table=given.get("table", ""),
        page=given.get("page", ""), column=given.get("c", ""), column_page=given.get("columns", ""),
        about=given.get("about", ""),
    )  # fmt: skip


@login_required
@require_safe
def schema(request: HttpRequest, connection_id: int) -> HttpResponse:
    """The catalogue: searchable tables at the left, one of them at the right."""
    return schema_page(request, connection_to_browse(request, connection_id), _wanted(request))


def schema_page(
    request: HttpRequest, connection: Connection, wanted: browsing.Wanted, *, refused: str = "", refusal: str = ""
) -> HttpResponse:
    """With the text of a note that was `refused`, and why, where it was written."""
    user, snapshot = person(request), selectors.snapshot_of(connection)
    listing = browsing.browse(snapshot, selectors.notes_of(connection), wanted) if snapshot else None
    detail = listing.detail if listing else None
    text = detail.about_note if detail else ""
    if refusal and detail and (detail.table.qualified, detail.about) == (wanted.table, wanted.about):
        text = refused
    context = {
        "connection": connection,
        "address": reverse("schema", args=[connection.pk]),
        "snapshot": snapshot,
        "listing": listing,
        "note": selectors.note_about(connection, detail.table, detail.about) if detail else None,
        "refresh": selectors.refresh_of(connection),
        "may_ask": permissions.may_ask(user, connection),
        "may_manage": permissions.may_manage_connections(user),
        "may_write_notes": permissions.may_write_notes(user, connection),
        "text": text,
        "refusal": refusal,
    }
    return render(request, "connections/schema.html", context, status=422 if refusal else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest) -> HttpResponse:
    """Theme, time zone, shortcuts."""
    user = person(request)
    form = SettingsForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Settings saved")
        return redirect("settings")
    context = {"form": form, "zones": sorted(available_timezones()), "teams": user.memberships.select_related("team")}
    return render(request, "connections/settings.html", context, status=422 if form.errors else 200)


@login_required
@posts_only
def theme(request: HttpRequest) -> HttpResponse:
    """Light, dark or as the system; back to where the person was."""
    form = ThemeForm(request.POST)
    if form.is_valid():
        user = person(request)
        user.theme = "" if form.cleaned_data["theme"] == "system" else form.cleaned_data["theme"]
        user.save(update_fields=["theme"])
    back = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return redirect(back if safe else "/")
