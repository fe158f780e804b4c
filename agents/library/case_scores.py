"""Scoring a case from the run that it was asked as: the gold query is run through the same read-only door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from agents.answers import store
from agents.evaluation import tables
from agents.evaluation.scoring import score
from agents.models import CaseState, EvaluationCase, EvaluationQuestion, Run, Status
from connections import services as connections
from connections.contracts import Rows
from connections.door import Door
from connections.errors import ConnectionFailedError, DatabaseError
from connections.models import Connection, User
from connections.storable import storable
from connections.values import to_cell

Table = tuple[Sequence[dict[str, Any]], Sequence[Sequence[Any]], int | None]


def settle(case: EvaluationCase, run: Run, connection: Connection, user: User) -> None:
    """Keep what came of `run` with its scores; once is enough, so a second one changes nothing. Raises
    ConnectionFailedError where the gold queries cannot be asked: the case stays as it is."""
    table = _answered(run)
    fields = _of_run(run)
    if table is not None:
        fields["predicted"] = storable(tables.beginning(*table))
    golds, problem = _golds(case.question, connection, user, run)
    found = score(tables.values(*table[:2]) if table else None, [tables.values(*gold) for gold in golds])
    fields |= {"execution": found.execution, "tolerant": found.tolerant, "soft_f1": found.soft_f1}
    if not golds and not run.error:
        fields |= {"error_type": "GoldError", "error": problem}
    fields["right"] = found.tolerant if case.question.answerable else run.status == Status.UNANSWERABLE
    if golds and case.question.gold is None:
        kept = storable(tables.beginning(*golds[0]))
        EvaluationQuestion.objects.filter(pk=case.question_id).update(gold=kept)
    this = EvaluationCase.objects.filter(pk=case.pk, state=CaseState.WORKING, run=run)
    this.update(state=CaseState.DONE, **fields)


def _of_run(run: Run) -> dict[str, Any]:
    return {
        "status": run.status, "answer": run.answer, "sql": run.sql, "error_type": run.error_type, "error": run.error,
        **run.spent(),
    }  # fmt: skip


def _answered(run: Run) -> Table | None:
    """Columns, JSON rows and the number of rows of the answer's table; None where it has none."""
    if run.status != Status.ANSWERED:
        return None
    if run.answer_table:
        return run.answer_table["columns"], run.answer_table["rows"], None
    result = run.results.filter(number=run.answer_result).first() if run.answer_result else None
    path = settings.RESULTS_DIR / result.file if result is not None else None
    if result is None or path is None or not path.is_file():
        return None
    return result.columns, store.read(path), result.row_count


def _golds(
    question: EvaluationQuestion, connection: Connection, user: User, run: Run
) -> tuple[list[tuple[list[dict[str, Any]], list[list[Any]]]], str]:
    """What the gold queries return, as JSON cells; and why the last one that failed did."""
    golds, problem = [], "The question has no gold query."
    with connections.open_door(connection, user, run_id=run.pk) as door:
        for sql in question.gold_sql:
            try:
                golds.append(_cells(_asked(door, sql)))
            except ConnectionFailedError:
                raise
            except DatabaseError as error:
                problem = f"The gold query could not be run: {error}"
    return golds, problem


def _asked(door: Door, sql: str) -> Rows:
    return door.query(sql, purpose="gold")


def _cells(found: Rows) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    columns = [{"name": one.name, "type": one.type, "semantic": one.semantic} for one in found.columns]
    return columns, [[to_cell(value) for value in row] for row in found.rows]
