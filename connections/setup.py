"""Pages for who sets connections up: the form, the test, reading the catalogue again, notes for the model."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from connections import permissions, selectors, services
from connections.browsing import Wanted
from connections.forms import ConnectionForm, NoteForm
from connections.login import login_required, posts_only
from connections.models import Connection
from connections.storable import storable
from connections.views import connection_to_browse, person, schema_page


def connection_to_manage(request: HttpRequest, connection_id: int) -> Connection:
    try:
        return selectors.connection_to_manage(person(request), connection_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such connection among those that you set up.") from error


@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    if not permissions.may_manage_connections(person(request)):
        raise Http404("Connections are set up by administrators.")
    return _form(request, Connection(port=None))


@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, connection_id: int) -> HttpResponse:
    return _form(request, connection_to_manage(request, connection_id))


def _form(request: HttpRequest, connection: Connection) -> HttpResponse:
    """The form; a good one is saved and leads to the test, or to the catalogue."""
    teams = list(connection.teams.values_list("pk", flat=True)) if connection.pk else []
    form = ConnectionForm(request.POST or None, instance=connection, initial={"teams": teams})
    if request.method == "POST" and form.is_valid() and _saved(request, form):
        messages.success(request, f"{form.instance.name} is saved")
        page = "connection_test" if "test" in request.POST else "schema"
        return redirect(page, form.instance.pk)
    name = Connection.objects.values_list("name", flat=True).get(pk=connection.pk) if connection.pk else ""
    context = {"form": form, "name": name, "connection": connection}
    return render(request, "connections/form.html", context, status=422 if form.errors else 200)


def _saved(request: HttpRequest, form: ConnectionForm) -> bool:
    try:
        services.save_connection(form.instance, actor=person(request), password=form.secret)
    except ValidationError as error:
        form.add_error(None, error)
        return False
    services.set_teams(form.instance, form.cleaned_data["teams"], actor=person(request))
    return True


@login_required
@posts_only
def remove(request: HttpRequest, connection_id: int) -> HttpResponse:
    connection = connection_to_manage(request, connection_id)
    services.delete_connection(connection, actor=person(request))
    messages.success(request, f"{connection.name} is removed. What was asked and measured of it stays.")
    return redirect("connections")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def test(request: HttpRequest, connection_id: int) -> HttpResponse:
    """Where the test is begun; posted to, it tries the stored connection and shows each step."""
    connection = connection_to_manage(request, connection_id)
    context: dict[str, Any] = {"connection": connection}
    if request.method == "POST":
        found = services.test_connection(connection, actor=person(request))
        context |= {
            "found": found, "at": timezone.now(), "seconds": sum(step.ms for step in found.steps) / 1000,
            "passed": sum(step.state == "ok" for step in found.steps),
            "failed": [step for step in found.steps if step.state == "failed"],
            "warned": [step for step in found.steps if step.state == "warning"],
        }  # fmt: skip
    return render(request, "connections/test.html", context)


@login_required
@posts_only
def refresh(request: HttpRequest, connection_id: int) -> HttpResponse:
    """Ask a worker to read the catalogue again; the page then follows how that goes."""
    connection = connection_to_manage(request, connection_id)
    services.queue_refresh(connection, actor=person(request))
    return redirect("schema", connection.pk)


@login_required
@require_safe
def refreshing(request: HttpRequest, connection_id: int) -> HttpResponse:
    """How reading the catalogue goes, as a fragment that asks again while it goes on."""
    connection = connection_to_browse(request, connection_id)
    context = {"connection": connection, "refresh": selectors.refresh_of(connection), "followed": True}
    return render(request, "connections/refresh.html", context)


@login_required
@posts_only
def note(request: HttpRequest, connection_id: int) -> HttpResponse:
    """Keep what the model is told about a table or a column, and lead back to it."""
    connection = connection_to_browse(request, connection_id)
    if not permissions.may_write_notes(person(request), connection):
        raise Http404("Notes are written by managers of a team that may ask this connection.")
    form, table = NoteForm(request.POST), storable(request.POST.get("table", ""))
    if not form.is_valid():
        wanted = Wanted(table=table, about=storable(request.POST.get("column", "")))
        why = " ".join(str(error) for errors in form.errors.values() for error in errors)
        text = request.POST.get("text", "")
        return schema_page(request, connection, wanted, refused=text, refusal=f"The note was not saved. {why}")
    services.save_note(connection, **form.cleaned_data, actor=person(request))
    messages.success(request, "The note is saved")
    return redirect(f"{reverse('schema', args=[connection.pk])}?{urlencode({'table': table})}")
