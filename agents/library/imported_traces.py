"""Traces as files: written for other tools and machines, and opened read-only where the run never was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from agents.models import Evaluation, Question, Run, RunEvent, Status, Thread
from agents.strategies import STRATEGIES
from agents.traces import events, recorder
from connections import audit
from connections.models import User
from connections.storable import storable

FORMAT = 1
TITLE_CHARACTERS = 120


def as_json(run: Run, saved: Sequence[events.Event]) -> str:
    """The whole trace: the events as they are stored, and what the run was about."""
    connection = run.question.thread.connection
    told = {
        "format": FORMAT, "run": str(run.pk), "status": run.status, "question": run.question.text,
        "asked_by": run.question.asked_by.get_full_name() or run.question.asked_by.get_username(),
        "asked_at": run.created_at.isoformat(), "model": run.model_name, "strategy": run.strategy,
        "connection": f"{connection.name}, {connection.get_kind_display()}" if connection is not None else "",
        "events": [events.to_json(event) for event in saved],
    }  # fmt: skip
    return json.dumps(told, ensure_ascii=False, indent=1)


def import_trace(text: str, *, owner: User, file: str) -> Run:
    """Keep a trace that `as_json` wrote as a run of `owner` that belongs to no connection: it can be read and not be
    run again. Its tokens and cost count for nobody. Raises ValidationError."""
    data = _parsed(text)
    with transaction.atomic():
        run = keep_trace(data, owner=owner, file=file)
        detail = {"file": file, "run": data.get("run", "")}
        audit.record("trace imported", actor=owner, target=run.question, detail=detail)
    return run


def keep_trace(data: Mapping[str, Any], *, owner: User, file: str, evaluation: Evaluation | None = None) -> Run:
    """A trace that was read already, as `owner`'s, on no list of questions where it belongs to an `evaluation`. Raises
    ValidationError for events that cannot be read."""
    saved = _events(data)
    began = next((event for event in saved if isinstance(event, events.RunStarted)), None)
    question_text = str(data.get("question") or (began.question if began is not None else "")) or "An imported trace"
    title = storable(question_text[:TITLE_CHARACTERS])
    with transaction.atomic():
        thread = Thread.objects.create(owner=owner, connection=None, evaluation=evaluation, title=title)
        question = Question.objects.create(thread=thread, position=1, text=storable(question_text), asked_by=owner)
        run = Run.objects.create(question=question, **_outcome(data, saved, file))
        RunEvent.objects.bulk_create([recorder.row_of(run.pk, event) for event in saved])
        run.save()
    return run


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValidationError(f"The file is no JSON: {error.msg} in line {error.lineno}.", code="json") from error
    if not isinstance(data, dict) or not isinstance(data.get("events"), list) or not data["events"]:
        raise ValidationError("The file is no trace: it needs a list of events. Download one as JSON.", code="trace")
    if data.get("format", FORMAT) != FORMAT:
        raise ValidationError(f"The file has format {data['format']}; this version reads {FORMAT}.", code="format")
    if data.get("status") not in Status.values:
        raise ValidationError(f"The run has the status {data.get('status')!r}, which is unknown.", code="status")
    return data


def _events(data: Mapping[str, Any]) -> list[events.Event]:
    found: list[events.Event] = []
    for number, item in enumerate(data["events"], start=1):
        try:
            event = events.from_json(item)
            datetime.fromisoformat(event.at)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValidationError(f"Event {number} cannot be read: {error}.", code="event") from error
        found.append(replace(event, position=number))
    return found


def _outcome(data: Mapping[str, Any], saved: Sequence[events.Event], file: str) -> dict[str, Any]:
    end = saved[-1]
    shaped = next((event for event in reversed(saved) if isinstance(event, events.Shaped)), None)
    final = next((event for event in reversed(saved) if isinstance(event, events.Final)), None)
    last = shaped or final
    error = end.error if isinstance(end, events.RunFailed) else {}
    live = data["status"] in (Status.QUEUED, Status.RUNNING)
    strategy = str(data.get("strategy", ""))
    return {
        "strategy": strategy if strategy in STRATEGIES else "react",
        "model_name": storable(str(data.get("model", "")))[:200],
        "status": Status.CANCELLED if live else data["status"],
        "answer": storable(last.text if last is not None else ""),
        "options": list(final.options) if final is not None else [],
        "error_type": storable(str(error.get("type", "")))[:60],
        "error": storable(str(error.get("message", ""))),
        "turns": getattr(end, "turns", end.turn),
        "calls": getattr(end, "calls", 0),
        "seconds": getattr(end, "seconds", 0.0),
        "started_at": datetime.fromisoformat(saved[0].at),
        "finished_at": timezone.now(),
        "settings": storable({"imported": {
            "file": file, "asked_by": str(data.get("asked_by", "")), "connection": str(data.get("connection", "")),
            "asked_at": str(data.get("asked_at", "")), "run": str(data.get("run", "")),
        }}),
    }  # fmt: skip
