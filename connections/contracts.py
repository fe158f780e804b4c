"""The seams of this app on one page: what a driver offers, and what the door hands out.

`Driver` knows one kind of database. `Door` (door.py) is the only way to customer data: it takes a driver,
guards every statement, applies limits, and logs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from connections.catalogue import Catalogue, DialectName, SemanticType
from connections.network import NetworkPolicy


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result, by position: names may repeat. `type` is the database's own spelling where known."""

    name: str
    type: str = ""
    semantic: SemanticType = "unknown"


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement returned.

    `rows` hold Python values as the driver's `values` rules make them (None, bool, int, float, str, Decimal, date,
    datetime, time, timedelta, bytes, UUID, list, dict, and text for what Python cannot hold, such as `infinity`).
    `connections.values.to_cell` turns one into its exact JSON cell. `truncated` is true when more rows existed than
    were asked for, or when the byte cap was reached (`cut_by` is then "rows" or "bytes"). `cut_cells` counts values
    that were longer than `Limits.cell_bytes` and hold only their beginning. `ms` is wall-clock time.
    """

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    ms: float
    cut_by: str = ""
    cut_cells: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps for one door. Seconds, rows, bytes of memory; `sql_bytes` bounds the statement's own length."""

    seconds: float = 60.0
    rows: int = 10_000
    bytes: int = 64 * 1024 * 1024
    sql_bytes: int = 200_000
    cell_bytes: int = 5_000_000


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One statement that went through the door, for the query log. `error` is "" when it succeeded."""

    sql: str
    purpose: str
    rows: int
    ms: float
    error: str = ""


Progress = Callable[[str], None]


def silent(text: str) -> None:
    """A `Progress` that nobody listens to."""


@dataclass(frozen=True, slots=True)
class Examination:
    """What a driver found out about a server and about the role that logs in, for the connection test.

    `tls` is the protocol in use, "" without one. `write_refusal` is the database's own word against a write that was
    tried in a read-only session; None says that the write went through (and was undone): the connection must not be
    used. `warnings` tell what the role could do beyond reading.
    """

    version: str
    tls: str
    write_refusal: str | None
    warnings: tuple[str, ...] = ()


Sink = Callable[[Sequence[tuple[Any, ...]]], None]
"""Takes rows piece by piece, so that a result of any size needs little memory. What it raises ends the statement."""


class Session(Protocol):
    """One read-only session of one database. Not shared between threads, except `cancel`."""

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        """Run one SELECT and fetch at most `max_rows` (one more is fetched to know whether the result was cut).

        With `sink` the rows go there as they come; those of the returned `Rows` are then none.

        Raises ExecutionError, QueryTimeoutError, QueryCancelledError or ConnectionFailedError.
        """

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        """Store the rows of `sql` under `name` for the life of the session; only where `temp_tables` is true."""

    def cancel(self) -> None:
        """From another thread: end the running statement in the database itself, within 2 seconds."""

    def close(self) -> None: ...


class Driver(Protocol):
    """One kind of database at one address."""

    dialect: DialectName
    temp_tables: bool
    endpoint: tuple[str, int] | None  # host and port; None for a file
    networks: NetworkPolicy | None  # which addresses may be reached; None: any

    def open(self, limits: Limits) -> Session:
        """A new read-only session, or ConnectionFailedError."""

    def catalogue(self, schemas: tuple[str, ...] = (), progress: Progress = silent) -> Catalogue:
        """Read the tables of `schemas` (empty: all but the system's own). What cannot be read becomes a warning.

        `progress` is told what is read next, in a few words for a person.
        """

    def examine(self) -> Examination:
        """Log in, look at the role, and try to write. Raises ConnectionFailedError or one of its kinds."""


LogSink = Callable[[LogEntry], None]
