"""A system under evaluation: one strategy with one model, asked through the same parts as a person's question."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from agents.answers.tables import as_text
from agents.composition import workbench
from agents.contracts import Answer, EarlierTurn, ModelClient, RunSettings, Task, Workbench
from agents.document import document_of, failure
from agents.errors import DatabaseError
from agents.evaluation.doors import AddressedDoors, Doors
from agents.evaluation.harness import Asked
from agents.evaluation.judge import Judge, Table
from agents.evaluation.records import Record
from agents.evaluation.results import CaseResult, with_vote
from agents.evaluation.scoring import score
from agents.llm.budget import BudgetLimits
from agents.strategies import start
from agents.traces.journal import MemoryJournal
from connections.contracts import Rows
from connections.door import Door

PREVIEW_ROWS = 5
VOTING = ("lift", "auto", "reforce")
"""Strategies whose drafts may vote."""

log = logging.getLogger(__name__)


class StrategySystem:
    """One strategy with one model, with or without a judge. Safe to ask from several threads. `note` is put behind its
    name in reports; `doors` lead to the databases, by their addresses unless told otherwise; `leave_thread` is called
    in each thread that has asked."""

    def __init__(
        self,
        strategy: str,
        model: ModelClient,
        *,
        settings: RunSettings | None = None,
        limits: BudgetLimits | None = None,
        judge: Judge | None = None,
        note: str = "",
        doors: Doors | None = None,
        leave_thread: Callable[[], None] = lambda: None,
    ) -> None:
        self._settings = settings or RunSettings()
        method = with_vote(strategy, self._settings.samples if strategy in VOTING else 1)
        self.name = f"{method}, {model.profile.name}{note}"
        self._strategy, self._model = strategy, model
        self._limits, self._judge = limits, judge
        self._doors, self._leave_thread = doors or AddressedDoors(), leave_thread

    def ask(self, record: Record, earlier: Sequence[EarlierTurn]) -> Asked:
        try:
            with self._doors(record) as door:
                return self._ask(record, earlier, door)
        except DatabaseError as error:
            return self._failed(record, type(error).__name__, str(error))
        except Exception:  # noqa: BLE001  one question's edge: the others go on
            log.exception("question %s failed unexpectedly", record.id)
            return self._failed(record, "InternalError", "Something went wrong inside; the log tells more.")
        finally:
            self._leave_thread()

    def _ask(self, record: Record, earlier: Sequence[EarlierTurn], door: Door) -> Asked:
        journal = MemoryJournal()
        settings = replace(self._settings, send_values=self._settings.send_values and record.send_values)
        bench = workbench(
            door, self._model, journal, settings=settings, limits=self._limits, leave_thread=self._leave_thread
        )
        task = Task(record.question, record.evidence, date.today().isoformat(), earlier=tuple(earlier))
        answer = start(task, bench, self._strategy)
        document = document_of(answer, bench, journal.events)
        result = self._scored(record, answer, bench, document, door)
        return Asked(result, document, _turn(record, answer, document))

    def _scored(
        self, record: Record, answer: Answer | None, bench: Workbench, document: dict[str, Any], door: Door
    ) -> CaseResult:
        plain = self._result(record, document)
        if not record.gold_sql:
            return plain
        golds, problem = _golds(record, door)
        if not golds:
            return replace(plain, error=plain.error or {"type": "GoldError", "message": problem})
        columns, rows = _predicted(answer, bench)
        found = score(rows, [gold.rows for gold in golds])
        scored = replace(plain, execution=found.execution, tolerant=found.tolerant, soft_f1=found.soft_f1)
        if self._judge is None or rows is None:
            return scored if self._judge is None else replace(scored, judged=False, judge_reason="no table")
        verdict = self._judge.compare(
            record.question,
            record.evidence,
            Table(columns, rows, len(rows)),
            [Table([column.name for column in gold.columns], gold.rows, len(gold.rows)) for gold in golds],
            answer.text if answer else "",
        )
        return replace(scored, judged=verdict.match, judge_reason=verdict.reason)

    def _result(self, record: Record, document: dict[str, Any]) -> CaseResult:
        return CaseResult(
            id=record.id,
            system=self.name,
            status=document["status"],
            db_id=record.db_id,
            difficulty=record.difficulty,
            answerable=record.answerable,
            question=record.question,
            answer=document["answer"] or "",
            sql=document["sql"],
            gold_sql=record.gold_sql,
            error=document["error"],
            turns=document["turns"],
            calls=document["calls"],
            usage=document["usage"],
            seconds=document["seconds"],
        )

    def _failed(self, record: Record, kind: str, message: str) -> Asked:
        document = failure(kind, message)
        return Asked(self._result(record, document), document)


def _golds(record: Record, door: Door) -> tuple[list[Rows], str]:
    """What the gold queries return, through the same read-only door; and why the last one that failed did."""
    golds, problem = [], ""
    for sql in record.gold_sql:
        try:
            golds.append(door.query(sql, purpose="gold"))
        except DatabaseError as error:
            problem = f"The gold query could not be run: {error}"
    return golds, problem


def _predicted(answer: Answer | None, bench: Workbench) -> tuple[Sequence[str], Sequence[Sequence[Any]] | None]:
    """The columns and rows of the answer's table; None for the rows where there is no table."""
    if answer is None or answer.status != "answered":
        return (), None
    if answer.table is not None:
        return [column["name"] for column in answer.table["columns"]], answer.table["rows"]
    if answer.result is None:
        return (), None
    result = bench.engine.result(answer.result)
    return [column.name for column in result.columns], result.rows


def _turn(record: Record, answer: Answer | None, document: dict[str, Any]) -> EarlierTurn | None:
    if answer is None:
        return None
    preview = as_text(document["table"], PREVIEW_ROWS) if document["table"] and record.send_values else ""
    text = answer.text if record.send_values or answer.status == "clarify" else ""
    return EarlierTurn(record.question, text, document["program"], preview)
