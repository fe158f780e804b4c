"""One statement that a model wrote, carried out in a branch: its calls, their results, and what they say about it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.batch import Batch
from agents.contracts import Workbench
from agents.engine.outcomes import Result
from agents.strategies.statements import Statements, statement
from agents.traces.events import Calls


@dataclass(frozen=True, slots=True)
class Performed:
    """The result, or the error for the model. `doubts` say why it may be wrong all the same; `replayed` where a resumed
    run holds only the head of the rows, as JSON cells."""

    result: Result | None = None
    error: str = ""
    doubts: tuple[str, ...] = ()
    replayed: bool = False


def perform(bench: Workbench, actions: Statements, sql: str, turn: int, branch: str) -> Performed:
    prepared = actions.prepare([statement(sql)])
    notes = (*prepared.notes, *prepared.doubts)
    bench.journal.emit(Calls(turn=turn, branch=branch, thought="", calls=tuple(prepared.calls), notes=notes, sql=sql))
    batch = Batch(bench, actions, turn, branch=branch)
    results = batch.run(prepared.calls)
    failed = next((result.error for result in results if result.error is not None), None)
    if failed is not None:
        return Performed(error=f"{failed['type']}: {failed['message']}")
    doubts = (*prepared.doubts, *batch.observe(results).warnings)
    last = results[-1]
    result = next(result for result in bench.engine.results if result.number == last.result)
    doubts += last.warnings if result.row_count == 0 else ()
    return Performed(result, "", doubts, replayed=batch.replayed)
