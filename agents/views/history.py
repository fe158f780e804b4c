"""The list of questions: search, filters, bulk delete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents import selectors, services
from agents.answers import wording
from agents.forms import HistoryForm
from agents.models import Question, Run, Status
from agents.views.objects import person
from connections import selectors as connection_selectors

PAGE = 30
_BADGES = {"failed": "badge badge--err", "clarify": "badge badge--verified", "running": "badge", "queued": "badge"}


@dataclass(frozen=True, slots=True)
class Line:
    question: Question
    run: Run | None
    asker: str
    connection: str
    outcome: str
    status: str
    badge: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def history(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _delete(request)
    form = HistoryForm(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    context = _context(request, chosen)
    template = "agents/parts/question_list.html" if getattr(request, "htmx", False) else "agents/history.html"
    return render(request, template, context)


def _delete(request: HttpRequest) -> HttpResponse:
    """Delete the threads of the chosen questions."""
    chosen = [UUID(text) for text in request.POST.getlist("thread") if _is_uuid(text)]
    services.delete_threads(user=person(request), thread_ids=chosen)
    return redirect(f"{reverse('history')}?{request.GET.urlencode()}")


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _context(request: HttpRequest, chosen: dict[str, Any]) -> dict[str, Any]:
    user = person(request)
    search, status = chosen.get("q") or "", chosen.get("status") or ""
    found = selectors.history(user, search=search, status=status, connection_id=chosen.get("connection"))
    page = Paginator(found, PAGE).get_page(chosen.get("page") or 1)
    return {
        "search": search,
        "status": status,
        "connection": chosen.get("connection"),
        "statuses": [choice for choice in Status.choices if choice[0] not in ("queued",)],
        "connections": connection_selectors.connections_for(user),
        "lines": _lines(page),
        "page": page,
        "total": page.paginator.count,
        "all": selectors.history(user).count() if not page.paginator.count else page.paginator.count,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1),
        "query": _without_page(request.GET),
        "filtered": bool(search or status or chosen.get("connection")),
    }


def _without_page(query: QueryDict) -> str:
    kept = query.copy()
    kept.pop("page", None)
    return kept.urlencode()


def _lines(page: Page[Question]) -> list[Line]:
    questions = list(page)
    runs = Run.objects.in_bulk([question.last_run_id for question in questions])  # type: ignore[attr-defined]
    return [_line(question, runs.get(question.last_run_id)) for question in questions]  # type: ignore[attr-defined]


def _line(question: Question, run: Run | None) -> Line:
    connection = question.thread.connection
    status = run.status if run is not None else ""
    return Line(
        question=question,
        run=run,
        asker=question.asked_by.get_full_name() or question.asked_by.get_username(),
        connection=connection.name if connection is not None else "deleted",
        outcome=_outcome(run),
        status="Asks you" if status == "clarify" else Status(status).label if status else "",
        badge=_BADGES.get(status, ""),
    )


def _outcome(run: Run | None) -> str:
    if run is None:
        return ""
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
