"""A run live: the same fragments as on the page, sent as server-sent events the moment something happens.

Each message holds what changed as `<hx-partial>` elements, which htmx swaps by id, and carries the event's position as
its id. A reader that comes back names the last id it saw and goes on from there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.exceptions import ObjectDoesNotExist
from django.db import close_old_connections
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseForbidden
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from agents import permissions, selectors
from agents.answers.transcript import Transcript
from agents.answers.turns import CallLine, Change, Turn
from agents.models import Run
from agents.traces import stream
from agents.views import composer
from agents.views.objects import key_in
from agents.views.outcome import Docked, PageRuns, Place, render_run, transcript_of
from connections.models import User
from connections.turnstile import turn


@dataclass(frozen=True, slots=True)
class Shown:
    """A change with what it shows; "whole" is a turn that has ended."""

    kind: str
    turn: Turn | None = None
    line: CallLine | None = None


@require_safe
async def follow_run(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    user = await request.auser()
    if not isinstance(user, User):
        return HttpResponseForbidden("Log in first.")
    run = await sync_to_async(_run_to_see)(user, run_id)
    after = _position(request)
    transcript = await sync_to_async(_transcript_until)(run, after)
    await sync_to_async(close_old_connections)()  # a page may be open for hours, and must hold none meanwhile
    return stream.sse_response(_messages(request, user, run, transcript, after))


async def _messages(
    request: HttpRequest, user: User, run: Run, transcript: Transcript, after: int
) -> AsyncIterator[bytes]:
    prefix = _place_of(_page_of(request, run), run).prefix(run)
    async for item in stream.follow(run.pk, after):
        if item is None:
            yield stream.KEEP_ALIVE
            continue
        if isinstance(item, stream.Thought):
            changes, position = transcript.think(item.turn, item.text), None
        else:
            changes, position = transcript.apply(item), item.position
        html = _render_changes(transcript, changes, prefix)
        if html or position:
            yield _message(html, position)
    async with turn():
        ended = await sync_to_async(_render_end)(request, user, run.pk)
        await sync_to_async(close_old_connections)()
    if ended:
        yield _message(ended, None)


def _message(html: str, position: int | None) -> bytes:
    return stream.sse_message("", html.replace("\r", ""), position=position)


def _render_changes(transcript: Transcript, changes: Iterable[Change], prefix: str) -> str:
    shown = [found for change in _merged(transcript, changes) if (found := _shown(transcript, change)) is not None]
    if not shown:
        return ""
    context = {"changes": shown, "transcript": transcript, "prefix": prefix}
    return render_to_string("agents/parts/changes.html", context)


def _merged(transcript: Transcript, changes: Iterable[Change]) -> list[Change]:
    """Each fragment once, in its newest state; a turn that has ended is shown whole."""
    unique = list(dict.fromkeys(changes))
    ended = {turn.key for turn in transcript.turns if not turn.running}
    whole = {change.turn for change in unique if change.kind == "head" and change.turn in ended}
    rest = [change for change in unique if change.turn not in whole]
    return [*(Change("whole", key) for key in whole), *rest]


def _shown(transcript: Transcript, change: Change) -> Shown | None:
    if change.kind == "status":
        return Shown("status")
    turn = transcript.turn(change.turn)
    if turn is None:
        return None
    if change.kind == "call":
        return Shown("call", turn, turn.calls[change.call - 1])
    return Shown(change.kind, turn)


def _render_end(request: HttpRequest, user: User, run_id: UUID) -> str:
    """What takes the place of the live run; "" while it is live, which makes the reader come back."""
    run = _run_to_see(user, run_id)
    if run.is_live:
        return ""
    thread, page = run.question.thread, _page_of(request, run)
    may_ask = permissions.may_follow_up(user, thread)
    place = replace(_place_of(page, run), models=composer.model_choices() if may_ask else None)
    context = {
        "run": run,
        "answer": render_run(request, run, place),
        "docked": _docked(user, page),
        "newest": place.newest,
        "follow_ups": composer.follow_ups_for(run) if may_ask and place.newest else (),
        "recent": selectors.recent_threads(user),
        "current_thread": thread.pk,
    }
    return render_to_string("agents/parts/end.html", context, request)


def _page_of(request: HttpRequest, run: Run) -> PageRuns:
    """As the page's own address of the stream tells; a run of which it tells nothing else stands alone."""
    live = [key_in(text) for text in request.GET.getlist("live")]
    return PageRuns(key_in(request.GET.get("newest", "")) or run.pk, tuple(key for key in live if key is not None))


def _place_of(page: PageRuns, run: Run) -> Place:
    return Place(run.question.thread, newest=page.newest == run.pk)


def _docked(user: User, page: PageRuns) -> Docked | None:
    """The last run of the page that is still at work."""
    for key in reversed(page.live):
        try:
            run = selectors.run_to_see(user, key)
        except ObjectDoesNotExist:  # deleted meanwhile
            continue
        if run.is_live:
            return Docked(run, transcript_of(run), _place_of(page, run).prefix(run))
    return None


def _run_to_see(user: User, run_id: UUID) -> Run:
    try:
        return selectors.run_to_see(user, run_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such run among your questions.") from error


def _transcript_until(run: Run, position: int) -> Transcript:
    return transcript_of(run, until=position)


def _position(request: HttpRequest) -> int:
    """The last event the reader saw: its own word, else what the page was made with."""
    return stream.position_in(request.headers.get("Last-Event-ID") or request.GET.get("after", ""))
