"""One run as its thread shows it: the live turns, or the answer with the result object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode

from agents import selectors
from agents.answers import wording
from agents.answers.failures import failure_of
from agents.answers.transcript import Transcript
from agents.answers.turns import Totals, counted
from agents.models import Run, Thread
from agents.views import result_object
from agents.views.composer import Again, ModelChoice
from agents.views.objects import person

# Turns of a longer run are loaded when its strip is opened, and without scripts read in the trace.
SHOWN_CALLS = 60


@dataclass(frozen=True, slots=True)
class PageRuns:
    """The runs that one page shows: that of its newest question, and those that were at work when it was made."""

    newest: UUID
    live: tuple[UUID, ...] = ()

    def stream_of(self, run: Run, position: int) -> str:
        """The address of the live run's events behind `position`. It tells of the page, because fragments have to find
        their places there, whatever is asked elsewhere meanwhile."""
        query: dict[str, Any] = {"after": position} | ({} if self.newest == run.pk else {"newest": self.newest})
        beside = [one for one in self.live if one != run.pk]
        return f"{reverse('stream', args=[run.pk])}?{urlencode(query | {'live': beside}, doseq=True)}"


@dataclass(frozen=True, slots=True)
class Docked:
    """The run at work that the foot of its page tells of, and that Stop ends."""

    run: Run
    transcript: Transcript
    prefix: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run stands in its thread. Ids of the newest question's fragments have no prefix, those of older ones
    their run's, so that each is on the page once.

    `addressed`: the page's address names this run, so tab, page and options of the query string are meant for it.
    `models` are those that the reader may ask again with, None for one who may not ask. `chosen` is the option of a
    question back that was answered, `again` what its reader wanted another attempt with when that failed. `page` is
    None for a run that stands alone.
    """

    thread: Thread
    newest: bool = True
    models: Sequence[ModelChoice] | None = None
    addressed: bool = False
    chosen: str = ""
    again: Again = Again()
    page: PageRuns | None = None

    def prefix(self, run: Run) -> str:
        return "" if self.newest else f"r{str(run.pk)[:8]}-"


def transcript_of(run: Run, until: int | None = None) -> Transcript:
    """The run as far as it was saved, or as it was at event `until`."""
    transcript = Transcript()
    for event in selectors.events_of(run):
        if until is None or event.position <= until:
            transcript.apply(event)
    return transcript


def render_run(request: HttpRequest, run: Run, place: Place, transcript: Transcript | None = None) -> str:
    """The HTML of a run: `run` while it works, `answer` when it has ended."""
    if run.is_live:
        shown = transcript or transcript_of(run)
        stream = (place.page or PageRuns(run.pk)).stream_of(run, shown.position)
        context = {"run": run, "transcript": shown, "prefix": place.prefix(run), "stream": stream}
        return render_to_string("agents/parts/run.html", context, request)
    return render_to_string("agents/parts/answer.html", answer_context(request, run, place, transcript), request)


def answer_context(
    request: HttpRequest, run: Run, place: Place, transcript: Transcript | None = None
) -> dict[str, Any]:
    """What answer.html needs. The turns of older runs are loaded when their strip is opened."""
    shows_turns = place.newest and run.calls <= SHOWN_CALLS
    if shows_turns and transcript is None:
        transcript = transcript_of(run)
    params = request.GET if place.addressed else {}
    loaded = transcript
    return {
        "run": run,
        "thread": place.thread,
        "prefix": place.prefix(run),
        "transcript": transcript if shows_turns else None,
        "strip": strip_text(run, transcript),
        "sentence": wording.without_citations(run.answer),
        "failure": failure_of(
            status=run.status, error_type=run.error_type, message=run.error, turns=run.turns, calls=run.calls,
            seconds=run.seconds, detail=transcript.detail if transcript else "",
        ),
        "may_ask": place.models is not None,
        "chosen": place.chosen,
        **result_object.context_of(
            person(request), params, run, lambda: loaded or transcript_of(run), place.prefix(run), place.models,
            place.again,
        ),
    }  # fmt: skip


def strip_text(run: Run, transcript: Transcript | None) -> str:
    """Worked 14.8 s: 4 turns, 22 calls, 1 error corrected, 1 warning."""
    totals = transcript.totals if transcript is not None else Totals()
    parts = [counted(run.turns, "turn"), *([counted(run.calls, "call")] if run.calls else [])]
    if totals.errors:
        corrected = run.status == "answered"
        parts.append(counted(totals.errors, "error") + (" corrected" if corrected else ""))
    if totals.warnings:
        parts.append(counted(totals.warnings, "warning"))
    verb = "Looked for" if run.status == "clarify" else "Worked"
    return f"{verb} {run.seconds:,.1f} s: {', '.join(parts)}"
