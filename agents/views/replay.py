"""A run of somebody else: the answer as the asker saw it, read-only, and why."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe

from agents import permissions
from agents.library import collecting, comments, sharing
from agents.models import Run
from agents.views.objects import person
from agents.views.outcome import Place, render_run
from connections import permissions as connection_permissions


def render_replay(request: HttpRequest, run: Run, *, error: str = "", status: int = 200) -> HttpResponse:
    user, question = person(request), run.question
    connection = question.thread.connection
    place = Place(question.thread, addressed=True)
    context: dict[str, Any] = {
        "run": run,
        "asker": question.asked_by.get_full_name() or question.asked_by.get_username(),
        "connection": connection,
        "share": sharing.share_that_opens(user, run),
        "collection": collecting.collection_that_opens(user, run),
        "answer": mark_safe(render_run(request, run, place)),  # noqa: S308
        "comments": comments.comments_on(user, [question]).get(question.pk, []),
        "may_run_again": permissions.may_run_again(user, run),
        "sees_connection": connection is not None and connection_permissions.may_see_connection(user, connection),
        "error": error,
    }
    if connection is not None:
        context["ask_url"] = f"{reverse('home')}?{urlencode({'connection': connection.pk, 'q': question.text})}"
    return render(request, "agents/replay.html", context, status=status)
