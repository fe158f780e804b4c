"""A thread: its questions with their newest runs; one run may be chosen, and asked for piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from agents import permissions, selectors
from agents.answers.transcript import Transcript
from agents.library import comments, sharing
from agents.models import Comment, Question, Run, Share, Thread
from agents.views import composer, replay, result_object
from agents.views.objects import person, run_to_see, thread_to_see
from agents.views.outcome import SHOWN_CALLS, Docked, PageRuns, Place, render_run, transcript_of
from connections.login import login_required


@dataclass(frozen=True, slots=True)
class Attempt:
    pk: UUID
    number: int
    how: str
    current: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A question in its thread with the run that is shown for it."""

    question: Question
    run: Run
    asker: str
    audience: str
    attempts: list[Attempt]
    beside: tuple[UUID, UUID] | None
    comments: Sequence[Comment]
    html: SafeString


@login_required
@require_safe
def thread(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    return render_thread(request, thread_to_see(request, thread_id))


@login_required
@require_safe
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The thread with this run shown for its question; to htmx only the run's result object."""
    chosen = run_to_see(request, run_id)
    if getattr(request, "htmx", False) and not chosen.is_live:
        return _result_alone(request, chosen)
    return render_page_of(request, chosen)


@login_required
@require_safe
def turns(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The turns of a run that has ended, for the strip that is opened."""
    shown = run_to_see(request, run_id)
    place = Place(shown.question.thread, newest=_is_newest(request, shown))
    context = {"transcript": transcript_of(shown), "prefix": place.prefix(shown), "run": shown, "open_turns": True}
    return render(request, "agents/parts/turns.html", context)


def render_page_of(request: HttpRequest, chosen: Run, *, error: str = "", status: int = 200) -> HttpResponse:
    """The run as this person sees it: its owner in its thread, others alone."""
    if not permissions.owns_run(person(request), chosen):
        return replay.render_replay(request, chosen, error=error, status=status)
    return render_thread(request, chosen.question.thread, chosen, error=error, status=status)


def render_thread(
    request: HttpRequest,
    shown: Thread,
    chosen: Run | None = None,
    *,
    text: str = "",
    model: str = "",
    again: composer.Again = composer.Again(),  # noqa: B008  (frozen)
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    """`text` and `model` are what the composer held, `again` what the form at `chosen` did, that came back with
    `error`."""
    questions = [question for question in selectors.questions_of(shown) if question.runs.all()]
    runs = [_run_of(question, chosen) for question in questions]
    models = _models(request, shown)
    transcripts = _transcripts(runs)
    places = _places(shown, questions, models, PageRuns(runs[-1].pk, tuple(one.pk for one in runs if one.is_live)))
    docked = _docked(runs, places, transcripts, chosen)
    shared, said = _shared(runs), _said(request, questions)
    entries = []
    for question, one, place in zip(questions, runs, places, strict=True):
        if chosen is not None and one.pk == chosen.pk:
            place = replace(place, addressed=True, again=again)
        html = mark_safe(render_run(request, one, place, transcripts.get(one.pk)))  # noqa: S308
        audience = _audience(shared.get(one.pk, ()))
        attempts, words = attempts_of(question, one), said.get(question.pk, ())
        entries.append(Entry(question, one, _name(question), audience, attempts, _beside(attempts), words, html))
    context: dict[str, Any] = {
        "thread": shown,
        "current_thread": shown.pk,
        "entries": entries,
        "database": _database(shown),
        "docked": docked,
        "follow_ups": composer.follow_ups_for(runs[-1]) if models is not None else (),
        "composer": composer.for_a_thread(
            shown, runs, models, live=docked.run if docked else None, model=model or request.GET.get("model", ""),
            text=text or request.GET.get("q", ""), error=error,
        ) if models else None,
        "no_composer": "This database cannot be asked any more, or not by you: the answers stay readable.",
    }
    return render(request, "agents/thread.html", context, status=status)


def _transcripts(runs: Sequence[Run]) -> Mapping[UUID, Transcript]:
    """Of the runs whose turns stand on the page: those at work, and the newest unless it is long."""
    return {one.pk: transcript_of(one) for one in runs
            if one.is_live or (one is runs[-1] and one.calls <= SHOWN_CALLS)}  # fmt: skip


def _shared(runs: Sequence[Run]) -> Mapping[UUID, Sequence[Share]]:
    with_shares = [one.pk for one in runs if one.has_shares]  # type: ignore[attr-defined]
    return sharing.audiences(with_shares) if with_shares else {}


def _said(request: HttpRequest, questions: Sequence[Question]) -> Mapping[UUID, Sequence[Comment]]:
    discussed = [question for question in questions if question.has_comments]  # type: ignore[attr-defined]
    return comments.comments_on(person(request), discussed) if discussed else {}


def _docked(
    runs: Sequence[Run], places: Sequence[Place], transcripts: Mapping[UUID, Transcript], chosen: Run | None
) -> Docked | None:
    """Of the runs at work the one that the page's address names, else the last."""
    live = [(one, place) for one, place in zip(runs, places, strict=True) if one.is_live]
    if not live:
        return None
    run, place = next((pair for pair in live if pair[0] == chosen), live[-1])
    return Docked(run, transcripts[run.pk], place.prefix(run))


def _places(
    shown: Thread, questions: Sequence[Question], models: Sequence[composer.ModelChoice] | None, page: PageRuns
) -> list[Place]:
    """Where the run of each question stands. Behind a question back, what was asked next is the chosen option."""
    following = [*(question.text for question in questions[1:]), ""]
    last = len(questions) - 1
    return [
        Place(shown, newest=number == last, models=models, chosen=text, page=page)
        for number, text in enumerate(following)
    ]


def _result_alone(request: HttpRequest, chosen: Run) -> HttpResponse:
    place = Place(chosen.question.thread, newest=_is_newest(request, chosen))
    prefix = place.prefix(chosen)
    context = {"run": chosen, "prefix": prefix}
    models = _models(request, chosen.question.thread)
    context |= result_object.context_of(
        person(request), request.GET, chosen, lambda: transcript_of(chosen), prefix, models
    )
    return render(request, "agents/parts/result.html", context)


def _models(request: HttpRequest, shown: Thread) -> list[composer.ModelChoice] | None:
    """The models to ask with here, None where this person may not ask."""
    return composer.model_choices() if permissions.may_follow_up(person(request), shown) else None


def _is_newest(request: HttpRequest, chosen: Run) -> bool:
    if not permissions.owns_run(person(request), chosen):
        return True  # alone on its page
    last = chosen.question.thread.questions.order_by("-position").first()
    return last is not None and last.pk == chosen.question_id


def _run_of(question: Question, chosen: Run | None) -> Run:
    runs = list(question.runs.all())
    return next((one for one in runs if chosen is not None and one.pk == chosen.pk), runs[-1])


def attempts_of(question: Question, shown: Run) -> list[Attempt]:
    """The runs of a question, oldest first; none where there is only one."""
    runs = sorted(question.runs.all(), key=lambda one: one.created_at)
    if len(runs) < 2:
        return []
    return [Attempt(one.pk, number, _how(one), one.pk == shown.pk) for number, one in enumerate(runs, start=1)]


def _beside(attempts: list[Attempt]) -> tuple[UUID, UUID] | None:
    """The shown attempt with the one before it, the first with the second."""
    place = next((place for place, one in enumerate(attempts) if one.current), 0)
    first = max(place - 1, 0)
    return (attempts[first].pk, attempts[first + 1].pk) if len(attempts) > 1 else None


def _how(one: Run) -> str:
    """What tells an attempt from the others."""
    if one.settings.get("step"):
        return f"step {one.settings['step']} changed"
    if one.settings.get("rerun_of"):
        return "rerun"
    return one.model_name or (one.language_model.name if one.language_model else "")


def _name(question: Question) -> str:
    return question.asked_by.get_full_name() or question.asked_by.get_username()


def _audience(shares: Sequence[Share]) -> str:
    names = list(dict.fromkeys(share.audience for share in shares))
    return f"Shared with {', '.join(names)}" if names else "Private to you"


def _database(shown: Thread) -> str:
    if shown.connection is None:
        return "A connection that was deleted"
    return f"{shown.connection.name}, {shown.connection.get_kind_display()}"
