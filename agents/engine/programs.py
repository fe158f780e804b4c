"""Running a whole program without a server, and writing down what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.engine.access import Door as EngineDoor
from agents.engine.engine import Engine
from agents.engine.outcomes import Call, EngineSettings, Outcome, Result
from agents.errors import InvalidArgumentError
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from connections.values import to_cell

_SHAPE = "A program is a JSON array of calls, or an array of such arrays."


@dataclass(frozen=True)
class ProgramRun:
    """`error` is the outcome that failed, if one did."""

    outcomes: tuple[Outcome, ...]
    results: tuple[Result, ...]

    @property
    def error(self) -> Outcome | None:
        return next((outcome for outcome in self.outcomes if outcome.error), None)


def run_program(where: str | EngineDoor, program: Any, *, max_rows: int = 10_000, seconds: float = 60.0) -> ProgramRun:
    """Run `program` on the database at a SQLAlchemy URL, or through an open door.

    What a better program would mend is in the run; raises InvalidArgumentError for what is no program at all, and
    ConnectionFailedError.
    """
    batches = read_program(program)
    if isinstance(where, str):
        with open_door(where, max_rows=max_rows, seconds=seconds) as door:
            return _run(door, batches, EngineSettings(max_rows=max_rows, seconds=seconds))
    return _run(where, batches, EngineSettings(max_rows=max_rows, seconds=seconds))


def open_door(url: str, *, max_rows: int = 10_000, seconds: float = 60.0) -> Door:
    """A door to the database at `url`, for one person at a terminal. Raises ConnectionFailedError."""
    driver = driver_for(url)
    # Probes and counts need a few rows even where a result may hold fewer.
    return Door(driver, driver.catalogue(), Limits(seconds=seconds, rows=max(max_rows, 50_000)))


def read_program(program: Any) -> list[Sequence[Call]]:
    """The batches of `program`. Raises InvalidArgumentError."""
    if not isinstance(program, list):
        raise InvalidArgumentError(f"{_SHAPE} This is {_kind(program)}.")
    if program and all(isinstance(batch, list) for batch in program):
        return program
    strange = next((item for item in program if not isinstance(item, Mapping)), None)
    if strange is not None:
        raise InvalidArgumentError(f"{_SHAPE} One item is {_kind(strange)}.")
    return [program]


def _run(door: EngineDoor, batches: Sequence[Sequence[Call]], settings: EngineSettings) -> ProgramRun:
    engine = Engine(door, settings=settings)
    outcomes: list[Outcome] = []
    for batch in batches:
        outcomes += engine.run(batch)
        if outcomes and not outcomes[-1].ok:
            break
    return ProgramRun(tuple(outcomes), tuple(engine.results))


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


# ---- JSON ------------------------------------------------------------------------------------------------------------


def run_to_json(run: ProgramRun) -> dict[str, Any]:
    """The document of `dsl run --json`."""
    failed = run.error
    return {
        "observations": [observation_to_json(outcome) for outcome in run.outcomes],
        "results": [result_to_json(result) for result in run.results],
        "error": None
        if failed is None or failed.error is None
        else error_to_json(failed.error.type, failed.error.message, failed.call),
    }


def observation_to_json(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {"call": outcome.call, "ok": outcome.ok, "text": outcome.text}
    if outcome.handle:
        told["handle"] = outcome.handle
    if outcome.columns:
        told["columns"] = [{"name": name, "type": kind} for name, kind in outcome.columns]
    return told | {"warnings": list(outcome.warnings)}


def result_to_json(result: Result) -> dict[str, Any]:
    return {
        "n": result.number,
        "columns": [{"name": column.name, "type": column.type} for column in result.columns],
        "rows": [[to_cell(value) for value in row] for row in result.rows],
        "row_count": result.row_count,
        "row_count_exact": result.row_count_exact,
        "truncated": result.truncated,
        "sql": result.sql,
        "ms": round(result.ms, 3),
    }


def error_to_json(kind: str, message: str, call: Any = None) -> dict[str, Any]:
    return {"type": kind, "message": message, "call": call}
