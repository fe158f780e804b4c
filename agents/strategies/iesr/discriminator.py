"""The discriminator: parts of a candidate's statement are masked, and the model fills them in (IESR, section 3.3).

Who comes to the same table again confirms the candidate. Statements are masked at the borders of their clauses, and
compared by their tables, never by their text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agents import prompts
from agents.answers.comparison import same_table
from agents.contracts import Task, Workbench
from agents.engine.masking import masked
from agents.errors import NO_MORE_REPLIES, RunStoppedError
from agents.llm.messages import Message
from agents.strategies.drafting import DraftLine, Ran
from agents.strategies.iesr.opening import told
from agents.strategies.iesr.scoring import Candidate
from agents.strategies.side_by_side import side_by_side
from agents.traces.events import Warned

MOST_CANDIDATES = 3
"""Those with the most votes; the others count as not confirmed."""


def confirmed(
    task: Task, bench: Workbench, opening: Sequence[Message], candidates: Sequence[Candidate], known: dict[str, Ran]
) -> list[Candidate]:
    """The candidates with the share of their masked statements that were filled in to the same table: at most three
    calls a candidate, side by side."""
    turn = bench.budget.start_turn()
    lines: list[list[DraftLine]] = [
        [
            DraftLine(
                task,
                bench,
                told(opening, prompts.render("iesr_mask", query=query)),
                branch=f"mask-{number}-{place}",
                known=known,
            )
            for place, query in enumerate(masked(candidate.ran.sql, bench.catalogue.dialect), start=1)
        ]
        for number, candidate in enumerate(candidates[:MOST_CANDIDATES], start=1)
    ]
    filled = _filled(bench, [line for group in lines for line in group], turn)
    for line in filled:
        line.run(turn, last=True)
    checked = [_checked(candidate, group) for candidate, group in zip(candidates, lines, strict=False)]
    return [*checked, *candidates[len(checked) :]]


def _filled(bench: Workbench, lines: Sequence[DraftLine], turn: int) -> list[DraftLine]:
    """Ask for all at once; those that brought no reply are left out, and that is told."""
    if not lines:
        return []
    filled: list[DraftLine] = []
    ended: RunStoppedError | None = None
    asked = side_by_side(bench, [partial(line.draft, turn) for line in lines])
    for line, drafted in zip(lines, asked, strict=True):
        try:
            drafted.result()
            filled.append(line)
        except NO_MORE_REPLIES as error:
            ended = error
    if ended is not None:
        text = f"{ended} Not all parts of the candidates were checked."
        bench.journal.emit(Warned(turn=turn, text=text))
    return filled


def _checked(candidate: Candidate, lines: Sequence[DraftLine]) -> Candidate:
    same = sum(_is_same(candidate, line) for line in lines)
    return replace(candidate, confirmed=same / len(lines)) if lines else candidate


def _is_same(candidate: Candidate, line: DraftLine) -> bool:
    return line.best is not None and same_table(candidate.ran.result.rows, line.best.result.rows)
