"""What the engine itself costs a call: reading, checking, compiling and guarding, without the database.

The programs are those of the tests. The time that a statement spends in the database session is taken off.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.engine.engine import Engine
from agents.engine.lift import lift
from connections.contracts import Driver, Limits, Rows, Session, Sink
from connections.door import Door
from connections.drivers import driver_for
from tests.databases import scratch
from tests.engine.data import create_sql
from tests.engine.long_programs import sixty_operations_with_eight_joins
from tests.lift.shop import TABLES

PROGRAMS = Path(__file__).resolve().parent.parent / "tests" / "lift" / "programs"
REPEATS, SIXTY_REPEATS = 5, 20

Program = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Cost:
    """Milliseconds of one call outside the database."""

    op: str
    ms: float


class Stopwatch:
    """A driver whose sessions add up the seconds they spend."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.dialect, self.temp_tables = driver.dialect, driver.temp_tables
        self.endpoint, self.networks = driver.endpoint, driver.networks
        self.catalogue, self.examine = driver.catalogue, driver.examine
        self.seconds = 0.0

    def open(self, limits: Limits) -> Session:
        return TimedSession(self._driver.open(limits), self)


class TimedSession:
    def __init__(self, session: Session, watch: Stopwatch) -> None:
        self._session, self._watch = session, watch

    def cancel(self) -> None:
        self._session.cancel()

    def close(self) -> None:
        self._session.close()

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        started = time.process_time()
        try:
            return self._session.query(sql, max_rows=max_rows, max_bytes=max_bytes, seconds=seconds, sink=sink)
        finally:
            self._watch.seconds += time.process_time() - started

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        started = time.process_time()
        try:
            self._session.create_temp_table(name, sql, seconds=seconds)
        finally:
            self._watch.seconds += time.process_time() - started


def report() -> Iterator[str]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        watch = Stopwatch(driver_for(stack.enter_context(scratch("sqlite", TABLES, folder))))
        programs = _programs(watch)
        costs = [cost for _ in range(REPEATS) for program in programs.values() for cost in _costs(watch, program)]
    yield f"Engine overhead on SQLite: {len(programs)} programs of the tests, {len(costs):,} calls, database time off"
    yield f"  {'operation':<16} {'calls':>6} {'median ms':>10} {'90 % ms':>9}"
    by_op: dict[str, list[float]] = defaultdict(list)
    for cost in costs:
        by_op[cost.op].append(cost.ms)
    for op, ms in sorted(by_op.items()):
        yield _line(op, ms)
    yield _line("all", [cost.ms for cost in costs])
    yield from _sixty()


def _sixty() -> Iterator[str]:
    """A program of sixty calls: read, checked and compiled, and what that costs with a result as well."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        watch = Stopwatch(driver_for(stack.enter_context(scratch("sqlite", create_sql(), folder))))
        calls = sixty_operations_with_eight_joins()
        execute = {"op": "execute", "args": {"rel": calls[-1]["out"]}}
        totals = [sum(cost.ms for cost in _costs(watch, [*calls, execute])) for _ in range(SIXTY_REPEATS)]
    yield f"A program of {len(calls)} calls with 8 joins, and its execute: median {statistics.median(totals):.1f} ms"


def _line(name: str, ms: list[float]) -> str:
    return f"  {name:<16} {len(ms):>6,} {statistics.median(ms):>10.2f} {sorted(ms)[int(len(ms) * 0.9)]:>9.2f}"


def _programs(driver: Stopwatch) -> Mapping[str, Program]:
    catalogue = driver.catalogue()
    sql = {path.stem: path.read_text(encoding="utf-8").splitlines()[0] for path in sorted(PROGRAMS.glob("*.txt"))}
    return {name: lift(text, catalogue, "sqlite").program for name, text in sql.items()}


def _costs(watch: Stopwatch, program: Program) -> Iterator[Cost]:
    with Door(watch, watch.catalogue()) as door:
        engine = Engine(door)
        for call in program:
            before, started = watch.seconds, time.process_time()
            outcome = engine.call(call)
            ms = (time.process_time() - started - (watch.seconds - before)) * 1000
            assert outcome.ok, outcome.text
            yield Cost(str(call["op"]), ms)
