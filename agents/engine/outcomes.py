"""What the engine gives back: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.errors import ExecutionError
from connections.contracts import ResultColumn

Call = Mapping[str, Any]

HELD_BACK = (
    "The database could not run this. What it said may quote values, of which this connection sends none to a model; "
    "people find it in the query log. Look for a cast that does not fit every value, a division by zero, or a number "
    "out of range."
)


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Choices of one engine. Times are in seconds.

    `max_rows` are kept of a result, `preview_rows` of them are shown in an observation. Without `send_values`,
    observations carry names, types and counts, never a cell. `warnings` switches the looks into the database that find
    repeated rows and empty filters. `relations` bounds the calls of a run, `depth` the operations on one another.
    """

    paper_mode: bool = False
    max_rows: int = 10_000
    seconds: float = 60.0
    preview_rows: int = 50
    send_values: bool = True
    warnings: bool = True
    probe_seconds: float = 5.0
    check_seconds: float = 0.5
    count_seconds: float = 10.0
    sample_rows: int = 50_000
    distinct_values: int = 20_000
    relations: int = 5_000
    depth: int = 600
    sql_bytes: int = 150_000


@dataclass(frozen=True, slots=True)
class CallError:
    """`type` is the name of an error class of `agents.errors`."""

    type: str
    message: str

    @classmethod
    def of(cls, error: Exception, *, send_values: bool, message: str = "") -> CallError:
        """`error`, in other words where `message` has some. A database quotes values: without `send_values` its own
        words are held back."""
        held_back = isinstance(error, ExecutionError) and not send_values
        return cls(type(error).__name__, HELD_BACK if held_back else message or str(error))


@dataclass(frozen=True, slots=True)
class Result:
    """What an `execute` returned. `rows` hold Python values; `row_count` is of the whole result, not of `rows`.

    `row_count_exact` is false when counting ran into its time limit: then there are at least so many rows. `sql` gives
    the same rows in any session; where something is materialised, the statement that ran read a temp table instead.
    `cut_cells` counts values that hold only their beginning.
    """

    number: int
    handle: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int
    row_count_exact: bool = True
    truncated: bool = False
    sql: str = ""
    ms: float = 0.0
    cut_cells: int = 0


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows at any handle. `row_count` is None when it could not be counted in time."""

    handle: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int | None
    truncated: bool
    sql: str
    ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one call. `text` is the observation; `columns` are (name, type) of the handle or the result."""

    call: Call
    ok: bool
    text: str
    skipped: bool = False
    handle: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    error: CallError | None = None
    result: int | None = None
    ms: float = field(default=0.0, compare=False)
