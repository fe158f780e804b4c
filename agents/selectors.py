"""Reads. What a person may not see does not exist for them: these raise `DoesNotExist`, never "forbidden"."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Exists, Max, Min, OuterRef, Prefetch, QuerySet, Sum
from django.utils import timezone

from agents import permissions
from agents.answers import store
from agents.models import (
    Comment,
    LanguageModel,
    Question,
    Run,
    Share,
    Status,
    StoredResult,
    Thread,
    UsageEntry,
    WorkerBeat,
)
from agents.traces import recorder
from agents.traces.events import Event
from connections.models import Connection, User

NUMERIC = ("integer", "decimal", "float")
JUDGED = ("verification__by", "in_regression_set")
WORKER_SILENT_AFTER = timedelta(seconds=30)

# --- Threads, questions, runs ----------------------------------------------------------------------------------------


def thread_to_see(user: User, thread_id: UUID) -> Thread:
    return permissions.visible_threads(user).select_related("connection", "owner").get(pk=thread_id)


def recent_threads(user: User, limit: int = 8) -> QuerySet[Thread]:
    """Newest first, for the rail."""
    return permissions.visible_threads(user).filter(evaluation=None).order_by("-updated_at")[:limit]


def questions_on(connections: Iterable[Connection]) -> Mapping[int, int]:
    """How many questions everybody together has asked on each, by the connection's key."""
    keys = [connection.pk for connection in connections]
    asked = Question.objects.filter(thread__connection__in=keys).values_list("thread__connection")
    return dict(asked.annotate(Count("pk")).order_by())


def questions_of(thread: Thread) -> QuerySet[Question]:
    """The thread's questions in order, each with `runs`, oldest first, and their results. `has_comments` of a question
    and `has_shares` of a run say whether looking for those is worth a query."""
    shares = Share.live.filter(run=OuterRef("pk"))
    runs = Run.objects.order_by("created_at").select_related("language_model", *JUDGED).annotate(
        has_shares=Exists(shares)
    ).prefetch_related("feedback", "results")
    said = Exists(Comment.objects.filter(question=OuterRef("pk")))
    questions = thread.questions.select_related("asked_by").annotate(has_comments=said)
    return questions.prefetch_related(Prefetch("runs", queryset=runs))


def run_to_see(user: User, run_id: UUID) -> Run:
    related = ("question__thread__connection", "question__asked_by", "language_model", *JUDGED)
    run = Run.objects.select_related(*related).get(pk=run_id)
    if not (permissions.owns_run(user, run) or permissions.may_see_run(user, run)):
        raise Run.DoesNotExist
    return run


def run_to_cancel(user: User, run_id: UUID) -> Run:
    run = run_to_see(user, run_id)
    if not permissions.may_cancel_run(user, run):
        raise Run.DoesNotExist
    return run


def events_of(run: Run, after: int = 0) -> list[Event]:
    """The saved events behind position `after`, in order."""
    return recorder.saved_events(run.pk, after)


# --- Results ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Rows `offset`… of a stored result as JSON cells. `rows_stored` is the number of rows that can be paged through;
    `row_count` what the statement would return altogether (None: not counted). `expired`: the rows are deleted."""

    columns: Sequence[Mapping[str, Any]]
    rows: Sequence[Sequence[Any]]
    offset: int
    rows_stored: int
    row_count: int | None
    row_count_exact: bool
    truncated: bool
    expired: bool


def result_of(run: Run, number: int) -> StoredResult:
    return run.results.get(number=number)


def result_page(
    result: StoredResult, offset: int = 0, limit: int = 100, *, sort: tuple[int, bool] | None = None
) -> ResultPage:
    """`sort` is (column's place, descending): all stored rows are sorted, then cut; NULL comes last either way."""
    path, expired = _path_of(result), has_expired(result)
    rows: Sequence[Sequence[Any]] = ()
    if not expired and sort is None:
        rows = store.read(path, offset, limit)
    elif not expired and sort is not None:
        place, descending = sort
        numeric = result.columns[place]["semantic"] in NUMERIC
        order = sorted_places(store.column(path, place), descending, numeric=numeric)
        rows = store.take(path, order[offset : offset + limit])
    return ResultPage(
        columns=result.columns,
        rows=rows,
        offset=offset,
        rows_stored=result.rows_stored,
        row_count=result.row_count,
        row_count_exact=result.row_count_exact,
        truncated=result.truncated,
        expired=expired,
    )


def has_expired(result: StoredResult) -> bool:
    return not _path_of(result).is_file()


def _path_of(result: StoredResult) -> Path:
    return Path(settings.RESULTS_DIR) / result.file


def sorted_places(cells: Sequence[Any], descending: bool, *, numeric: bool) -> list[int]:
    """The places of a column's JSON cells in order; that of equal ones stays, NULL comes last. Numbers that are kept as
    text (large or exact ones) sort as numbers; cells of different kinds sort by kind."""
    null = [place for place, cell in enumerate(cells) if cell is None]
    rest = [place for place, cell in enumerate(cells) if cell is not None]
    kinds = {type(cells[place]) for place in rest}
    if kinds <= {int, float} or (kinds == {str} and not numeric):
        return sorted(rest, key=cells.__getitem__, reverse=descending) + null
    keys = (_as_numbers(cells) if numeric and kinds <= {int, float, str} else None) or [
        None if cell is None else _sort_key(cell, numeric) for cell in cells
    ]
    return sorted(rest, key=keys.__getitem__, reverse=descending) + null


def _as_numbers(cells: Sequence[Any]) -> list[Any] | None:
    """The cells as numbers, None where one is none: the usual case, for which comparing is cheap."""
    try:
        numbers = [Decimal(cell) if isinstance(cell, str) else cell for cell in cells]
    except InvalidOperation:
        return None
    return None if any(isinstance(one, Decimal) and one.is_nan() for one in numbers) else numbers


def _sort_key(cell: Any, numeric: bool) -> tuple[int, Any]:
    if numeric and isinstance(cell, str):
        try:
            cell = Decimal(cell)
        except InvalidOperation:
            return 1, cell
        return (2, 0) if cell.is_nan() else (0, cell)
    if isinstance(cell, (int, float)):
        return 0, cell
    return (1, cell) if isinstance(cell, str) else (3, json.dumps(cell, sort_keys=True))


# --- Language models -------------------------------------------------------------------------------------------------


def language_models() -> QuerySet[LanguageModel]:
    """Stored models that may be chosen, the default first. None stored: the environment's model answers."""
    return LanguageModel.objects.filter(is_active=True).order_by("-is_default", "name")


def default_language_model() -> LanguageModel | None:
    return language_models().first()


def last_language_model(thread: Thread) -> LanguageModel | None:
    """The one that answered last in `thread`; None where it may not be chosen any more."""
    asked = Run.objects.filter(question__thread=thread, language_model__isnull=False).order_by("-created_at")
    return language_models().filter(pk__in=list(asked.values_list("language_model", flat=True)[:1])).first()


# --- Workers and figures ---------------------------------------------------------------------------------------------


def living_workers() -> QuerySet[WorkerBeat]:
    return WorkerBeat.objects.filter(seen_at__gt=timezone.now() - WORKER_SILENT_AFTER)


@dataclass(frozen=True, slots=True)
class RunFigures:
    by_status: Mapping[str, int]
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    oldest_queued: float  # seconds
    workers: int


def run_figures() -> RunFigures:
    """What was spent is read from the usage that runs leave behind, so that it never gets less."""
    counted = dict(Run.objects.values_list("status").annotate(number=Count("pk")))
    oldest = Run.objects.filter(status=Status.QUEUED).aggregate(at=Min("created_at"))["at"]
    sums = UsageEntry.objects.exclude(closed_at=None).aggregate(
        input=Sum("input_tokens"), cached=Sum("cached_tokens"), output=Sum("output_tokens"), cost=Sum("cost")
    )
    return RunFigures(
        by_status={status.value: counted.get(status.value, 0) for status in Status},
        input_tokens=sums["input"] or 0,
        cached_tokens=sums["cached"] or 0,
        output_tokens=sums["output"] or 0,
        cost=float(sums["cost"] or 0),
        oldest_queued=(timezone.now() - oldest).total_seconds() if oldest else 0.0,
        workers=living_workers().count(),
    )


def next_position(thread: Thread) -> int:
    return int(thread.questions.aggregate(last=Max("position"))["last"] or 0) + 1
