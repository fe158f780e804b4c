"""Monte Carlo tree search over the steps of reasoning, as many rollouts as the budget bears.

Rollouts go in small waves: the paths of a wave are planned first, with what is under way counted as a failure, so that
they part; the model is asked for all of them at once; their statements run one after another, in the order of planning.
Chance is seeded by the question. So the same replies lead to the same tree, on a resumed run, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

from agents.contracts import Task, Workbench
from agents.errors import NO_MORE_REPLIES
from agents.llm.messages import Message
from agents.strategies.drafting import Ran
from agents.strategies.iesr.plan import SIDE_BY_SIDE, Reserve
from agents.strategies.iesr.rollout import Rollout
from agents.strategies.iesr.scoring import Drafted
from agents.strategies.iesr.tree import Node, enter, select, simulate
from agents.strategies.side_by_side import side_by_side
from agents.traces.events import Warned


class Search:
    """`states` are what came of every rollout, in order; `known` the tables by the SQL that made them."""

    def __init__(self, task: Task, bench: Workbench, opening: Sequence[Message]) -> None:
        self._task, self._bench = task, bench
        self._random = Random(task.question)
        self._root = Node(messages=tuple(opening))
        self._begun = 0
        self.states: list[Drafted] = []
        self.known: dict[str, Ran] = {}
        self.error = ""

    def run(self, rollouts: int) -> None:
        """Search until so many rollouts are done, nothing is left to find, or the budget or the model ends it; the
        trace is told.

        Raises a BudgetExhaustedError or ModelAccessError where nothing was found until then.
        """
        reserve = Reserve(self._bench.budget)
        try:
            while self._begun < rollouts and (wave := self._planned(min(SIDE_BY_SIDE, rollouts - self._begun))):
                reserve.check()
                self._go(wave, self._bench.budget.start_turn())
        except NO_MORE_REPLIES as error:
            if not any(state.elected for state in self.states):
                raise
            text = f"{error} The search ended after {len(self.states)} of {rollouts} rollouts."
            self._bench.journal.emit(Warned(turn=self._bench.budget.turns, text=text))

    def _planned(self, most: int) -> list[Rollout]:
        wave: list[Rollout] = []
        while len(wave) < most and (chosen := select(self._root, self._random)) is not None:
            leaf = simulate(chosen, self._random)
            enter(leaf)
            self._begun += 1
            wave.append(Rollout(self._task, self._bench, self._begun, leaf, self.known))
        return wave

    def _go(self, wave: Sequence[Rollout], turn: int) -> None:
        self._draft(wave, turn)
        revised = [rollout for rollout in wave if rollout.is_revised(self._random)]
        for rollout in revised:
            rollout.go_on()
        if revised:
            self._draft(revised, turn)
        for rollout in wave:
            rollout.settle(turn)
            self.states.append(rollout.drafted)
            self.error = rollout.error or self.error
        for rollout in wave:
            if rollout.ended is not None:
                raise rollout.ended

    def _draft(self, rollouts: Sequence[Rollout], turn: int) -> None:
        for thought in side_by_side(self._bench, [partial(rollout.think, turn) for rollout in rollouts]):
            thought.result()
        for rollout in rollouts:
            rollout.run(turn)
