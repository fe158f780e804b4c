"""Objects for the person who asks for them, each helper named for the right it grants. Anything else is 404."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest

from agents import permissions, selectors
from agents.library import collecting, evaluated, sharing
from agents.models import Collection, Evaluation, EvaluationCase, Run, SavedQuestion, Share, Thread
from connections.models import User


def person(request: HttpRequest) -> User:
    """The logged-in person; views are behind login_required."""
    assert isinstance(request.user, User)
    return request.user


def key_in(text: str) -> UUID | None:
    """The key of a run that `text` writes; None where it writes none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def run_to_see(request: HttpRequest, run_id: UUID) -> Run:
    try:
        return selectors.run_to_see(person(request), run_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such run among your questions.") from error


def run_to_cancel(request: HttpRequest, run_id: UUID) -> Run:
    try:
        return selectors.run_to_cancel(person(request), run_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such run among your questions.") from error


def run_to_ask_again(request: HttpRequest, run_id: UUID) -> Run:
    """A run in a thread that one goes on with: whoever else sees it may not see what stands around it."""
    run = run_to_see(request, run_id)
    if not permissions.may_follow_up(person(request), run.question.thread):
        raise Http404("This question cannot be asked again by you.")
    return run


def run_with_prompts(request: HttpRequest, run_id: UUID) -> Run:
    """A run whose prompts, too, may be read."""
    run = run_to_see(request, run_id)
    if not permissions.may_read_prompts(person(request), run):
        raise Http404("The prompts of this run are not yours to read.")
    return run


def run_to_share(request: HttpRequest, run_id: UUID) -> Run:
    run = run_to_see(request, run_id)
    if not permissions.may_share(person(request), run):
        raise Http404("This run is not yours to share, or has not ended.")
    return run


def share_to_revoke(request: HttpRequest, share_id: UUID) -> Share:
    try:
        return sharing.share_to_revoke(person(request), share_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such share of yours.") from error


def run_to_review(request: HttpRequest, run_id: UUID) -> Run:
    run = run_to_see(request, run_id)
    if not permissions.may_review(person(request), run):
        raise Http404("This run is not yours to review.")
    return run


def run_to_verify(request: HttpRequest, run_id: UUID) -> Run:
    run = run_to_see(request, run_id)
    if not permissions.may_verify(person(request), run):
        raise Http404("This answer is not yours to verify.")
    return run


def collection_to_see(request: HttpRequest, collection_id: int) -> Collection:
    try:
        return collecting.collection_to_see(person(request), collection_id)
    except ObjectDoesNotExist as error:
        raise Http404("Your teams have no such collection.") from error


def collection_to_add_to(request: HttpRequest, collection_id: int) -> Collection:
    found = collection_to_see(request, collection_id)
    if not permissions.may_collect(person(request), found.team):
        raise Http404("This collection is not yours to add to.")
    return found


def saved_to_see(request: HttpRequest, saved_id: int) -> SavedQuestion:
    try:
        return collecting.saved_to_see(person(request), saved_id)
    except ObjectDoesNotExist as error:
        raise Http404("Your teams have no such saved question.") from error


def saved_to_edit(request: HttpRequest, saved_id: int) -> SavedQuestion:
    try:
        return collecting.saved_to_edit(person(request), saved_id)
    except ObjectDoesNotExist as error:
        raise Http404("This saved question is not yours to change.") from error


def evaluation_to_see(request: HttpRequest, evaluation_id: int) -> Evaluation:
    try:
        return evaluated.evaluation_to_see(person(request), evaluation_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such evaluation among those of your teams.") from error


def case_to_see(request: HttpRequest, case_id: int) -> EvaluationCase:
    try:
        return evaluated.case_to_see(person(request), case_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such question among your teams' evaluations.") from error


def thread_to_see(request: HttpRequest, thread_id: UUID) -> Thread:
    try:
        return selectors.thread_to_see(person(request), thread_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such thread among your questions.") from error
