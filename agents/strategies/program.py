"""`program`: calls that were written before, run as they are. No model is asked.

A saved question is such a program; so is one with a step changed by hand, or SQL that was lifted.
"""

from __future__ import annotations

from typing import ClassVar

from agents.answers.sentence import told
from agents.batch import Batch
from agents.contracts import Answer, Task, Workbench
from agents.errors import ProgramFailedError
from agents.traces.events import CallResult, Calls, Final


class Program:
    name: ClassVar[str] = "program"

    def run(self, task: Task, bench: Workbench) -> Answer:
        turn = bench.budget.start_turn()
        calls = tuple(task.program)
        bench.journal.emit(Calls(turn=turn, thought="", calls=calls))
        batch = Batch(bench, bench.engine, turn)
        results = batch.run(calls)
        batch.observe(results)
        number = _last_result(results)
        final = bench.journal.emit(Final(turn=turn, text=f"<execute_result_{number}>", cites=(number,)))
        return Answer("answered", told(final.text, bench.engine.results), number, None, (number,))


def _last_result(results: list[CallResult]) -> int:
    failed = next((result for result in results if result.error is not None), None)
    if failed is not None and failed.error is not None:
        raise ProgramFailedError(
            f"Step {failed.index + 1}, {failed.call.get('op', 'a call')}, failed. {failed.error['message']}"
        )
    number = next((result.result for result in reversed(results) if result.result is not None), None)
    if number is None:
        raise ProgramFailedError("The program has no execute, so it makes no table.")
    return number


STRATEGY = Program()
