"""The vote of several drafts: whole tables are compared, and the largest group that agrees on one is elected.

Tables without any value (no rows, or nothing but NULL) prove little: they win only where there are no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.answers.comparison import is_blank, same_table
from agents.contracts import Answer, Task, Workbench
from agents.errors import NoWorkingDraftError
from agents.strategies.answering import conclude
from agents.strategies.drafting import Ran
from agents.traces.events import Final


@dataclass(frozen=True, slots=True)
class Vote:
    """`elected` agree on one table. `leaders` are the numbers of all results whose groups are as large; the vote is
    `clear` where that is one group of at least two, and of all voters where its table is blank."""

    elected: tuple[Ran, ...]
    leaders: frozenset[int]
    clear: bool


def vote(ran: Sequence[Ran], voters: int) -> Vote:
    """What the drafts that ran, at least one, decide; `voters` counts those that did not run, too. Among groups of one
    size the one with the fewest doubts is elected, then the first."""
    telling = [one for one in ran if not is_blank(one.result.rows)]
    groups = agreeing(telling or ran)
    elected = max(groups, key=lambda group: (len(group), sum(not one.doubts for one in group)))
    largest = {frozenset(one.result.number for one in group) for group in groups if len(group) == len(elected)}
    enough = 2 if telling else max(2, voters)
    clear = len(largest) == 1 and len(elected) >= enough
    return Vote(tuple(elected), frozenset().union(*largest), clear)


def agreeing(ran: Sequence[Ran]) -> list[list[Ran]]:
    """For each draft, those whose tables are the same as its own."""
    return [[other for other in ran if same_table(one.result.rows, other.result.rows)] for one in ran]


def elect(task: Task, bench: Workbench, ran: Sequence[Ran], voters: int, last_error: str) -> Answer:
    """The answer of the vote; its confidence, where there are several voters, is the share that agrees on it. Raises
    NoWorkingDraftError where nothing ran."""
    if not ran:
        raise NoWorkingDraftError(
            f"None of the model's drafts could be run, after {bench.settings.repairs} repairs. "
            f"The last error: {last_error}"
        )
    elected = vote(ran, voters).elected
    number = elected[0].result.number
    final = bench.journal.emit(Final(turn=bench.budget.turns, text=f"<execute_result_{number}>", cites=(number,)))
    answer = conclude(task, bench, final)
    return answer if voters == 1 else replace(answer, confidence=len(elected) / voters)
