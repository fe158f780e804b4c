"""SQL opened as a program: pasted, lifted to steps, run without a model. A refusal is said with its place."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents import programs, services
from agents.answers import graph
from agents.answers.failures import error_in_words
from agents.answers.sql_place import place_of
from agents.answers.wording import plain, say, spoken
from agents.engine.lift import LiftedProgram
from agents.errors import CORRECTABLE, DatabaseError
from agents.views.objects import person
from connections import selectors as connection_selectors
from connections.login import keeping, login_required_from
from connections.models import Connection


class SqlForm(forms.Form):
    connection = forms.ModelChoiceField(Connection.objects.none(), empty_label=None)
    sql = forms.CharField(required=False, strip=False)
    question = forms.CharField(required=False)


@login_required_from(keeping(sql="sql", connection="connection"))
@require_http_methods(["GET", "HEAD", "POST"])
def open_sql(request: HttpRequest) -> HttpResponse:
    """The form; with a statement also its steps or why there are none; with `run` a question that they answer."""
    form = SqlForm(request.POST if request.method == "POST" else None)
    offered = connection_selectors.connections_to_ask(person(request))
    form.fields["connection"].queryset = offered  # type: ignore[attr-defined]
    context: dict[str, Any] = {"connections": offered, "chosen": _chosen(request)}
    if request.method != "POST":
        return render(request, "agents/sql.html", {**context, "sql": request.GET.get("sql", "")})
    context |= {"sql": request.POST.get("sql", ""), "question": request.POST.get("question", "")}
    if not form.is_valid():
        problem = {"kind": "Choose a connection", "message": "This connection is not there, or not yours to ask."}
        return render(request, "agents/sql.html", {**context, "problem": problem}, status=422)
    return _opened(request, form.cleaned_data, context)


def _opened(request: HttpRequest, given: dict[str, Any], context: dict[str, Any]) -> HttpResponse:
    user, connection, sql = person(request), given["connection"], given["sql"]
    try:
        program = programs.lifted(user, connection, sql)
        if "run" in request.POST:
            text = given["question"].strip() or _first_line(sql)
            run = services.ask_program(
                user=user, connection=connection, text=text, program=program.program, sql=sql
            )
            return redirect("run", run.pk)
    except (*CORRECTABLE, DatabaseError) as error:
        message = str(error)
        problem = {"kind": error_in_words(type(error).__name__), "message": message, "place": place_of(message, sql)}
        return render(request, "agents/sql.html", {**context, "problem": problem}, status=422)
    except ValidationError as error:
        refusal = {"kind": "Not run", "message": " ".join(error.messages)}
        return render(request, "agents/sql.html", {**context, "problem": refusal}, status=422)
    return render(request, "agents/sql.html", {**context, **_shown(program)})


def _chosen(request: HttpRequest) -> int:
    wanted = (request.POST or request.GET).get("connection", "")
    return int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else 0


def _first_line(sql: str) -> str:
    line = " ".join(sql.split())
    return line if len(line) <= 120 else line[:119] + "…"


def _shown(program: LiftedProgram) -> dict[str, Any]:
    """The steps in words, and their picture."""
    names: dict[str, str] = {}
    steps: list[dict[str, Any]] = []
    for step in graph.steps_of(program.program):
        steps.append({"number": step.number, "phrase": say(step.call, "wait", names), "handle": step.name})
        if step.call.get("out"):
            names[str(step.call["out"])] = spoken(step.call, names)
    drawn = graph.draw(graph.steps_of(program.program))
    labels = {step["number"]: plain(step["phrase"]) for step in steps}
    nodes = [
        {"number": node.number, "name": node.name, "kind": node.kind, "x": node.x, "y": node.y, "middle": node.middle,
         "name_y": node.y + 22, "url": "", "label": f"{node.name}: {labels[node.number]}"}
        for node in drawn.nodes
    ] if drawn else []  # fmt: skip
    picture = drawn and {
        "nodes": nodes, "edges": drawn.edges, "width": drawn.width, "height": drawn.height,
        "node_width": drawn.node_width, "node_height": drawn.node_height,
    }  # fmt: skip
    text = json.dumps(program.program, indent=2, ensure_ascii=False)
    return {"steps": steps, "graph": picture, "program": text, "warnings": program.warnings}
