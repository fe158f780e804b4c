"""SQL that a model wrote, as actions: guarded, lifted to operations where that is possible, and run in the same door.

Nothing is sent that the guard has not passed. What can be lifted runs as operations, so the trace shows steps; what
cannot is refused or, with `unlifted`, guarded and sent as one statement.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.contracts import Workbench
from agents.dsl.names import quoted
from agents.dsl.operations.limit import Limit
from agents.engine.lift import LiftedProgram, lift
from agents.engine.misplaced import column_hints, requalified
from agents.engine.observations import cut_warnings, result_text
from agents.engine.outcomes import CallError, Outcome, Result
from agents.errors import (
    CORRECTABLE,
    CannotLiftError,
    InvalidArgumentError,
    UnknownColumnError,
    UnknownOperationError,
)
from agents.loop import Prepared
from connections import guard
from connections.contracts import Rows

EXECUTE_SQL = "execute_sql"

Call = Mapping[str, Any]


def statement(sql: str) -> Call:
    return {"op": EXECUTE_SQL, "args": {"sql": sql}}


class Statements:
    """The single action `execute_sql`, and the operations that it becomes.

    With `unlifted` a statement that cannot be lifted runs as it is; with `mend` a column under the wrong alias is read
    under the only right one; of each result at most `most_rows` are asked for.
    """

    names = (EXECUTE_SQL,)

    def __init__(self, bench: Workbench, *, unlifted: bool, mend: bool = False, most_rows: int | None = None) -> None:
        self._engine, self._catalogue = bench.engine, bench.catalogue
        self._unlifted, self._mend, self._most_rows = unlifted, mend, most_rows
        self._foreign: list[Call] = []  # of the last calls that were prepared

    def reply_schema(self) -> None:
        """SQL is checked by the guard, not by the model's server."""

    def prepare(self, calls: Sequence[Call]) -> Prepared:
        """The operations for the statements that can be lifted; the others stay, and fail or run when called. So do
        calls of anything else, which fail: operations come out of statements, never from the model."""
        self._foreign = [call for call in calls if call.get("op") != EXECUTE_SQL]
        prepared: list[Call] = []
        notes: list[str] = []
        doubts: list[str] = []
        for call in calls:
            try:
                lifted, read = self._lifted(call)
            except CORRECTABLE:
                prepared.append(call)
            else:
                prepared += self._cut(lifted.program)
                notes += read
                doubts += lifted.warnings
        sql = ";\n".join(sql for call in calls if (sql := _sql(call)))
        return Prepared(prepared, sql, tuple(notes), tuple(doubts))

    def call(self, call: Call) -> Outcome:
        foreign = any(call is one for one in self._foreign)
        if call.get("op") != EXECUTE_SQL and not foreign:
            return self._engine.call(call)
        started = time.perf_counter()
        try:
            if foreign:
                raise _unknown(call)
            return self._run(call)
        except CORRECTABLE as error:
            ms = (time.perf_counter() - started) * 1000
            said = self._with_hints(error, _sql(call))
            told = CallError.of(error, send_values=self._engine.settings.send_values, message=said)
            return Outcome(call, False, f"{told.type}: {told.message}", error=told, ms=ms)

    def restore(self, call: Call, result: Result | None = None) -> None:
        if call.get("op") != EXECUTE_SQL:
            self._engine.restore(call, result)
        elif result is not None:
            self._engine.adopt(result)

    def read_again(self, result: Result) -> Result:
        """`result` with all of its rows as the database gives them; as it is where they cannot be read any more."""
        try:
            rows = self._query(result.sql)
        except CORRECTABLE:
            return result
        return replace(result, rows=rows.rows)

    def _lifted(self, call: Call) -> tuple[LiftedProgram, list[str]]:
        """The program, and what was read differently."""
        try:
            return self._lift(_sql(call)), []
        except UnknownColumnError:
            sql, notes = requalified(_sql(call), self._catalogue) if self._mend else ("", [])
            if not notes:
                raise
        return self._lift(sql), notes

    def _cut(self, program: Sequence[Call]) -> Sequence[Call]:
        """With at most `most_rows` in what the program executes at its end."""
        if self._most_rows is None:
            return program
        *steps, execute = program
        handle = execute["args"]["rel"]
        return [*steps, {"op": Limit.name, "args": {"rel": handle, "n": self._most_rows}, "out": handle}, execute]

    def _lift(self, sql: str) -> LiftedProgram:
        if not sql:
            raise InvalidArgumentError(f'{EXECUTE_SQL} takes one SELECT as text: {{"sql": "SELECT …"}}.')
        guard.check(sql, self._catalogue.dialect, self._catalogue)
        return lift(sql, self._catalogue, self._catalogue.dialect)

    def _run(self, call: Call) -> Outcome:
        """A statement that did not become operations: the reason is raised again, or it is sent as one statement."""
        try:
            self._lifted(call)
        except CannotLiftError as error:
            if not self._unlifted:
                raise
            warning = f"run as one statement, without steps: {error}"
        settings = self._engine.settings
        rows = self._query(_sql(call))
        result = self._engine.adopt(_result(_sql(call), rows))
        text = result_text(result, settings.preview_rows, send_values=settings.send_values)
        columns = tuple((column.name, column.type) for column in result.columns)
        warnings = (warning, *cut_warnings(result, rows.cut_by))
        return Outcome(call, True, text, columns=columns, warnings=warnings, result=result.number, ms=rows.ms)

    def _query(self, sql: str) -> Rows:
        settings, door = self._engine.settings, self._engine.access.door
        most = settings.max_rows if self._most_rows is None else min(self._most_rows, settings.max_rows)
        return door.query(sql, max_rows=most, seconds=settings.seconds, purpose="execute")

    def _with_hints(self, error: Exception, sql: str) -> str:
        """The error, and where a misplaced column really is, or what looks like it where nothing was offered yet."""
        if not isinstance(error, UnknownColumnError):
            return str(error)
        hints = column_hints(sql, self._catalogue, similar="Did you mean" not in str(error))
        return " ".join([str(error), *hints])


def _result(sql: str, rows: Rows) -> Result:
    """The rows as a result that no handle made; one more row than was read is known where it was cut."""
    return Result(
        number=0,
        handle="",
        columns=rows.columns,
        rows=rows.rows,
        row_count=len(rows.rows) + rows.truncated,
        row_count_exact=not rows.truncated,
        truncated=rows.truncated,
        sql=sql,
        ms=rows.ms,
        cut_cells=rows.cut_cells,
    )


def _unknown(call: Call) -> UnknownOperationError:
    name = str(call.get("op", ""))[:60]
    return UnknownOperationError(
        f'There is no operation {quoted(name)}; there is {EXECUTE_SQL}, which takes one SELECT: {{"sql": "SELECT …"}}.'
    )


def _sql(call: Call) -> str:
    """The statement that the call is to execute; "" where it holds none."""
    args = call.get("args") if call.get("op") == EXECUTE_SQL else None
    sql = args.get("sql") if isinstance(args, Mapping) else None
    return sql if isinstance(sql, str) else ""
