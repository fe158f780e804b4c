"""`lift`: the model drafts SQL, which is lifted to operations; only those run, and what came of them goes back to it.

For models that know SQL but break the protocol of calls. With several samples, lines of drafts go on side by side and
vote: first as many as make a majority, the others only where these do not agree. The model is asked for those of a
stage at once, their operations run one after another in a fixed order, so that a resumed run comes to the same results.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import ClassVar

from agents.answers.comparison import is_blank, same_table
from agents.contracts import Answer, Task, Workbench
from agents.errors import BudgetExhaustedError, NoWorkingDraftError
from agents.strategies.answering import conclude
from agents.strategies.drafting import DraftLine, Ran
from agents.strategies.opening import lift_opening
from agents.strategies.sampling import SAMPLING_TEMPERATURE, Samples
from agents.traces.events import Final, Warned


class Lift:
    name: ClassVar[str] = "lift"

    def run(self, task: Task, bench: Workbench) -> Answer:
        lines = self._lines(task, bench)
        try:
            for repair in range(bench.settings.repairs + 1):
                turn = bench.budget.start_turn()
                waiting = [line for line in lines if not line.settled]
                for stage in _stages(lines) if repair == 0 else [waiting]:
                    self._draft(bench, stage, turn, first=repair == 0)
                    for line in stage:
                        line.run(turn, last=repair == bench.settings.repairs)
                    if _is_decided(lines):
                        break
                if _is_decided(lines):
                    break
        except BudgetExhaustedError as error:
            if not any(line.best for line in lines):
                raise
            text = f"{error} The best draft until then is shown."
            bench.journal.emit(Warned(turn=bench.budget.turns, text=text))
        return self._elect(task, bench, lines)

    def _lines(self, task: Task, bench: Workbench) -> list[DraftLine]:
        opening = lift_opening(task, bench)
        if bench.settings.samples == 1:
            return [DraftLine(task, bench, opening)]
        names = [f"candidate-{number}" for number in range(1, bench.settings.samples + 1)]
        warm = [None, *[SAMPLING_TEMPERATURE] * (len(names) - 1)]
        return [
            DraftLine(task, bench, opening, branch=name, temperature=temperature)
            for name, temperature in zip(names, warm, strict=True)
        ]

    def _draft(self, bench: Workbench, lines: Sequence[DraftLine], turn: int, *, first: bool) -> None:
        """The next draft of every line. The first ones answer the same prompt, so they are drawn in one request (but
        for the one at the profile's own temperature); repairs differ, so they are asked for side by side."""
        if len(lines) == 1:
            lines[0].draft(turn)
            return
        if first:
            sampled = [line for line in lines if line.sampled]
            for line in lines:
                if not line.sampled:
                    line.draft(turn)
            drawn = Samples(bench, len(sampled), turn)
            for line in sampled:
                drawn.draft(line)
            return
        with ThreadPoolExecutor(max_workers=len(lines)) as pool:
            for drafted in [pool.submit(line.draft, turn) for line in lines]:
                drafted.result()

    def _elect(self, task: Task, bench: Workbench, lines: Sequence[DraftLine]) -> Answer:
        """The table that most lines agree on, with the fewest doubts where there are several, else the first. Tables
        without any value win only where there are no others."""
        ran = [line.best for line in lines if line.best is not None]
        if not ran:
            raise NoWorkingDraftError(
                f"None of the model's drafts could be run, after {bench.settings.repairs} repairs. "
                f"The last error: {lines[0].error}"
            )
        telling = [one for one in ran if not is_blank(one.result.rows)] or ran
        elected = max(_agreeing(telling), key=lambda group: (len(group), sum(not one.doubts for one in group)))
        number = elected[0].result.number
        final = bench.journal.emit(Final(turn=bench.budget.turns, text=f"<execute_result_{number}>", cites=(number,)))
        answer = conclude(task, bench, final)
        return answer if len(lines) == 1 else replace(answer, confidence=len(elected) / len(lines))


def _stages(lines: Sequence[DraftLine]) -> Sequence[Sequence[DraftLine]]:
    """As many lines as make a majority, then the others."""
    majority = len(lines) // 2 + 1
    return [stage for stage in (lines[:majority], lines[majority:]) if stage]


def _is_decided(lines: Sequence[DraftLine]) -> bool:
    """Whether no further draft can change the vote: all are settled, or more than half of them agree on a table."""
    if all(line.settled for line in lines):
        return True
    sure = [line.best for line in lines if line.settled and line.best is not None]
    telling = [one for one in sure if not is_blank(one.result.rows)]
    return max(map(len, _agreeing(telling)), default=0) > len(lines) / 2


def _agreeing(ran: Sequence[Ran]) -> list[list[Ran]]:
    """For each draft, those whose tables are the same as its own."""
    return [[other for other in ran if same_table(one.result.rows, other.result.rows)] for one in ran]


STRATEGY = Lift()
