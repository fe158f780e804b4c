"""The list of questions: search, filters, filters that are kept, deleting and sharing what is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents import permissions, services
from agents.answers import wording
from agents.answers.turns import counted
from agents.forms import HistoryForm
from agents.library import search, sharing
from agents.library.search import Filters
from agents.models import Run, Status
from agents.views.objects import key_in, person
from connections import selectors as connection_selectors
from connections.login import login_required, posts_only

PAGE = 30
SHOWN = (("", "All"), ("mine", "Mine"), ("shared", "Shared with me"))
COSTS = (("0.01", "$0.01 or more"), ("0.1", "$0.10 or more"), ("1", "$1 or more"))
_BADGES = {"failed": "badge badge--err", "clarify": "badge badge--verified", "running": "badge", "queued": "badge"}


@dataclass(frozen=True, slots=True)
class Line:
    run: Run
    own: bool
    others_have: bool
    asker: str
    connection: str
    outcome: str
    status: str
    badge: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def history(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _act(request)
    context = _context(request)
    template = "agents/parts/question_list.html" if getattr(request, "htmx", False) else "agents/history.html"
    return render(request, template, context)


@login_required
@posts_only
def save_filter(request: HttpRequest) -> HttpResponse:
    """Keep the filters of the address under a name."""
    query = _without(request.GET, "page")
    try:
        search.save_filter(user=person(request), name=request.POST.get("name", ""), query=query)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(f"{reverse('history')}?{query}")


@login_required
@posts_only
def delete_filter(request: HttpRequest, filter_id: int) -> HttpResponse:
    try:
        search.delete_filter(user=person(request), filter_id=filter_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such filter of yours.") from error
    return redirect("history")


def _act(request: HttpRequest) -> HttpResponse:
    """Delete or share what was chosen among one's own."""
    user = person(request)
    chosen = [found for text in request.POST.getlist("run") if (found := key_in(text)) is not None]
    runs = list(search.own_runs(user, chosen))
    if request.POST.get("action") == "share":
        _share(request, runs)
    elif request.POST.get("action") == "delete":
        _delete(request, {run.question.thread_id for run in runs})
    return redirect(f"{reverse('history')}?{request.GET.urlencode()}")


def _delete(request: HttpRequest, threads: set[UUID]) -> None:
    number = services.delete_threads(user=person(request), thread_ids=threads)
    if number:
        messages.success(request, f"Deleted {counted(number, 'question')}, each with its thread.")
    if stays := len(threads) - number:
        verb = "stays" if stays == 1 else "stay"
        messages.info(request, f"{counted(stays, 'question')} {verb}, because a run is at work.")


def _share(request: HttpRequest, runs: list[Run]) -> None:
    user = person(request)
    ended = [run for run in runs if permissions.may_share(user, run)]
    try:
        people, teams = sharing.named(user, request.POST.get("audience", ""))
        if not people and not teams:
            raise ValidationError("Name a person or a team.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return
    for run in ended:
        sharing.share(user=user, run=run, people=people, teams=teams, days=30)
    messages.success(request, f"Shared {len(ended)} of {len(runs)} for 30 days.")


def _context(request: HttpRequest) -> dict[str, Any]:
    user = person(request)
    people, teams = permissions.people_to_share_with(user), permissions.teams_to_share_with(user)
    form = HistoryForm(request.GET)
    form.is_valid()
    chosen = form.cleaned_data
    filters = Filters(
        search=chosen.get("q") or "", show=chosen.get("show") or "", person=chosen.get("person"),
        team=chosen.get("team"), connection=chosen.get("connection"), status=chosen.get("status") or "",
        verified=bool(chosen.get("verified")), cost=chosen.get("cost"),
    )  # fmt: skip
    page = search.page_of(search.found(user, filters), chosen.get("page") or 1, PAGE)
    total = page.paginator.count
    return {
        "filters": filters,
        "search": filters.search,
        "shown": SHOWN,
        "costs": COSTS,
        "cost": request.GET.get("cost", ""),
        "statuses": [choice for choice in Status.choices if choice[0] != "queued"],
        "connections": connection_selectors.connections_for(user),
        "names": sharing.offered_names(people, teams),
        "people": people,
        "teams": teams,
        "saved": search.saved_filters(user),
        "lines": _lines(list(page), user.pk),
        "page": page,
        "total": total,
        "all": total or search.found(user).count(),
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1),
        "query": _without(request.GET, "page"),
        "filtered": filters != Filters(),
    }


def _without(query: QueryDict, name: str) -> str:
    """The query string without one name, and without what is empty."""
    kept = query.copy()
    for key in [key for key in kept if key == name or not kept[key]]:
        del kept[key]
    return kept.urlencode()


def _lines(runs: list[Run], user_id: int) -> list[Line]:
    own = {run.question.thread_id for run in runs if run.question.thread.owner_id == user_id}
    shared = search.others_have(own) if own else set()
    return [_line(run, user_id, others_have=run.question.thread_id in shared) for run in runs]


def _line(run: Run, user_id: int, *, others_have: bool) -> Line:
    question = run.question
    connection = question.thread.connection
    return Line(
        run=run,
        own=question.thread.owner_id == user_id,
        others_have=others_have,
        asker=question.asked_by.get_full_name() or question.asked_by.get_username(),
        connection=connection.name if connection is not None else "deleted",
        outcome=_outcome(run),
        status="Asks you" if run.status == Status.CLARIFY else Status(run.status).label,
        badge=_BADGES.get(run.status, ""),
    )


def _outcome(run: Run) -> str:
    if run.status == Status.CLARIFY:
        return "Waiting for your reply"
    if run.status == Status.CANCELLED:
        return f"Stopped in turn {run.turns}" if run.turns else "Stopped before it began"
    if run.status == Status.FAILED:
        return _shortened(run.error)
    return "At work" if run.is_live else _shortened(wording.unmarked(run.answer))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 110 else line[:109] + "…"
