"""The rows of an answer as a file: those that were stored, or all of them read afresh."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from agents import full_export, permissions
from agents.answers import exports
from agents.errors import DatabaseError
from agents.models import Run
from agents.templatetags.answers import count
from agents.views.objects import person, run_to_see
from agents.views.results import ShownResult, shown_result
from connections import audit
from connections.login import login_required
from connections.streaming import attachment

# Rows read from the stored result at once.
BATCH = 2_000


@login_required
@require_safe
def export(request: HttpRequest, run_id: UUID, format: str) -> HttpResponseBase:
    """The stored rows."""
    run = run_to_see(request, run_id)
    result = _exportable(run, format)
    if result.expired:
        raise Http404("The stored rows of this answer have expired.")
    cut = result.rows_stored if result.truncated else 0
    note = _missing(result, cut) if cut else ""
    return _file(request, run, result, format, _rows(result), cut, lambda: note)


@login_required
@require_safe
def export_all(request: HttpRequest, run_id: UUID, format: str) -> HttpResponseBase:
    """All rows, read afresh by the run's SQL, for those who may ask the connection."""
    run, user = run_to_see(request, run_id), person(request)
    result = _exportable(run, format)
    if not (run.sql and permissions.may_run_again(user, run)):
        raise Http404("This answer has no statement that you could run again.")
    most: int = settings.EXPORT_ROWS
    notes: list[str] = []
    rows = full_export.all_rows(user, run, lambda: notes.append(_missing(result, most)))
    try:
        first = next(rows, None)
    except (DatabaseError, full_export.TooManyExportsError) as error:
        crowded = isinstance(error, full_export.TooManyExportsError)
        context = {"run": run, "problem": str(error), "crowded": crowded}
        return render(request, "agents/export_failed.html", context, status=429 if crowded else 422)
    foreseen = most if (result.row_count or 0) > most else 0  # the name is sent before the rows are counted
    return _file(request, run, result, format, _again(first, rows), foreseen, lambda: "".join(notes), rows.close)


def _exportable(run: Run, format: str) -> ShownResult:
    result = None if run.is_live else shown_result(run)
    if result is None or format not in exports.CONTENT_TYPES:
        raise Http404("This answer has no rows, or not in that format.")
    return result


def _file(
    request: HttpRequest, run: Run, result: ShownResult, format: str, rows: Iterable[Sequence[Any]], cut: int,
    missing: Callable[[], str], at_end: Callable[[], None] = lambda: None,
) -> HttpResponseBase:  # fmt: skip
    detail = {"format": format, "run": str(run.pk)}
    audit.record("exported", actor=person(request), target=run.question, detail=detail)
    known = _known(result, cut)
    first = f"-first-{cut}{f'-of-{slugify(known)}' if known else ''}-rows" if cut else ""
    name = f"{slugify(run.question.text)[:60] or 'result'}{first}.{format}"
    pieces = exports.write(format, result.columns, rows, missing)
    return attachment(pieces, name, exports.CONTENT_TYPES[format], at_end)


def _known(result: ShownResult, cut: int) -> str:
    """How many rows there were in all when the question was answered; "" where no more than `cut` were known of."""
    if result.row_count is None or result.row_count <= cut:
        return ""
    return count(result.row_count, result.row_count_exact)


def _missing(result: ShownResult, cut: int) -> str:
    known = _known(result, cut)
    return f"Cut here: the first {cut:,} of {known} rows." if known else f"Cut here: {cut:,} rows, and there are more."


def _again(first: Sequence[Any] | None, rest: Iterator[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The row that was looked at and those behind it."""
    if first is not None:
        yield first
        yield from rest


def _rows(result: ShownResult) -> Iterator[Sequence[Any]]:
    for offset in range(0, result.rows_stored, BATCH):
        yield from result.rows(offset, BATCH)
