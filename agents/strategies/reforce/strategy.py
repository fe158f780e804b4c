"""Link, draft and vote; where the vote is not clear, look into columns, draft anew and vote again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from agents.answers.comparison import is_blank
from agents.contracts import Answer, Task, Workbench
from agents.errors import NO_MORE_REPLIES
from agents.prompts.layouts import create_table
from agents.strategies.candidates import candidates, draft_until_decided
from agents.strategies.drafting import DraftLine, Ran, unchecked
from agents.strategies.examples import examples_of
from agents.strategies.opening import shown_schema
from agents.strategies.reforce.exploration import explore
from agents.strategies.reforce.linking import link
from agents.strategies.reforce.openings import draft_opening
from agents.strategies.voting import elect, vote
from agents.traces.events import Warned

VOTERS = 3
"""Where the settings ask for one sample: the vote is what this strategy is."""


class Reforce:
    name: ClassVar[str] = "reforce"

    def run(self, task: Task, bench: Workbench) -> Answer:
        candidacy = Candidacy(task, bench)
        try:
            draft_until_decided(bench, candidacy.lines)
            if tied := candidacy.undecided():
                candidacy.draft_anew(tied)
        except NO_MORE_REPLIES as error:
            if not candidacy.ran():
                raise
            text = f"{error} The best draft until then is shown."
            bench.journal.emit(Warned(turn=bench.budget.turns, text=text))
        return elect(task, bench, candidacy.ran(), len(candidacy.lines), candidacy.lines[0].error)


class Candidacy:
    """The drafts of one question: a line for each candidate, and where the vote was not clear the line that was written
    anew, which speaks for its candidate as soon as it has run."""

    def __init__(self, task: Task, bench: Workbench) -> None:
        self._task, self._bench = task, bench
        linked = link(task, bench)
        self._form = linked.form
        self._check = linked.form.departures if linked.form is not None else unchecked
        self._schema = shown_schema(task, bench, create_table, examples_of(bench), linked.catalogue).text
        count = bench.settings.samples if bench.settings.samples > 1 else VOTERS
        self.lines = self._drafting([f"candidate-{number}" for number in range(1, count + 1)])
        self._anew: dict[int, DraftLine] = {}

    def ran(self) -> list[Ran]:
        return [best for best in self._best() if best is not None]

    def undecided(self) -> list[int]:
        """The candidates between which the vote could not decide, and those that have no table that says anything; none
        where it was clear."""
        best, ran = self._best(), self.ran()
        decision = vote(ran, len(best)) if ran else None
        if decision is not None and decision.clear:
            return []
        leaders = decision.leaders if decision is not None else frozenset()
        return [
            number
            for number, one in enumerate(best)
            if one is None or is_blank(one.result.rows) or one.result.number in leaders
        ]

    def draft_anew(self, numbers: Sequence[int]) -> None:
        """Look into columns, and with what is found there write these candidates' drafts again."""
        attempts = [self.lines[number] for number in numbers]
        findings = explore(self._task, self._bench, self._schema, attempts)
        if not findings:
            text = "the drafts do not agree, and looking into columns found nothing that could tell why"
            self._bench.journal.emit(Warned(turn=self._bench.budget.turns, text=text))
            return
        lines = self._drafting([f"candidate-{number + 1}-anew" for number in numbers], findings)
        self._anew = dict(zip(numbers, lines, strict=True))
        draft_until_decided(self._bench, lines)

    def _drafting(self, names: Sequence[str], findings: Sequence[str] = ()) -> list[DraftLine]:
        opening = draft_opening(self._task, self._bench, self._schema, self._form, findings)
        return candidates(self._task, self._bench, opening, names, self._check)

    def _best(self) -> list[Ran | None]:
        return [
            self._anew[number].best or line.best if number in self._anew else line.best
            for number, line in enumerate(self.lines)
        ]


STRATEGY = Reforce()
