"""The rows at one step of a saved program: rebuilt and read without a model, under the reader's own rights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.engine.engine import Engine, EngineSettings
from agents.errors import ConnectionFailedError
from agents.models import Run
from connections import services as connections
from connections.models import User
from connections.values import to_cell

MOST_ROWS = 50
# A page waits for this, so it is shorter than what a run may take.
SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class StepRows:
    """JSON cells of the first rows; `row_count` is None when they could not all be counted in time."""

    columns: Sequence[Mapping[str, Any]]
    rows: Sequence[Sequence[Any]]
    row_count: int | None
    ms: float


def rows_at(user: User, run: Run, number: int) -> StepRows:
    """The first rows at step `number` (from 1) of the run's program.

    Raises IndexError for a step that is not there, DatabaseError where the database or the right to ask it is missing,
    ModelCorrectableError where the program no longer fits the database.
    """
    calls: Sequence[Mapping[str, Any]] = run.program[:number]
    if not 1 <= number <= len(run.program):
        raise IndexError(number)
    connection = run.question.thread.connection
    if connection is None:
        raise ConnectionFailedError("The connection of this question was deleted, so its rows cannot be read again.")
    with connections.open_door(connection, user, run_id=run.pk) as door:
        engine = Engine(door, settings=EngineSettings(seconds=SECONDS))
        for call in calls:
            engine.restore(call)
        preview = engine.preview(_handle(calls[-1]), MOST_ROWS)
    columns = [{"name": one.name, "type": one.type, "semantic": one.semantic} for one in preview.columns]
    rows = [[to_cell(value) for value in row] for row in preview.rows]
    return StepRows(columns, rows, preview.row_count, preview.ms)


def _handle(call: Mapping[str, Any]) -> str:
    """The relation that a step makes, or that it reads where it makes none."""
    return str(call.get("out") or (call.get("args") or {}).get("rel") or "")
