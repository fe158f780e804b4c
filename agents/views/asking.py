"""Asking: the start page, new questions and follow-ups, asking again, stopping."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from agents import selectors, services
from agents.forms import AskForm, QuestionForm
from agents.strategies import STRATEGIES
from agents.views import composer
from agents.views.objects import person, run_to_ask_again, run_to_cancel, thread_to_see
from agents.views.threads import render_thread
from connections import permissions as connection_permissions
from connections import selectors as connection_selectors
from connections.login import keeping, login_required, login_required_from, posts_only
from connections.models import Connection

# The start page and a thread's fill the composer with what stands in their address.
_with_the_question = keeping(question="q", suggestion="q", connection="connection", model="model")


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    connection = _connection_asked_for(request)
    return _ask_page(request, connection=connection, model=request.GET.get("model", ""), text=request.GET.get("q", ""))


@login_required_from(_with_the_question)
@posts_only
def ask(request: HttpRequest) -> HttpResponse:
    """A new question in a new thread."""
    user, model = person(request), request.POST.get("model", "")
    form = AskForm(request.POST, user=user)
    if not form.is_valid():
        chosen, text = form.cleaned_data.get("connection"), request.POST.get("question", "")
        return _ask_page(request, connection=chosen, model=model, text=text, error=_first_error(form))
    connection: Connection = form.cleaned_data["connection"]
    try:
        run = services.ask(user=user, connection=connection, text=form.text, language_model=form.chosen_model)
    except ValidationError as error:
        words = " ".join(error.messages)
        return _ask_page(request, connection=connection, model=model, text=form.text, error=words)
    return redirect("run", run.pk)


@login_required_from(_with_the_question)
@posts_only
def follow_up(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    """The next question in a thread. An option of a question back comes without a model: the thread's goes on."""
    user, thread = person(request), thread_to_see(request, thread_id)
    sent = request.POST.get("model", "")
    form = QuestionForm(request.POST, user=user)
    if not form.is_valid():
        text = request.POST.get("question", "")
        return render_thread(request, thread, text=text, model=sent, error=_first_error(form), status=422)
    if thread.connection is None:
        raise Http404("The connection of this thread was deleted.")
    model = form.chosen_model or selectors.last_language_model(thread)
    try:
        run = services.ask(
            user=user, connection=thread.connection, text=form.text, thread=thread, language_model=model
        )
    except ValidationError as error:
        words = " ".join(error.messages)
        return render_thread(request, thread, text=form.text, model=sent, error=words, status=422)
    except ObjectDoesNotExist as error:
        raise Http404("This thread cannot be gone on with.") from error
    return redirect("run", run.pk)


@login_required
@posts_only
def ask_again(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Another attempt at the question of a run, as that one where nothing else is chosen."""
    user, run = person(request), run_to_ask_again(request, run_id)
    form = QuestionForm(request.POST, user=user)
    again = composer.Again(request.POST.get("strategy", ""), request.POST.get("model", ""))
    thread = run.question.thread
    if not form.is_valid():
        return render_thread(request, thread, run, again=again, error=_first_error(form), status=422)
    strategy = form.cleaned_data["strategy"] or (run.strategy if run.strategy in STRATEGIES else "")
    model = form.chosen_model or run.language_model
    try:
        fresh = services.ask_again(user=user, question=run.question, strategy=strategy, language_model=model)
    except ValidationError as error:
        words = " ".join(error.messages)
        return render_thread(request, thread, run, again=again, error=words, status=422)
    return redirect("run", fresh.pk)


@login_required
@posts_only
def stop(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Ask the worker to stop. The page that follows the run sees it end."""
    run = run_to_cancel(request, run_id)
    services.cancel_run(user=person(request), run=run)
    return HttpResponse(status=204) if getattr(request, "htmx", False) else redirect("run", run.pk)


def _ask_page(
    request: HttpRequest,
    *,
    connection: Connection | None = None,
    model: str = "",
    text: str = "",
    error: str = "",
) -> HttpResponse:
    user = person(request)
    shown, suggestions = composer.for_a_new_question(
        user, connection=connection, model=model, text=text, error=error
    )
    chosen = next((one for one in shown.models if one.value == model), next(iter(shown.models), None))
    context = {
        "composer": shown,
        "suggestions": suggestions,
        "may_manage": connection_permissions.may_manage_connections(user),
        "small_model": chosen.name if chosen is not None and chosen.small else "",
    }
    return render(request, "agents/ask.html", context, status=422 if error else 200)


def _connection_asked_for(request: HttpRequest) -> Connection | None:
    wanted = request.GET.get("connection", "")
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10):
        return None
    return connection_selectors.connections_to_ask(person(request)).filter(pk=int(wanted)).first()


def _first_error(form: QuestionForm) -> str:
    return next((str(message) for messages in form.errors.values() for message in messages), "")
