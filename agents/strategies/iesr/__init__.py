"""`iesr`: reads the question, links the schema, searches over steps of reasoning, checks what it found, and scores it.

After "IESR: Efficient MCTS-Based Modular Reasoning for Text-to-SQL with Large Language Models". For models that reach a
hard question seldom, but more often than not when they are asked in many ways: the dearest of the strategies by far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from agents.contracts import Answer, Task, Workbench
from agents.errors import NO_MORE_REPLIES, NoWorkingDraftError
from agents.llm.messages import Message
from agents.strategies.answering import conclude
from agents.strategies.examples import stored_values
from agents.strategies.iesr.discriminator import confirmed
from agents.strategies.iesr.opening import search_opening
from agents.strategies.iesr.plan import Plan, planned
from agents.strategies.iesr.reading import read_question
from agents.strategies.iesr.scoring import Candidate, candidates_of, elect
from agents.strategies.iesr.search import Search
from agents.strategies.iesr.understanding import Understanding
from agents.traces.events import Final, Observation, Warned


class Iesr:
    name: ClassVar[str] = "iesr"

    def run(self, task: Task, bench: Workbench) -> Answer:
        plan = planned(bench.budget.limits.turns, bench.settings.rollouts)
        opening = self._opening(task, bench, plan)
        self._tell(bench, plan)
        search = Search(task, bench, opening)
        search.run(plan.rollouts)
        candidates: Sequence[Candidate] = candidates_of(search.states)
        if not candidates:
            raise NoWorkingDraftError(f"None of the model's drafts could be run. The last error: {search.error}")
        if plan.discriminates:
            candidates = self._checked(task, bench, opening, candidates, search)
        return self._elect(task, bench, candidates)

    def _opening(self, task: Task, bench: Workbench, plan: Plan) -> list[Message]:
        values = stored_values(bench)
        if not plan.understands:
            return search_opening(task, bench, values, Understanding(), None)
        return search_opening(task, bench, values, *read_question(task, bench, values))

    def _tell(self, bench: Workbench, plan: Plan) -> None:
        """What the turns of the run do not bear."""
        left_out = [
            "" if plan.understands else "The question was not analysed first.",
            "" if plan.rollouts == bench.settings.rollouts else f"Only {plan.rollouts} rollouts are searched.",
            "" if plan.discriminates else "The candidates are not checked by masking.",
        ]
        if any(left_out):
            text = " ".join([f"The run has {bench.budget.limits.turns} turns.", *filter(None, left_out)])
            bench.journal.emit(Warned(turn=bench.budget.turns, text=text))

    def _checked(
        self, task: Task, bench: Workbench, opening: Sequence[Message], candidates: Sequence[Candidate], search: Search
    ) -> Sequence[Candidate]:
        try:
            return confirmed(task, bench, opening, candidates, search.known)
        except NO_MORE_REPLIES as error:
            text = f"{error} The candidates were not checked by masking."
            bench.journal.emit(Warned(turn=bench.budget.turns, text=text))
            return candidates

    def _elect(self, task: Task, bench: Workbench, candidates: Sequence[Candidate]) -> Answer:
        turn = bench.budget.turns
        text = "\n".join(candidate.text() for candidate in candidates)
        bench.journal.emit(Observation(turn=turn, text=text))
        elected = elect(candidates)
        number = elected.ran.result.number
        final = bench.journal.emit(Final(turn=turn, text=f"<execute_result_{number}>", cites=(number,)))
        return replace(conclude(task, bench, final), confidence=round(elected.score, 4))


STRATEGY = Iesr()
