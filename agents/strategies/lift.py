"""`lift`: the model drafts SQL, which is lifted to operations; only those run, and what came of them goes back to it.

For models that know SQL but break the protocol of calls. With several samples, lines of drafts go on side by side and
vote (candidates.py, voting.py).
"""

from __future__ import annotations

from typing import ClassVar

from agents.contracts import Answer, Task, Workbench
from agents.errors import NO_MORE_REPLIES
from agents.strategies.candidates import candidates, draft_until_decided
from agents.strategies.drafting import DraftLine
from agents.strategies.opening import lift_opening
from agents.strategies.voting import elect
from agents.traces.events import Warned


class Lift:
    name: ClassVar[str] = "lift"

    def run(self, task: Task, bench: Workbench) -> Answer:
        lines = self._lines(task, bench)
        try:
            draft_until_decided(bench, lines)
        except NO_MORE_REPLIES as error:
            if not any(line.best for line in lines):
                raise
            text = f"{error} The best draft until then is shown."
            bench.journal.emit(Warned(turn=bench.budget.turns, text=text))
        ran = [line.best for line in lines if line.best is not None]
        return elect(task, bench, ran, len(lines), lines[0].error)

    def _lines(self, task: Task, bench: Workbench) -> list[DraftLine]:
        opening = lift_opening(task, bench)
        if bench.settings.samples == 1:
            return [DraftLine(task, bench, opening)]
        names = [f"candidate-{number}" for number in range(1, bench.settings.samples + 1)]
        return candidates(task, bench, opening, names)


STRATEGY = Lift()
