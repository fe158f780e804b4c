"""Collections: their list, one with its saved questions, one saved question with its values and schedule, saving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agents import permissions
from agents.answers.parameters import Parameter
from agents.forms import CollectionForm, SaveForm, ScheduleForm
from agents.library import collecting, scheduling, search
from agents.models import Cadence, Collection, Run, SavedQuestion, SavedRun, Status
from agents.views.objects import (
    collection_to_add_to,
    collection_to_see,
    person,
    run_to_share,
    saved_to_edit,
    saved_to_see,
)
from connections import permissions as connection_permissions
from connections.login import login_required, posts_only
from connections.models import Team, User
from connections.storable import storable

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OFFERED = 25


@dataclass(frozen=True, slots=True)
class Line:
    """A saved question in its table. `spark` are the points of its last values' line."""

    saved: SavedQuestion
    last: SavedRun | None
    spark: str
    end: tuple[float, float] | None
    schedule: str
    may_run: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def collections(request: HttpRequest) -> HttpResponse:
    user, error = person(request), ""
    if request.method == "POST":
        form = CollectionForm(request.POST)
        try:
            team = permissions.teams_to_collect_for(user).get(pk=form.cleaned_data["team"] if form.is_valid() else 0)
            made = collecting.create_collection(user=user, team=team, name=form.cleaned_data["name"],
                                                description=form.cleaned_data["description"])  # fmt: skip
        except ValidationError as refused:
            error = " ".join(refused.messages)
        except Team.DoesNotExist:
            error = "Choose a team in which you are an analyst or manager."
        else:
            return redirect("collection", made.pk)
    context = {
        "collections": collecting.collections_for(user), "teams": permissions.teams_to_collect_for(user),
        "error": error, "name": request.POST.get("name", ""), "description": request.POST.get("description", ""),
        "chosen": request.POST.get("team", ""),
    }  # fmt: skip
    return render(request, "agents/collections.html", context, status=422 if error else 200)


@login_required
@require_safe
def collection(request: HttpRequest, collection_id: int) -> HttpResponse:
    found, user = collection_to_see(request, collection_id), person(request)
    text, show = storable(request.GET.get("q", "")), request.GET.get("show", "")
    saved_questions = list(collecting.saved_in(found, text=text, show=show))
    everything = list(collecting.saved_in(found)) if text or show else saved_questions
    asking = set(connection_permissions.askable_connections(user).values_list("pk", flat=True))
    context = {
        "collection": found,
        "lines": [_line(one, may_run=one.connection_id in asking) for one in saved_questions],
        "text": text,
        "show": show,
        "all": len(everything),
        "verified": sum(hasattr(one.run, "verification") for one in everything if one.run is not None),
        "scheduled": sum(bool(one.cadence) for one in everything),
        "may_edit": permissions.may_edit_collection(user, found),
        "may_add": permissions.may_collect(user, found.team),
    }
    alone = getattr(request, "htmx", False)
    return render(request, "agents/parts/saved_list.html" if alone else "agents/collection.html", context)


@login_required
@require_safe
def add_question(request: HttpRequest, collection_id: int) -> HttpResponse:
    """One's own answers, newest first, to save one of them to this collection."""
    found, text = collection_to_add_to(request, collection_id), storable(request.GET.get("q", ""))
    answers = search.found(person(request), search.Filters(search=text, show="mine", status=Status.ANSWERED))
    runs = search.with_runs(answers[: OFFERED + 1])
    context = {"collection": found, "text": text, "runs": runs[:OFFERED], "more": len(runs) > OFFERED,
               "there": set(found.saved.values_list("run", flat=True))}  # fmt: skip
    alone = getattr(request, "htmx", False)
    return render(request, "agents/parts/add_list.html" if alone else "agents/add_question.html", context)


@login_required
@posts_only
def delete_collection(request: HttpRequest, collection_id: int) -> HttpResponse:
    found = collection_to_see(request, collection_id)
    try:
        collecting.delete_collection(user=person(request), collection=found)
    except ObjectDoesNotExist as error:
        raise Http404("This collection is not yours to delete.") from error
    return redirect("collections")


@login_required
@require_safe
def saved(request: HttpRequest, saved_id: int) -> HttpResponse:
    return _saved_page(request, saved_to_see(request, saved_id))


@login_required
@posts_only
def run_saved(request: HttpRequest, saved_id: int) -> HttpResponse:
    """The program on fresh data, with the values that the reader wrote."""
    found = saved_to_see(request, saved_id)
    values = {name.removeprefix("value-"): value for name, value in request.POST.items() if name.startswith("value-")}
    try:
        run = collecting.run_again(user=person(request), saved=found, values={k: str(v) for k, v in values.items()})
    except ValidationError as error:
        return _saved_page(request, found, error=" ".join(error.messages))
    except ObjectDoesNotExist as error:
        raise Http404("The connection of this question is not yours to ask.") from error
    return redirect("run", run.pk)


@login_required
@posts_only
def schedule(request: HttpRequest, saved_id: int) -> HttpResponse:
    found = saved_to_edit(request, saved_id)
    form = ScheduleForm(request.POST, team=found.collection.team)
    if not form.is_valid():
        refusal = "Choose a time such as 07:00, a time zone, and people of the team."
        return _saved_page(request, found, refused=form, schedule_error=refusal)
    given = form.cleaned_data
    day = given["weekday"] if given["cadence"] == Cadence.WEEKLY else given["day"]
    try:
        scheduling.schedule(
            user=person(request), saved=found, cadence=given["cadence"], day=day or 0, at=given["at"] or found.at,
            recipients=given["recipients"], only_when_changed=given["only_when_changed"], zone=given["zone"],
        )  # fmt: skip
    except ValidationError as error:
        return _saved_page(request, found, refused=form, schedule_error=" ".join(error.messages))
    messages.success(request, "The schedule is set." if given["cadence"] else "The schedule is off.")
    return redirect("saved", found.pk)


@login_required
@posts_only
def delete_saved(request: HttpRequest, saved_id: int) -> HttpResponse:
    found = saved_to_edit(request, saved_id)
    collecting.delete_saved(user=person(request), saved=found)
    return redirect("collection", found.collection_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def save(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The dialogue that keeps an answer in a collection."""
    run, error = run_to_share(request, run_id), ""
    form = SaveForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            kept = _save(request, run, form)
        except ValidationError as refused:
            error = " ".join(refused.messages)
        else:
            return redirect("saved", kept.pk)
    user, alone = person(request), getattr(request, "htmx", False)
    teams = permissions.teams_to_collect_for(user)
    context = {
        "run": run, "form": form, "error": error, "teams": teams, "title": run.question.text[:200],
        "place": form["place"].value() or f"collection:{request.GET.get('place', '')}",
        "places": _places(user),
        "parameters": _opened(request, run),
    }  # fmt: skip
    template = "agents/parts/save_dialog.html" if alone else "agents/save.html"
    return render(request, template, context, status=422 if error and not alone else 200)


def _opened(request: HttpRequest, run: Run) -> list[tuple[int, Parameter, str, bool]]:
    """The values that readers may be let set, with their names and whether they are ticked, as they were sent."""
    ticked = request.POST.getlist("parameter")
    return [(place, one, request.POST.get(f"name-{place}", one.name), str(place) in ticked)
            for place, one in enumerate(collecting.values_to_open(run))]  # fmt: skip


def _places(user: User) -> list[tuple[str, str]]:
    """Where `user` may save, as the form names it and as it is shown."""
    teams = permissions.teams_to_collect_for(user)
    there = collecting.collections_for(user).filter(team__in=teams)
    new = [(f"team:{team.pk}", f"New collection of {team.name}") for team in teams]
    return [(f"collection:{one.pk}", f"{one.name} ({one.team.name})") for one in there] + new


def _save(request: HttpRequest, run: Run, form: SaveForm) -> SavedQuestion:
    user, given = person(request), form.cleaned_data
    kind, _, key = given["place"].partition(":")
    number = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else 0
    names = {int(place): storable(request.POST.get(f"name-{place}", "")) for place in request.POST.getlist("parameter")
             if place.isascii() and place.isdigit() and len(place) < 5}  # fmt: skip
    try:
        with transaction.atomic():  # an answer that is refused leaves no empty collection
            if kind == "team":
                team = permissions.teams_to_collect_for(user).get(pk=number)
                place = collecting.create_collection(user=user, team=team, name=given["name"])
            else:
                place = collecting.collection_to_see(user, number)
            return collecting.save(
                user=user, run=run, collection=place, title=given["title"], note=given["note"], names=names
            )
    except (Collection.DoesNotExist, Team.DoesNotExist) as error:
        raise ValidationError("Choose a collection.") from error
    except ObjectDoesNotExist as error:
        raise Http404("This cannot be saved there by you.") from error


def _saved_page(
    request: HttpRequest, found: SavedQuestion, *, error: str = "", refused: ScheduleForm | None = None,
    schedule_error: str = "",
) -> HttpResponse:  # fmt: skip
    """What was written in the `refused` schedule stays."""
    user = person(request)
    may_run = permissions.may_run_saved(user, found)
    written = {name.removeprefix("value-"): value for name, value in request.POST.items() if name.startswith("value-")}
    fields = [(one, written.get(one.name, one.value)) for one in collecting.parameters(found)]
    context: dict[str, Any] = {
        "saved": found,
        "runs": found.runs.filter(run__in=permissions.visible_runs(user)).select_related("run")[:12],
        "fields": fields,
        "may_run": may_run,
        "may_edit": permissions.may_edit_saved(user, found),
        "members": found.collection.team.members.filter(is_active=True),
        "schedule": refused or ScheduleForm.showing(found, user),
        "cadences": Cadence.choices,
        "weekdays": list(enumerate(WEEKDAYS)),
        "days": range(1, scheduling.LAST_DAY + 1),
        "zones": list(dict.fromkeys([scheduling.zone_to_set(user, found).key, user.zone.key])),
        "schedule_words": _schedule(found),
        "error": error,
        "schedule_error": schedule_error,
    }
    return render(request, "agents/saved.html", context, status=422 if error or schedule_error else 200)


def _line(one: SavedQuestion, *, may_run: bool) -> Line:
    runs: list[SavedRun] = one.told_runs  # type: ignore[attr-defined]  # as collecting.saved_in prefetches them
    numbers = [run.number for run in reversed(runs) if run.number is not None]
    points = _points(numbers)
    spark = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Line(one, runs[0] if runs else None, spark, points[-1] if points else None, _schedule(one), may_run)


def _points(numbers: list[float]) -> list[tuple[float, float]]:
    """From left to right in a picture of 86 by 22."""
    if len(numbers) < 2:
        return []
    low, high = min(numbers), max(numbers)
    return [(place * 84 / (len(numbers) - 1), 22 - 20 * ((number - low) / (high - low) if high > low else 0.5))
            for place, number in enumerate(numbers)]  # fmt: skip


def _schedule(one: SavedQuestion) -> str:
    at = f"{one.at:%H:%M} ({one.zone.key})" if hasattr(one.at, "hour") else f"{one.at} ({one.zone.key})"
    words = {"": "", "daily": f"Daily {at}", "weekly": f"{WEEKDAYS[one.day % 7]}s {at}",
             "monthly": f"Day {one.day} of the month, {at}"}  # fmt: skip
    return words[one.cadence]
