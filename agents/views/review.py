"""The managers' review list: runs that failed, found no rows or got a verdict."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from agents import permissions
from agents.forms import ReviewForm
from agents.library import feedback, reviewing
from agents.library.reviewing import Filters
from agents.views.objects import key_in, person
from connections import audit
from connections.login import login_required
from connections.spreadsheet import neutral

PAGE = 30
ACTIONS = {
    "done": feedback.close_reviews, "open": feedback.reopen_reviews, "add": feedback.add_all_to_regression_set,
}  # fmt: skip


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest) -> HttpResponse:
    user = _manager(request)
    if request.method == "POST":
        return _act(request)
    filters, page = _chosen(request.GET)
    runs = Paginator(reviewing.found_runs(user, filters), PAGE).get_page(page)
    everything = permissions.reviewable_runs(user).count()
    context: dict[str, Any] = {
        "filters": filters,
        "findings": reviewing.findings(user, list(runs)),
        "page": runs,
        "everything": everything,
        "waiting": reviewing.waiting(user),
        "kinds": reviewing.KINDS,
        "causes": reviewing.causes(user),
        "connections": permissions.managed_connections(user).order_by("name"),
        "people": reviewing.people(user),
        "models": reviewing.models(user),
        "query": _without(request.GET, "page"),
    }
    alone = getattr(request, "htmx", False)
    return render(request, "agents/parts/review_list.html" if alone else "agents/review.html", context)


@login_required
@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """The list as it is filtered, as CSV."""
    user = _manager(request)
    filters, _ = _chosen(request.GET)
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(["run", "asked", "person", "connection", "model", "question", "status", "verdict", "words", "cause"])
    runs = list(reviewing.found_runs(user, filters))
    for found in reviewing.findings(user, runs):
        run, verdict = found.run, found.verdict
        connection = run.question.thread.connection
        lines.writerow([neutral(str(cell)) for cell in (
            run.pk, run.created_at.isoformat(), run.question.asked_by.get_username(), connection or "deleted",
            run.model_name, run.question.text, run.status, verdict or "", verdict.text if verdict else run.error,
            found.cause,
        )])  # fmt: skip
    audit.record("review list exported", actor=user, detail={"runs": len(runs)})
    headers = {"Content-Disposition": 'attachment; filename="review.csv"'}
    return HttpResponse(written.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


def _manager(request: HttpRequest) -> Any:
    user = person(request)
    if not permissions.is_manager(user):
        raise Http404("The review list is for managers of a team.")
    return user


def _act(request: HttpRequest) -> HttpResponse:
    """Mark the chosen runs, or put them into the regression set. A button of a line names its run itself."""
    action, _, single = request.POST.get("action", "").partition(":")
    chosen = [single] if single else request.POST.getlist("run")
    run_ids = [found for text in chosen if (found := key_in(text)) is not None]
    if action in ACTIONS:
        ACTIONS[action](user=person(request), run_ids=run_ids)
    return redirect(f"{reverse('review')}?{request.GET.urlencode()}")


def _chosen(query: QueryDict) -> tuple[Filters, int]:
    form = ReviewForm(query)
    form.is_valid()
    chosen = form.cleaned_data
    return Filters(
        done=bool(chosen.get("done")), kind=chosen.get("kind") or "", reason=chosen.get("reason") or "",
        person=chosen.get("person"), connection=chosen.get("connection"), model=chosen.get("model") or "",
        search=chosen.get("q") or "",
    ), chosen.get("page") or 1  # fmt: skip


def _without(query: QueryDict, name: str) -> str:
    kept = query.copy()
    kept.pop(name, None)
    return kept.urlencode()
