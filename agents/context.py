"""What a run is told of its question: the words, the day, and what was asked before in the same thread."""

from __future__ import annotations

from django.conf import settings

from agents.answers import store
from agents.contracts import EarlierTurn, Task
from agents.models import Question, Run, Status, StoredResult
from agents.traces import recorder

EARLIER_TURNS = 5
PREVIEW_ROWS = 5


def task_of(run: Run) -> Task:
    """The task of a run, the same on every attempt: a resumed run must send the very same prompt."""
    question = run.question
    zone = question.asked_by.zone
    return Task(
        question=question.text,
        evidence=question.evidence,
        today=run.created_at.astimezone(zone).date().isoformat(),
        time_zone=str(zone),
        earlier=tuple(earlier_turns(question)),
        program=tuple(run.settings.get("program", ())),
    )


def earlier_turns(question: Question) -> list[EarlierTurn]:
    """The questions answered before this one in its thread, oldest first: without their values where the connection
    sends none to a model."""
    before = question.thread.questions.filter(position__lt=question.position).order_by("-position")[:EARLIER_TURNS]
    answered = [run for run in map(_answered_run, before) if run is not None]
    connection = question.thread.connection
    send_values = connection is not None and connection.send_values
    return [_earlier_turn(run, send_values=send_values) for run in reversed(answered)]


def _earlier_turn(run: Run, *, send_values: bool) -> EarlierTurn:
    """Without values, a question back is told in the model's own words, which cite what people read as a value."""
    answer = run.answer if send_values else recorder.own_words(run)
    preview = _preview(run) if send_values else ""
    return EarlierTurn(question=run.question.text, answer=answer, program=run.program, preview=preview)


def _answered_run(question: Question) -> Run | None:
    runs = question.runs.filter(status__in=(Status.ANSWERED, Status.CLARIFY)).select_related("question")
    return runs.order_by("-created_at").first()


def _preview(run: Run) -> str:
    """The first rows of the answer's table as text, "" where there is none."""
    if run.answer_table:
        columns, rows = run.answer_table["columns"], run.answer_table["rows"]
    else:
        result = run.results.filter(number=run.answer_result).first() if run.answer_result else None
        if result is None:
            return ""
        columns, rows = result.columns, _stored_rows(result)
    lines = [" | ".join(column["name"] for column in columns)]
    lines += [" | ".join("NULL" if cell is None else str(cell) for cell in row) for row in rows[:PREVIEW_ROWS]]
    return "\n".join(lines)


def _stored_rows(result: StoredResult) -> list[list[object]]:
    path = settings.RESULTS_DIR / result.file
    return store.read(path, 0, PREVIEW_ROWS) if path.exists() else []
