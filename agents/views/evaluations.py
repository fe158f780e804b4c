"""The list of evaluations; starting, following, stopping and continuing one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agents import permissions
from agents.forms import StartEvaluationForm
from agents.library import evaluated, evaluating
from agents.library.evaluating import SAMPLES
from agents.models import Evaluation
from agents.views import composer
from agents.views.objects import evaluation_to_see, person
from connections.login import login_required, posts_only
from connections.models import User

PAGE = 30


@login_required
@require_safe
def evaluation_list(request: HttpRequest) -> HttpResponse:
    user = _manager(request)
    page = Paginator(evaluated.evaluations(user), PAGE).get_page(request.GET.get("page"))
    may_start = permissions.connections_to_evaluate(user).exists()
    return render(request, "agents/evaluations.html", {"page": page, "may_start": may_start})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """The form; a good one begins the evaluation and leads to its page."""
    user = _manager(request)
    if request.method != "POST":
        return _form(request, user, StartEvaluationForm(user=user))
    form = StartEvaluationForm(request.POST, user=user)
    if form.is_valid():
        given = form.cleaned_data
        try:
            begun = evaluating.start(
                user=user, connection=given["connection"], choices=form.chosen, name=given["name"]
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("evaluation", begun.pk)
    return _form(request, user, form)


def _form(request: HttpRequest, user: User, form: StartEvaluationForm) -> HttpResponse:
    known = Count("regression_set", filter=~Q(regression_set__gold_sql=""), distinct=True)
    connections = list(permissions.connections_to_evaluate(user).annotate(known=known).order_by("name"))
    given = request.POST if request.method == "POST" else request.GET
    context: dict[str, Any] = {
        "form": form,
        "connections": connections,
        "connection": given.get("connection", ""),
        "strategies": list(composer.STRATEGY_WORDS.items()),
        "chosen_strategies": given.getlist("strategy") or ["auto"],
        "samples": SAMPLES,
        "chosen_samples": given.getlist("samples") or ["1"],
        "models": composer.model_choices(),
        "chosen_models": given.getlist("model"),
        "name": given.get("name", ""),
        "errors": [words for found in form.errors.values() for words in found],
    }
    return render(request, "agents/evaluation_new.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def progress(request: HttpRequest, evaluation_id: int) -> HttpResponse:
    """How it goes: a fragment that asks again while it goes on, and then fetches what came of it. The numbers change
    every second; what is said aloud does with every tenth, of which the reader names the last."""
    found = evaluation_to_see(request, evaluation_id)
    context = {"followed": True, **progress_context(person(request), found)}
    context["news"] = request.GET.get("said") != str(context["progress"].tenths)
    return render(request, "agents/parts/evaluation_news.html", context)


def progress_context(user: User, found: Evaluation) -> dict[str, Any]:
    connection = found.connection
    may_run = connection is not None and permissions.may_evaluate(user, connection)
    return {"evaluation": found, "progress": evaluated.progress(found), "may_run": may_run and not found.source}


@login_required
@posts_only
def stop(request: HttpRequest, evaluation_id: int) -> HttpResponse:
    found = evaluation_to_see(request, evaluation_id)
    evaluating.stop(user=person(request), evaluation=found)
    return redirect("evaluation", found.pk)


@login_required
@posts_only
def go_on(request: HttpRequest, evaluation_id: int) -> HttpResponse:
    found = evaluation_to_see(request, evaluation_id)
    try:
        evaluating.go_on(user=person(request), evaluation=found)
    except ObjectDoesNotExist:
        messages.error(request, "This evaluation cannot be continued here.")
    return redirect("evaluation", found.pk)


@login_required
@posts_only
def delete(request: HttpRequest, evaluation_id: int) -> HttpResponse:
    found = evaluation_to_see(request, evaluation_id)
    try:
        evaluating.delete(user=person(request), evaluation=found)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("evaluation", found.pk)
    return redirect("evaluations")


def _manager(request: HttpRequest) -> User:
    user = person(request)
    if not permissions.is_manager(user):
        raise Http404("Evaluations are for managers of a team.")
    return user
