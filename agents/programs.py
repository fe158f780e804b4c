"""Programs as people change them: checked without a run, lifted from SQL, their rows read at one step.

Nothing here asks a model. Everything goes through the connection's door under the reader's own rights, and what a
better program would mend is raised as ModelCorrectableError or DatabaseError, in words for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.engine.engine import Engine, EngineSettings
from agents.engine.lift import LiftedProgram, lift
from agents.errors import CORRECTABLE, ConnectionFailedError, InvalidArgumentError
from agents.models import Run
from connections import services as connections
from connections.models import Connection, User
from connections.values import to_cell

MOST_ROWS = 50
# A page waits for this, so it is shorter than what a run may take.
SECONDS = 15.0

Call = Mapping[str, Any]
Program = Sequence[Call]


@dataclass(frozen=True, slots=True)
class StepRows:
    """JSON cells of the first rows; `row_count` is None when they could not all be counted in time."""

    columns: Sequence[Mapping[str, Any]]
    rows: Sequence[Sequence[Any]]
    row_count: int | None
    ms: float


@dataclass(frozen=True, slots=True)
class Problem:
    """The first step (from 1) that does not fit, and why."""

    step: int
    kind: str
    message: str


def rows_at(user: User, run: Run, number: int) -> StepRows:
    """The first rows at step `number` (from 1) of the run's program.

    Raises IndexError for a step that is not there, DatabaseError where the database or the right to ask it is missing,
    ModelCorrectableError where the program no longer fits the database.
    """
    calls: Program = run.steps[:number]
    if not 1 <= number <= len(run.steps):
        raise IndexError(number)
    with connections.open_door(connection_of(run), user, run_id=run.pk) as door:
        engine = Engine(door, settings=EngineSettings(seconds=SECONDS))
        for call in calls:
            engine.restore(call)
        preview = engine.preview(_handle(calls[-1]), MOST_ROWS)
    columns = [{"name": one.name, "type": one.type, "semantic": one.semantic} for one in preview.columns]
    rows = [[to_cell(value) for value in row] for row in preview.rows]
    return StepRows(columns, rows, preview.row_count, preview.ms)


def check(user: User, connection: Connection, program: Program) -> Problem | None:
    """What is wrong with `program`, found without a statement: names, types, expressions. Raises DatabaseError."""
    with connections.open_door(connection, user) as door:
        engine = Engine(door)
        for number, call in enumerate(program, start=1):
            try:
                engine.restore(call)
            except CORRECTABLE as error:
                return Problem(number, type(error).__name__, str(error))
    return None


def lifted(user: User, connection: Connection, sql: str) -> LiftedProgram:
    """The program for one SELECT, checked without a statement. Raises what `lift` raises, and DatabaseError."""
    if not sql.strip():
        raise InvalidArgumentError("Paste one SELECT first.")
    with connections.open_door(connection, user) as door:
        program = lift(sql, door.catalogue, door.dialect)
        engine = Engine(door)
        for call in program.program:
            engine.restore(call)
    return program


def changed(program: Program, number: int, args: Mapping[str, Any]) -> list[dict[str, Any]]:
    """`program` with other arguments at step `number`, and its execute where it had lost it."""
    calls = [dict(call) for call in program]
    calls[number - 1] = {**calls[number - 1], "args": dict(args)}
    return complete(calls)


def complete(program: Program) -> list[dict[str, Any]]:
    """`program` ending with the execute of its last relation."""
    calls = [dict(call) for call in program]
    if calls and calls[-1].get("op") != "execute":
        handle = next((str(call["out"]) for call in reversed(calls) if call.get("out")), "")
        calls.append({"op": "execute", "args": {"rel": handle}})
    return calls


def handles_before(program: Program, number: int) -> list[str]:
    """The relations that step `number` may read, in the order in which they are made."""
    return list(dict.fromkeys(str(call["out"]) for call in program[: number - 1] if call.get("out")))


def connection_of(run: Run) -> Connection:
    """Raises ConnectionFailedError where the connection was deleted."""
    connection = run.question.thread.connection
    if connection is None:
        raise ConnectionFailedError("The connection of this question was deleted, so its rows cannot be read again.")
    return connection


def _handle(call: Call) -> str:
    """The relation that a step makes, or that it reads where it makes none."""
    return str(call.get("out") or (call.get("args") or {}).get("rel") or "")
