"""The engine: takes calls, checks them, binds handles, runs what is to be run, and says what happened."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.dsl.names import check_name, quoted
from agents.dsl.operations import ProbeOperation, RelationOperation, offered
from agents.dsl.operations.execute import Execute
from agents.dsl.operations.select_columns import Renamed, SelectColumns
from agents.dsl.relation import Relation
from agents.engine.access import Access, Door
from agents.engine.counts import Counts
from agents.engine.observations import columns_text, cut_warnings, relation_text, result_text
from agents.engine.outcomes import Call, CallError, EngineSettings, Outcome, Preview, Result
from agents.engine.plan import inputs_first
from agents.engine.probes import Probes
from agents.engine.reading import ReadCall, named_relation, read_call
from agents.engine.warnings import Warnings
from agents.errors import CORRECTABLE, LimitExceededError, UnknownResultError
from connections.contracts import ResultColumn, Rows

__all__ = ["CallError", "Engine", "EngineSettings", "Outcome", "Preview", "Result"]


class Engine:
    """One run's relations over one door. Nothing is changed in place: a handle bound again names a new relation.

    `call` and `run` never raise what a better call would mend; it is in `Outcome.error`. What ends a run (no
    connection, a cancelled run) is raised as it is.
    """

    def __init__(self, door: Door, *, settings: EngineSettings | None = None) -> None:
        self.settings = settings or EngineSettings()
        self.access = Access(door, self.settings)
        self._operations = offered(paper_mode=self.settings.paper_mode)
        self._handles: dict[str, Relation] = {}
        self._calls: dict[int, tuple[Relation, Call]] = {}  # what made each relation, in order
        self._results: list[Result] = []
        self._executed: dict[int, Relation] = {}  # by result number; an adopted result has none
        self._probes = Probes(self.access)
        self._counts = Counts(self.access)
        self._warnings = Warnings(self.access, self._probes, self._counts)

    @property
    def handles(self) -> Mapping[str, Relation]:
        """The live handles, each with the newest relation of that name."""
        return self._handles

    @property
    def results(self) -> Sequence[Result]:
        """Results in order; number N is at N - 1."""
        return self._results

    def result(self, number: int) -> Result:
        """Raises UnknownResultError."""
        if not 1 <= number <= len(self._results):
            known = f"results 1 to {len(self._results)}" if self._results else "no results yet"
            raise UnknownResultError(f"There is no result {number}; there are {known}. execute makes results.")
        return self._results[number - 1]

    # ---- Calls -------------------------------------------------------------------------------------------------------

    def run(self, calls: Sequence[Call]) -> list[Outcome]:
        """The calls in order; the first failure skips the rest, and what succeeded before stays."""
        outcomes: list[Outcome] = []
        for call in calls:
            if outcomes and not outcomes[-1].ok:
                outcomes.append(Outcome(call, False, "skipped: an earlier call of this batch failed", skipped=True))
            else:
                outcomes.append(self.call(call))
        return outcomes

    def call(self, call: Call) -> Outcome:
        started = time.perf_counter()
        try:
            outcome = self._dispatch(read_call(call, self._operations))
        except CORRECTABLE as error:
            told = CallError.of(error, send_values=self.settings.send_values)
            outcome = Outcome(call, False, f"{told.type}: {told.message}", error=told)
        return replace(outcome, ms=(time.perf_counter() - started) * 1000)

    def _dispatch(self, read: ReadCall) -> Outcome:
        inputs = tuple(named_relation(handle, self._handles) for handle in read.operation.handles())
        if isinstance(read.operation, RelationOperation):
            return self._relate(read, read.operation, inputs)
        if isinstance(read.operation, Execute):
            return self._execute(read, inputs[0])
        assert isinstance(read.operation, ProbeOperation)
        return Outcome(read.call, True, self._probes.observe(read.operation, inputs[0]))

    def _relate(self, read: ReadCall, operation: RelationOperation, inputs: tuple[Relation, ...]) -> Outcome:
        relation = self._derive(read, operation, inputs)
        twin = next((one.handle for one in self._handles.values() if one.is_twin_of(relation)), None)
        self.access.store_materialized(relation)
        self._bind(relation, read.call)
        hint = self._warnings.repeated_rows(relation) if self.settings.warnings else ""
        return Outcome(
            read.call,
            True,
            relation_text(relation.handle, relation, twin),
            handle=relation.handle,
            columns=tuple((column.name, column.shown_type) for column in relation.columns.values()),
            warnings=(hint,) if hint else (),
        )

    def _derive(self, read: ReadCall, operation: RelationOperation, inputs: tuple[Relation, ...]) -> Relation:
        if len(self._calls) >= self.settings.relations:
            raise LimitExceededError(
                f"A run may make {self.settings.relations:,} relations; start from an earlier one."
            )
        limit = self.access.dialect.name_limit
        handle = check_name(read.handle, "The handle", limit) if read.handle else self._free_handle()
        relation = self.access.relate(operation, inputs, handle)
        if relation.depth > self.settings.depth:
            raise LimitExceededError(
                f"{quoted(handle)} would be {relation.depth:,} operations deep, more than {self.settings.depth:,}. "
                "materialize an intermediate relation first."
            )
        return relation

    def _bind(self, relation: Relation, call: Call) -> None:
        self._handles[relation.handle] = relation
        self._calls[id(relation)] = (relation, {**call, "out": relation.handle})

    def _free_handle(self) -> str:
        number = 1
        while f"t{number}" in self._handles:
            number += 1
        return f"t{number}"

    # ---- execute -----------------------------------------------------------------------------------------------------

    def _execute(self, read: ReadCall, relation: Relation) -> Outcome:
        named = self._named(read, relation)
        limit, seconds = self.settings.max_rows, self.settings.seconds
        rows = self.access.fetch(relation, max_rows=limit, seconds=seconds, purpose="execute")
        count, exact = self._total(relation, rows)
        handle = str(read.operation.handles()[0])
        result = Result(
            number=len(self._results) + 1,
            handle=handle,
            columns=_result_columns(relation, rows),
            rows=rows.rows,
            row_count=count,
            row_count_exact=exact,
            truncated=rows.truncated,
            sql=self.access.shown_sql(relation),
            ms=rows.ms,
            cut_cells=rows.cut_cells,
        )
        self._keep(result, relation, named)
        text = result_text(result, self.settings.preview_rows, send_values=self.settings.send_values)
        columns = tuple((column.name, column.type) for column in result.columns)
        warnings = self._result_warnings(relation, result, rows.cut_by)
        return Outcome(read.call, True, text, False, handle, columns, warnings, result=result.number)

    def _named(self, read: ReadCall, relation: Relation) -> tuple[Relation, Call] | None:
        """What `out` of an execute names: `relation` with all its columns, made by a call of its own, so that a program
        in which later calls name it can be run again. None where that is its name already. Raises as a call does."""
        if not read.handle or self._handles.get(read.handle) is relation:
            return None
        (rel,), columns = read.operation.handles(), list(relation.columns)
        operation = SelectColumns(rel, tuple(Renamed(name, name) for name in columns))
        call = {"op": operation.name, "args": {"rel": rel, "columns": columns}}
        return self._derive(read, operation, (relation,)), call

    def _keep(self, result: Result, relation: Relation, named: tuple[Relation, Call] | None) -> None:
        self._results.append(result)
        self._executed[result.number] = relation
        if named:
            self._bind(*named)

    def adopt(self, result: Result) -> Result:
        """Take over, under the next number, a result that no relation made."""
        numbered = replace(result, number=len(self._results) + 1)
        self._results.append(numbered)
        return numbered

    def _total(self, relation: Relation, rows: Rows) -> tuple[int, bool]:
        if not rows.truncated:
            self._counts.note(relation, len(rows.rows))
            return len(rows.rows), True
        (count,) = self._counts.count([relation], self.settings.count_seconds)
        return (count, True) if count is not None else (len(rows.rows) + 1, False)

    def _result_warnings(self, relation: Relation, result: Result, cut_by: str) -> tuple[str, ...]:
        warnings = cut_warnings(result, cut_by)
        if not result.rows and result.row_count == 0 and self.settings.warnings:
            reason = self._warnings.empty_reason(relation)
            warnings.append(f"result {result.number} has no rows" + (f": {reason}" if reason else ""))
        return tuple(warnings)

    # ---- Looking without changing anything ---------------------------------------------------------------------------

    def relation(self, handle: str) -> Relation:
        """Raises UnknownRelationError."""
        return named_relation(handle, self._handles)

    def sql(self, handle: str) -> str:
        """One statement that gives `handle` in any session. Raises UnknownRelationError or LimitExceededError."""
        return self.access.shown_sql(self.relation(handle))

    def preview(self, handle: str, limit: int = 50) -> Preview:
        """The first rows at `handle`. Raises a ModelCorrectableError or a DatabaseError."""
        relation = self.relation(handle)
        rows = self.access.fetch(relation, max_rows=limit, seconds=self.settings.seconds, purpose="preview")
        if not rows.truncated:
            self._counts.note(relation, len(rows.rows))
        (count,) = self._counts.count([relation], self.settings.check_seconds)
        columns = _result_columns(relation, rows)
        return Preview(handle, columns, rows.rows, count, rows.truncated, self.access.shown_sql(relation), rows.ms)

    def count(self, relations: Sequence[Relation], budget_ms: float) -> list[int | None]:
        """How many rows each has: one statement, at most `budget_ms`; None where that did not suffice."""
        return self._counts.count(relations, budget_ms / 1000)

    def empty_reason(self, relation: Relation) -> str:
        """Why it has no rows, with the nearest stored values where a text was compared; "" if not found."""
        return self._warnings.empty_reason(relation)

    def live_handles(self) -> str:
        """Every live handle with its columns, one a line."""
        return "\n".join(
            f"{quoted(handle)}: {columns_text(relation.columns.values())}" for handle, relation in self._handles.items()
        )

    # ---- Programs and replay -----------------------------------------------------------------------------------------

    def program(self, handle: str) -> list[dict[str, Any]]:
        """The fewest recorded calls that build `handle` again, in their order."""
        return self._calls_for(self.relation(handle))

    def result_program(self, number: int) -> list[dict[str, Any]]:
        """The calls that make result `number` again, its execute included, whatever its handle names by now; none for
        an adopted result. Raises UnknownResultError."""
        relation = self._executed.get(self.result(number).number)
        if relation is None:
            return []
        return [*self._calls_for(relation), {"op": Execute.name, "args": {"rel": relation.handle}}]

    def _calls_for(self, root: Relation) -> list[dict[str, Any]]:
        needed = {id(relation) for relation in inputs_first(root, lambda _: False)}
        return [dict(call) for key, (_, call) in self._calls.items() if key in needed]

    def restore(self, call: Call, result: Result | None = None) -> None:
        """Take over a call that succeeded before, without showing or running anything.

        An execute takes its number with `result` (None: a result of which only the columns are known now). A temp table
        is made again when something reads it.
        """
        read = read_call(call, self._operations)
        inputs = tuple(named_relation(handle, self._handles) for handle in read.operation.handles())
        if isinstance(read.operation, RelationOperation):
            self._bind(self._derive(read, read.operation, inputs), call)
        elif isinstance(read.operation, Execute):
            (relation,) = inputs
            number = len(self._results) + 1
            columns = tuple(ResultColumn(c.name, c.type, c.semantic) for c in relation.columns.values())
            blank = Result(number, relation.handle, columns, (), 0, row_count_exact=False, truncated=True)
            kept = replace(result, number=number) if result else blank
            self._keep(kept, relation, self._named(read, relation))


def _result_columns(relation: Relation, rows: Rows) -> tuple[ResultColumn, ...]:
    """The logical names with the types that the database reports, or else those that are known."""
    return tuple(
        ResultColumn(
            column.name,
            told.type or column.type,
            told.semantic if told.semantic != "unknown" else column.semantic,
        )
        for column, told in zip(relation.columns.values(), rows.columns, strict=True)
    )
