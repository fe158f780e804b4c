"""The trace page: everything a run did, down to the prompt and the raw reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from agents import permissions, selectors
from agents.answers.highlight import json_pieces, sql_pieces
from agents.answers.tracing import CallRow, ModelRow, Trace, TraceTurn, prompt_until, trace_of
from agents.library import imported_traces
from agents.models import Run
from agents.traces import events
from agents.traces.events import Event
from agents.views.objects import person, run_to_see, run_with_prompts
from connections import audit
from connections.login import login_required

# The timeline's drawing is this wide; a bar is never thinner than one can see.
TIMELINE, THINNEST = 1000, 7


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list: a model call or a call, with its bar in the timeline."""

    key: str
    url: str
    current: bool
    x: int
    width: int
    model: ModelRow | None = None
    call: CallRow | None = None


@login_required
@require_safe
def trace(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run, user = run_to_see(request, run_id), person(request)
    saved = selectors.events_of(run)
    built = trace_of(saved)
    at = request.GET.get("at", "")
    if getattr(request, "htmx", False):
        prompts = permissions.may_read_prompts(user, run)
        return render(request, "agents/parts/trace_detail.html", {"prompts": prompts, **_detail(run, built, saved, at)})
    chosen = at if built.row(at) is not None else _first_key(built)
    context = {
        "run": run,
        "thread": run.question.thread,
        "imported": run.settings.get("imported"),
        "current_thread": run.question.thread_id,
        "prompts": permissions.may_read_prompts(user, run),
        "may_review": permissions.may_review(user, run),
        "may_rerun": run.steps and permissions.may_run_again(user, run),
        "verdicts": list(run.feedback.all()),
        "trace": built,
        "timeline": request.GET.get("lens") == "time",
        "turns": [(turn, _rows(run, turn, built, chosen)) for turn in built.turns],
        **_detail(run, built, saved, chosen),
    }
    return render(request, "agents/trace.html", context)


@login_required
@require_safe
def trace_json(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The events for other tools, and for `manage.py import_trace` elsewhere, as they are stored but for what
    administrators alone may read."""
    run, user = run_with_prompts(request, run_id), person(request)
    details = permissions.may_read_details(user)
    saved = [events.for_reader(event, prompts=True, details=details) for event in selectors.events_of(run)]
    body = imported_traces.as_json(run, saved)
    audit.record("trace exported", actor=user, target=run.question, detail={"run": str(run.pk)})
    name = f'attachment; filename="trace-{run.pk}.json"'
    return HttpResponse(body, content_type="application/json", headers={"Content-Disposition": name})


@login_required
@require_safe
def prompt(request: HttpRequest, run_id: UUID, position: int) -> HttpResponse:
    """The full prompt of one model call, loaded when its fold is opened."""
    messages = prompt_until(selectors.events_of(run_with_prompts(request, run_id)), position)
    if not messages:
        raise Http404("This run has no model call at that position.")
    return render(request, "agents/parts/trace_prompt.html", {"messages": messages})


def _first_key(built: Trace) -> str:
    return next((row.key for turn in built.turns for row in turn.rows), "")


def _rows(run: Run, turn: TraceTurn, built: Trace, chosen: str) -> list[Row]:
    shown = []
    for row in turn.rows:
        seconds = row.reply.seconds if isinstance(row, ModelRow) else (row.line.ms or 0) / 1000
        scale = TIMELINE / built.seconds if built.seconds else 0
        width = max(round(seconds * scale), THINNEST)
        shown.append(Row(
            key=row.key, url=_url(run, row.key), current=row.key == chosen,
            x=min(round(row.start * scale), TIMELINE - width), width=width,
            model=row if isinstance(row, ModelRow) else None, call=row if isinstance(row, CallRow) else None,
        ))  # fmt: skip
    return shown


def _url(run: Run, key: str) -> str:
    return f"{reverse('trace', args=[run.pk])}?at={key}"


def _detail(run: Run, built: Trace, saved: Sequence[Event], key: str) -> dict[str, Any]:
    row = built.row(key)
    turn = next((turn for turn in built.turns if row is not None and row in turn.rows), None)
    context: dict[str, Any] = {"run": run, "key": key, "detail": row, "detail_turn": turn, "link": _url(run, key)}
    if isinstance(row, CallRow):
        context |= _call_detail(run, row, saved)
    return context


def _call_detail(run: Run, row: CallRow, saved: Sequence[Event]) -> dict[str, Any]:
    connection = run.question.thread.connection
    arguments = json.dumps(dict(row.line.call), indent=2, ensure_ascii=False)
    preview = next((event.preview for event in saved if isinstance(event, events.CallResult)
                    and event.preview and event.result == row.line.result), ())  # fmt: skip
    return {
        "call": row.line,
        "arguments": json_pieces(arguments),
        "arguments_text": arguments,
        "sql": sql_pieces(row.line.sql, connection.kind if connection is not None else ""),
        "preview": preview[:50] if row.line.result else (),
    }
