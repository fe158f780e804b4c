"""`zero-shot`: schema and question in, one SQL out, no second chance. The paper's baseline."""

from __future__ import annotations

from typing import ClassVar

from agents.contracts import Answer, Task, Workbench
from agents.errors import NoWorkingDraftError
from agents.strategies.answering import conclude
from agents.strategies.drafting import DraftLine
from agents.strategies.opening import zero_shot_opening
from agents.traces.events import Final


class ZeroShot:
    name: ClassVar[str] = "zero-shot"

    def run(self, task: Task, bench: Workbench) -> Answer:
        line = DraftLine(task, bench, zero_shot_opening(task, bench), mend=False)
        turn = bench.budget.start_turn()
        line.draft(turn)
        line.run(turn, last=True)
        if line.best is None:
            raise NoWorkingDraftError(f"The SQL that the model wrote could not be run. {line.error}")
        number = line.best.result.number
        final = bench.journal.emit(Final(turn=turn, text=f"<execute_result_{number}>", cites=(number,)))
        return conclude(task, bench, final)


STRATEGY = ZeroShot()
