"""`dsl lift --batch`: lift many statements, run both sides, and say whether the rows are equal.

It is the proof that the operations are expressive enough, so nothing is taken on trust: the SQL itself is run, too, and
both results are compared whole.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from agents.engine.engine import Engine, EngineSettings
from agents.engine.lift import LiftedProgram, lift
from agents.engine.lift.comparison import same_order, same_rows, same_sequence
from agents.errors import DatabaseError, InvalidArgumentError, ModelCorrectableError
from connections.contracts import Limits, Rows
from connections.door import Door
from connections.drivers import driver_for
from connections.guard import parse, sqlglot_dialect

# At least three runs of each side, and more while the times differ much: on a busy machine that is mostly chance.
RUNS, MOST_RUNS, ENOUGH_MS, MUCH = 3, 50, 500.0, 1.25
ROWS, BYTES = 1_000_000, 1 << 30
_OPEN_DOORS = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line of the output. `ok`: it lifted and ran; `equal`: the same rows, in the same order where the SQL orders.

    `ms_sql` and `ms_dsl` are the best of three or more runs in the database, `ops` the number of calls; `ms_lift`, the
    time that lifting took, is for the summary only.
    """

    id: Any
    ok: bool = False
    equal: bool = False
    ops: int = 0
    ms_sql: float | None = None
    ms_dsl: float | None = None
    error: Mapping[str, Any] | None = None
    ms_lift: float | None = None

    @property
    def line(self) -> Mapping[str, Any]:
        return {key: value for key, value in asdict(self).items() if key != "ms_lift"}


class Doors:
    """Open doors by URL, the last few used."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: OrderedDict[str, Door] = OrderedDict()

    def door(self, url: str) -> Door:
        """Raises ConnectionFailedError."""
        if url not in self._open:
            if len(self._open) >= _OPEN_DOORS:
                self._open.popitem(last=False)[1].close()
            driver = driver_for(url)
            self._open[url] = Door(driver, driver.catalogue(), Limits(seconds=self._seconds, rows=ROWS, bytes=BYTES))
        self._open.move_to_end(url)
        return self._open[url]

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()


def verdicts(lines: Iterable[Mapping[str, Any]], url: str, seconds: float) -> Iterator[Verdict]:
    """A verdict for each line `{"id", "url"?, "sql"}`; `url` is where a line names none."""
    doors = Doors(seconds)
    try:
        for line in lines:
            yield _verdict(line, url, doors)
    finally:
        doors.close()


def _verdict(line: Mapping[str, Any], url: str, doors: Doors) -> Verdict:
    name, ops = line.get("id"), 0
    try:
        if not isinstance(line.get("sql"), str):
            raise InvalidArgumentError('A line needs "sql", a text.')
        door = doors.door(line.get("url") or url)
        started = time.perf_counter()
        lifted = lift(line["sql"], door.catalogue, door.dialect)
        ms_lift = (time.perf_counter() - started) * 1000
        ops = len(lifted.program)
        return replace(_compared(name, line["sql"], lifted, door), ms_lift=round(ms_lift, 3))
    except (ModelCorrectableError, DatabaseError) as error:
        return Verdict(name, ops=ops, error={"type": type(error).__name__, "message": str(error), "call": None})


def _compared(name: Any, sql: str, lifted: LiftedProgram, door: Door) -> Verdict:
    ops = len(lifted.program)
    statement, failure = compiled(lifted, door)
    if failure is not None:
        return Verdict(name, ops=ops, error=failure)
    original = _without_comments(sql, door)
    (wanted, got), ms_sql, ms_dsl = _in_turn(door, original, statement)
    if wanted.truncated or got.truncated:
        raise InvalidArgumentError(f"A result has more than {ROWS:,} rows or {BYTES:,} bytes: it cannot be compared.")
    return Verdict(name, True, is_equal(wanted, got, lifted), ops, round(ms_sql, 3), round(ms_dsl, 3))


def _in_turn(door: Door, original: str, lifted: str) -> tuple[tuple[Rows, Rows], float, float]:
    """The rows of both and the best time of each. They run in turn: neither alone finds the data in memory, and what
    else the machine does hits both."""
    first = (door.query(original, purpose="original"), door.query(lifted, purpose="lifted"))
    best = [rows.ms for rows in first]
    spent, runs = sum(best), 1
    while runs < RUNS or (runs < MOST_RUNS and spent < ENOUGH_MS and max(best) > MUCH * min(best)):
        again = (door.query(original, purpose="original").ms, door.query(lifted, purpose="lifted").ms)
        best = [min(pair) for pair in zip(best, again, strict=True)]
        spent, runs = spent + sum(again), runs + 1
    return first, best[0], best[1]


def compiled(lifted: LiftedProgram, door: Door) -> tuple[str, Mapping[str, Any] | None]:
    """The statement that the program executes, or the call that failed, as JSON."""
    engine = Engine(door, settings=EngineSettings(warnings=False))
    *calls, last = lifted.program
    for outcome in engine.run(calls):
        if outcome.error is not None:
            return "", {"type": outcome.error.type, "message": outcome.error.message, "call": outcome.call}
    return engine.sql(last["args"]["rel"]), None


def is_equal(wanted: Rows, got: Rows, lifted: LiftedProgram) -> bool:
    """Whether `got` is what the SQL returns: the same multiset, and in its order as far as the SQL orders."""
    if same_sequence(wanted.rows, got.rows):
        return len(wanted.columns) == len(got.columns)
    if not same_rows(wanted.rows, got.rows):
        return False
    if not lifted.ordered:
        return True
    return lifted.sorted_by is not None and same_order(wanted.rows, got.rows, lifted.sorted_by)


def _without_comments(sql: str, door: Door) -> str:
    """The SQL as the guard takes it."""
    parsed = parse(sql, door.dialect)
    if not any(token.comments for token in parsed.tokens):
        return sql
    return parsed.statements[0].sql(dialect=sqlglot_dialect(door.dialect), comments=False)
