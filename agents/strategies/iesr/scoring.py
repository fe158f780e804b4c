"""Which candidate answers: Score = 0.4 Exec + 0.2 DiscConf + 0.4 ConsVote (IESR, section 3.3 and appendix B.5). Pure.

Tables are compared as multisets of whole rows. A table without any value proves little: it stands for election only
where there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.answers.comparison import is_blank, same_table
from agents.strategies.drafting import Ran

EXEC, DISC_CONF, CONS_VOTE = 0.4, 0.2, 0.4


@dataclass(frozen=True, slots=True)
class Drafted:
    """What came of the drafts in one state: one each, None where it did not run."""

    drafts: tuple[Ran | None, ...] = ()

    @property
    def elected(self) -> Ran | None:
        """Of the largest group of drafts that agree, the one with the fewest doubts."""
        groups = agreeing(telling(self.drafts))
        return _surest(_largest(groups)) if groups else None

    @property
    def agreed(self) -> int:
        """How many drafts came to the elected one's table."""
        return max(map(len, agreeing(telling(self.drafts))), default=0)

    @property
    def reward(self) -> float:
        """The share of the other drafts that came to the elected one's table: equation 5. 0 where none ran."""
        if not self.agreed:
            return 0.0
        return (self.agreed - 1) / (len(self.drafts) - 1) if len(self.drafts) > 1 else 1.0

    @property
    def is_doubtful(self) -> bool:
        """Whether a revision could change anything: drafts differ, failed, or are in doubt."""
        ran = self.elected
        return ran is None or self.reward < 1 or bool(ran.doubts)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table that stands for election: `votes` of all `drafts` in the search came to it. `confirmed` is the share of
    its masked statements that the model filled in to the same table."""

    ran: Ran
    votes: int
    drafts: int
    executed: bool = True
    confirmed: float = 0.0

    @property
    def consensus(self) -> float:
        return self.votes / self.drafts

    @property
    def score(self) -> float:
        return EXEC * self.executed + DISC_CONF * self.confirmed + CONS_VOTE * self.consensus

    def text(self) -> str:
        parts = (
            f"{EXEC} x {int(self.executed)} + {DISC_CONF} x {self.confirmed:.2f} + {CONS_VOTE} x {self.consensus:.2f}"
        )
        return f"Result {self.ran.result.number}: score {self.score:.2f} = {parts}."


def candidates_of(states: Sequence[Drafted]) -> list[Candidate]:
    """Every table that a draft came to, the one with the most votes first; blank ones only where there are no others,
    and then they count as executed only if nothing else came of any draft."""
    drafts = [draft for state in states for draft in state.drafts]
    candidates = [
        Candidate(_surest(group), len(group), len(drafts), executed=_is_executed(group, drafts))
        for group in agreeing(telling(drafts))
    ]
    return sorted(candidates, key=lambda one: -one.votes)


def elect(candidates: Sequence[Candidate]) -> Candidate:
    """The best score; among equals the fewest doubts, then the first."""
    return max(candidates, key=lambda one: (round(one.score, 9), -len(one.ran.doubts)))


def telling(drafts: Sequence[Ran | None]) -> list[Ran]:
    """The drafts whose tables hold a value; where none does, all that ran."""
    ran = [draft for draft in drafts if draft is not None]
    return [one for one in ran if not is_blank(one.result.rows)] or ran


def agreeing(drafts: Sequence[Ran]) -> list[list[Ran]]:
    """The drafts in groups of the same table. Each is compared with one of each group only: tables are long."""
    groups: list[list[Ran]] = []
    for draft in drafts:
        group = next((group for group in groups if _same(group[0], draft)), None)
        if group is None:
            groups.append([draft])
        else:
            group.append(draft)
    return groups


def _same(one: Ran, other: Ran) -> bool:
    return one.result.number == other.result.number or same_table(one.result.rows, other.result.rows)


def _largest(groups: Sequence[list[Ran]]) -> list[Ran]:
    return max(groups, key=lambda group: (len(group), any(not one.doubts for one in group)))


def _surest(group: Sequence[Ran]) -> Ran:
    return min(group, key=lambda one: len(one.doubts))


def _is_executed(group: Sequence[Ran], drafts: Sequence[Ran | None]) -> bool:
    return not is_blank(group[0].result.rows) or len(group) == len(drafts)
