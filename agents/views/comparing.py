"""Two attempts at one question side by side: another strategy, another model, or the same steps on fresh data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents import permissions
from agents.answers import wording
from agents.answers.failures import Failure, failure_of
from agents.answers.highlight import sql_pieces
from agents.answers.program import method_of
from agents.answers.side_by_side import MOST_ROWS, Verdict, compared
from agents.models import Run
from agents.templatetags.answers import rows_known
from agents.views.grids import Grid, grid_of
from agents.views.objects import person, run_to_see
from agents.views.results import ShownResult, shown_result
from agents.views.threads import attempts_of
from connections.login import login_required

SHOWN_ROWS = 20


@dataclass(frozen=True, slots=True)
class Side:
    run: Run
    title: str
    sentence: str
    failure: Failure | None
    result: ShownResult | None
    rows: str
    grid: Grid | None
    method: list[wording.Phrase]
    pieces: list[tuple[str, str]]


@login_required
@require_safe
def beside(request: HttpRequest, run_id: UUID, other_id: UUID) -> HttpResponse:
    """Both must be attempts at the same question."""
    runs = run_to_see(request, run_id), run_to_see(request, other_id)
    if runs[0].question_id != runs[1].question_id or runs[0].pk == runs[1].pk:
        raise Http404("These are not two attempts at one question.")
    sides = [_side(run, place) for place, run in enumerate(runs, start=1)]
    thread = runs[0].question.thread
    context: dict[str, Any] = {
        "question": runs[0].question,
        "thread": thread,
        "current_thread": thread.pk,
        "owns": permissions.owns_run(person(request), runs[0]),
        "sides": sides,
        "verdict": _verdict(sides),
    }
    return render(request, "agents/beside.html", context)


def _side(run: Run, place: int) -> Side:
    result = None if run.is_live else shown_result(run)
    rows = () if result is None or result.expired else result.rows(0, SHOWN_ROWS)
    label = f"Result of attempt {place}, first {len(rows)} rows"
    attempt = next((one for one in attempts_of(run.question, run) if one.current), None)
    connection = run.question.thread.connection
    return Side(
        run=run,
        title=f"Attempt {attempt.number}{f': {attempt.how}' if attempt.how else ''}" if attempt else "Attempt",
        sentence=wording.without_citations(run.answer),
        failure=failure_of(
            status=run.status, error_type=run.error_type, message=run.error, turns=run.turns, calls=run.calls,
            seconds=run.seconds,
        ) if run.status in ("failed", "cancelled") else None,
        result=result,
        rows="" if result is None else _rows_shown(result, len(rows)),
        grid=grid_of(result.columns, rows, identifier=f"side-{place}-table", label=label) if result and rows else None,
        method=method_of(run.steps),
        pieces=list(sql_pieces(run.sql, connection.kind if connection is not None else "")),
    )  # fmt: skip


def _rows_shown(result: ShownResult, shown: int) -> str:
    """How many rows there are, and how many of them stand here."""
    known, cut = rows_known(result), result.truncated or shown < result.rows_stored
    return f"first {shown:,} of {known}" if shown and cut else known


def _verdict(sides: list[Side]) -> Verdict | None:
    first, second = (side.result for side in sides)
    if first is None or second is None or first.expired or second.expired:
        return None
    whole = not (first.truncated or second.truncated)
    rows = [result.rows(0, MOST_ROWS + 1) for result in (first, second)]
    names = [column.name for column in first.columns], [column.name for column in second.columns]
    return compared(rows[0], rows[1], names, whole=whole)
