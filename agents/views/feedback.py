"""Thumbs with reasons and a manager's verification in the foot of an answer; from its trace, the regression set."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from agents.forms import FeedbackForm, VerifyForm
from agents.library import feedback
from agents.models import Run
from agents.views.objects import person, run_to_review, run_to_see, run_to_verify
from connections.login import login_required, posts_only


@login_required
@posts_only
def judge(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run, form = run_to_see(request, run_id), FeedbackForm(request.POST)
    error = ""
    if not form.is_valid():
        return _verdict(request, run, "This verdict cannot be read. Choose a thumb.")
    given = form.cleaned_data
    try:
        if given["verdict"]:
            feedback.judge(
                user=person(request), run=run, good=given["verdict"] == "good", reason=given["reason"],
                text=given["text"],
            )  # fmt: skip
        else:
            feedback.take_back(user=person(request), run=run)
    except ValidationError as refused:
        error = " ".join(refused.messages)
    except ObjectDoesNotExist as missing:
        raise Http404("This run cannot be judged by you.") from missing
    return _verdict(request, run, error)


@login_required
@posts_only
def verify(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run, form = run_to_verify(request, run_id), VerifyForm(request.POST)
    if not form.is_valid():
        return _verdict(request, run, "The note is too long: at most 500 characters fit.")
    given = form.cleaned_data
    pressed = f"{'withdraw' if given['withdraw'] else 'verify'}-{run.pk}"
    if given["withdraw"]:
        feedback.withdraw_verification(user=person(request), run=run)
    else:
        feedback.verify(
            user=person(request), run=run, note=given["note"], in_regression_set=given["regression"]
        )  # fmt: skip
    return _verdict(request, run_to_see(request, run_id), "", focus=pressed)


@login_required
@posts_only
def add_to_regression_set(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """From the trace of any run that one reviews, whether or not it is on the review list."""
    added = feedback.add_to_regression_set(user=person(request), run=run_to_review(request, run_id))
    waits = "" if added.gold_sql else ", where it waits for a verified answer"
    messages.success(request, f"The question is in the regression set of {added.connection}{waits}.")
    return redirect("trace", run_id)


def _verdict(request: HttpRequest, run: Run, error: str, *, focus: str = "") -> HttpResponse:
    """To htmx the verdict alone, otherwise the page again. `focus` is the id of a pressed button that is gone: the
    menu takes it over, because the keyboard's focus goes to the id that had it."""
    if not getattr(request, "htmx", False):
        return redirect("run", run.pk)
    run = Run.objects.select_related("question__thread", "verification__by", "in_regression_set").get(pk=run.pk)
    return render(request, "agents/parts/verdict_alone.html", {"run": run, "verdict_error": error, "focus": focus})
