"""Comments below an answer, and the page of what one was told."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from agents.library import comments
from agents.library import notices as told
from agents.models import Run
from agents.views.objects import person, run_to_see
from connections.login import login_required, login_required_from, posts_only, whole_page


def _run_with_the_comment(request: HttpRequest) -> str:
    assert request.resolver_match is not None
    address, text = reverse("run", kwargs=request.resolver_match.kwargs), request.POST.get("text", "")
    return f"{address}?{urlencode({'comment': text})}" if text else address


@login_required_from(_run_with_the_comment)
@posts_only
def comment(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run, text = run_to_see(request, run_id), request.POST.get("text", "")
    try:
        comments.comment(user=person(request), run=run, text=text)
    except ValidationError as error:
        return _comments(request, run, text=text, error=" ".join(error.messages))
    return _comments(request, run)


@login_required
@posts_only
def delete_comment(request: HttpRequest, comment_id: int) -> HttpResponse:
    try:
        found = comments.comment_to_delete(person(request), comment_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such comment of yours.") from error
    comments.delete(user=person(request), comment=found)
    run = comments.run_around(person(request), found)
    if run is not None:
        return _comments(request, run, focus=f"delete-comment-{comment_id}")
    messages.success(request, "The comment is deleted. The answer that it was about is not open to you any more.")
    return whole_page(request, reverse("home"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: HttpRequest) -> HttpResponse:
    """What one was told; sent, all is marked as read."""
    user = person(request)
    if request.method == "POST":
        told.read(user=user)
        return redirect("notices")
    shown = told.notices_of(user)
    context = {"notices": shown, "unread": told.unread(user), "number": told.number_of(user)}
    return render(request, "agents/notices.html", context)


@login_required
@require_safe
def notice(request: HttpRequest, notice_id: int) -> HttpResponse:
    """To what the notice is about; it has been read."""
    user = person(request)
    try:
        found = told.notice_to_read(user, notice_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such notice for you.") from error
    told.read(user=user, notice=found)
    return redirect(told.address_of(found))


def _comments(
    request: HttpRequest, run: Run, *, text: str = "", error: str = "", focus: str = ""
) -> HttpResponse:
    """`focus` is the id of a pressed button that is gone: the summary takes it over, because the keyboard's focus goes
    to the id that had it."""
    if not getattr(request, "htmx", False) and not error:
        return redirect(f"{reverse('run', args=[run.pk])}#comments-{run.question_id}")
    context = {
        "run": run,
        "question": run.question,
        "comments": comments.comments_on(person(request), [run.question]).get(run.question_id, []),
        "comment_text": text,
        "comment_error": error,
        "open": True,
        "focus": focus,
    }
    alone = getattr(request, "htmx", False)
    return render(request, "agents/parts/comments.html" if alone else "agents/comments.html", context)
