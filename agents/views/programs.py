"""Programs in the hands of people: a step changed, a run repeated on fresh data, SQL opened as steps. No model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from agents import permissions, programs, services
from agents.answers import step_form
from agents.answers.cells import columns_of
from agents.answers.wording import say
from agents.errors import CORRECTABLE, DatabaseError
from agents.models import Run
from agents.views.grids import grid_of
from agents.views.objects import person, run_to_see
from agents.views.threads import render_page_of
from connections.login import login_required, posts_only
from connections.storable import storable

Calls = Sequence[dict[str, Any]]


@login_required
@require_safe
def step_rows(request: HttpRequest, run_id: UUID, number: int) -> HttpResponse:
    """The first rows at one step of the program, read afresh from the database."""
    shown = run_to_see(request, run_id)
    context: dict[str, Any] = {"run": shown}
    try:
        found = programs.rows_at(person(request), shown, number)
    except IndexError as error:
        raise Http404("The program has no such step.") from error
    except (*CORRECTABLE, DatabaseError) as error:
        context["problem"] = str(error)
    else:
        label = f"Rows at step {number}"
        grid = grid_of(columns_of(found.columns), found.rows, identifier=f"step-{number}-table", label=label)
        context |= {"rows": found, "grid": grid}
    return render(request, "agents/parts/step_rows.html", context)


@login_required
@posts_only
def check_step(request: HttpRequest, run_id: UUID, number: int) -> HttpResponse:
    """What is wrong with the step as it is written now; nothing is run."""
    run = _run_with_step(request, run_id, number)
    problem = _problem(request, run, _changed(request, run, number), number)
    return render(request, "agents/parts/step_check.html", {"problem": problem})


@login_required
@posts_only
def run_step(request: HttpRequest, run_id: UUID, number: int) -> HttpResponse:
    """Run the program with the changed step: as another run of the question, or as a new question."""
    run = _run_with_step(request, run_id, number)
    program = _changed(request, run, number)
    problem = _problem(request, run, program, number)
    if problem:
        return _step_page(request, run, program, number, problem)
    try:
        if request.POST.get("keep") == "new":
            connection = programs.connection_of(run)
            text = request.POST.get("question", "")
            fresh = services.ask_program(user=person(request), connection=connection, text=text, program=program)
        else:
            fresh = services.rerun(user=person(request), run=run, program=program, step=number)
    except ValidationError as error:
        return _step_page(request, run, program, number, " ".join(error.messages))
    return redirect("run", fresh.pk)


@login_required
@posts_only
def rerun(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The same program on fresh data: the owner's in its thread, another's as a question of one's own."""
    run = run_to_see(request, run_id)
    try:
        fresh = services.rerun(user=person(request), run=run)
    except ValidationError as error:
        return render_page_of(request, run, error=" ".join(error.messages), status=422)
    except ObjectDoesNotExist as error:
        raise Http404("This run cannot be repeated by you.") from error
    return redirect("run", fresh.pk)


def _run_with_step(request: HttpRequest, run_id: UUID, number: int) -> Run:
    """The run, where its step can be changed by this person."""
    run = run_to_see(request, run_id)
    if not permissions.may_follow_up(person(request), run.question.thread):
        raise Http404("The steps of this run cannot be changed by you.")
    if not (1 <= number <= len(run.steps) and step_form.editable(run.steps[number - 1])):
        raise Http404("The program has no such step to change.")
    return run


def _changed(request: HttpRequest, run: Run, number: int) -> Calls:
    args = step_form.args_from(str(run.steps[number - 1]["op"]), storable(request.POST.dict()))
    return programs.changed(run.steps, number, args)


def _problem(request: HttpRequest, run: Run, program: Calls, number: int) -> str:
    try:
        found = programs.check(person(request), programs.connection_of(run), program)
    except DatabaseError as error:
        return str(error)
    if found is None:
        return ""
    return found.message if found.step == number else f"Step {found.step} no longer fits: {found.message}"


def _step_page(request: HttpRequest, run: Run, program: Calls, number: int, problem: str) -> HttpResponse:
    """The form alone, with what was written and what is wrong with it."""
    context = {
        "run": run,
        "thread": run.question.thread,
        "current_thread": run.question.thread_id,
        "number": number,
        "phrase": say(run.steps[number - 1], "wait"),
        "sections": step_form.form_of(program[number - 1], programs.handles_before(program, number)),
        "question": request.POST.get("question", ""),
        "problem": problem,
    }
    return render(request, "agents/step.html", context, status=422)
