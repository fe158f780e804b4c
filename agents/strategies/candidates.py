"""Lines of drafts that go on side by side until their vote is decided: first as many as make a majority, the others
only where these do not agree.

The model is asked for those of a stage at once, their operations run one after another in a fixed order, so that a
resumed run comes to the same results.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

from agents.answers.comparison import is_blank
from agents.contracts import Task, Workbench
from agents.errors import NO_MORE_REPLIES, RunStoppedError
from agents.llm.messages import Message
from agents.strategies.drafting import Check, DraftLine, unchecked
from agents.strategies.sampling import SAMPLING_TEMPERATURE, Samples
from agents.strategies.side_by_side import side_by_side
from agents.strategies.voting import agreeing


def candidates(
    task: Task, bench: Workbench, opening: list[Message], names: Sequence[str], check: Check = unchecked
) -> list[DraftLine]:
    """A line of drafts for each name, which is its branch."""
    warm = [None, *[SAMPLING_TEMPERATURE] * (len(names) - 1)]
    return [
        DraftLine(task, bench, opening, branch=name, temperature=temperature, check=check)
        for name, temperature in zip(names, warm, strict=True)
    ]


def draft_until_decided(bench: Workbench, lines: Sequence[DraftLine]) -> None:
    """Drafts and repairs of all lines, until no further one can change the vote. Raises BudgetExhaustedError or a
    ModelAccessError where one cannot be had; what was drafted until then has run, and is in `lines`."""
    for repair in range(bench.settings.repairs + 1):
        turn = bench.budget.start_turn()
        waiting = [line for line in lines if not line.settled]
        for stage in _stages(lines) if repair == 0 else [waiting]:
            ended = _draft(bench, stage, turn, first=repair == 0)
            for line in (line for line in stage if line.is_drafted):
                line.run(turn, last=repair == bench.settings.repairs or ended is not None)
            if ended is not None:
                raise ended
            if _is_decided(lines):
                return


def _draft(bench: Workbench, lines: Sequence[DraftLine], turn: int, *, first: bool) -> RunStoppedError | None:
    """The next draft of every line, or why there are no more. Of the first ones the line at the profile's own
    temperature goes ahead, so that the prompt, which all share, is in the provider's cache for the others; repairs are
    asked for side by side."""
    groups = _alike(lines)
    try:
        if first or len(groups) == 1:
            for group in groups:
                _draw(bench, group, turn)
        else:
            for drawn in side_by_side(bench, [partial(_draw, bench, group, turn) for group in groups]):
                drawn.result()
    except NO_MORE_REPLIES as error:
        return error
    return None


def _alike(lines: Sequence[DraftLine]) -> list[list[DraftLine]]:
    """Lines that may be drawn in one request: those with the same prompt, whose temperature is the same, too."""
    groups: dict[Hashable, list[DraftLine]] = {}
    for line in lines:
        groups.setdefault(line.prompt if line.sampled else line, []).append(line)
    return list(groups.values())


def _draw(bench: Workbench, lines: Sequence[DraftLine], turn: int) -> None:
    if len(lines) == 1:
        lines[0].draft(turn)
        return
    drawn = Samples(bench, len(lines), turn)
    for line in lines:
        drawn.draft(line)


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
    return max(map(len, agreeing(telling)), default=0) > len(lines) / 2
