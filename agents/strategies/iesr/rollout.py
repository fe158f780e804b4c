"""One rollout: the steps of reasoning to a node that writes SQL, and the drafts that are drawn in its state."""

from __future__ import annotations

from random import Random

from agents import prompts
from agents.contracts import Task, Workbench
from agents.conversation import Conversation
from agents.errors import NO_MORE_REPLIES, RunStoppedError
from agents.llm.messages import Message
from agents.strategies.drafting import DraftLine, Ran
from agents.strategies.iesr.opening import told
from agents.strategies.iesr.scoring import Drafted
from agents.strategies.iesr.tree import WRITES_SQL, Action, Node, reward
from agents.strategies.sampling import SAMPLING_TEMPERATURE, Samples
from agents.traces.events import Calls, Observation

DRAFTS = 3
"""Drawn in each state that writes SQL: one that counts and two that confirm it or not, at a temperature."""


class Rollout:
    """From a planned path to its reward. `drafted` is what came of it, of the revision only where anything did; `ended`
    says that the budget or the model cut it short."""

    def __init__(self, task: Task, bench: Workbench, number: int, leaf: Node, known: dict[str, Ran]) -> None:
        self._task, self._bench, self._known = task, bench, known
        self._branch = f"rollout-{number}"
        self._leaf = leaf
        self._lines: list[DraftLine] = []
        self._last = Drafted()
        self.drafted = Drafted()
        self.ended: RunStoppedError | None = None
        self.error = ""

    def think(self, turn: int) -> None:
        """Every step that is not yet reached, and the drafts. Only asks the model: may run beside other rollouts."""
        self._lines = []
        try:
            self._reason(turn)
            self._draft(turn)
        except NO_MORE_REPLIES as error:
            self.ended = error

    def run(self, turn: int) -> None:
        """Run the drafts, one after another, and bring the node to its state."""
        for line in self._lines:
            line.run(turn, last=True)
            self.error = line.error or self.error
        drafted = self._last = Drafted(tuple(line.best for line in self._lines))
        if drafted.elected is not None or self.drafted.elected is None:
            self.drafted = drafted
        if self._lines:
            self._leaf.messages = (*self._opening(), Message("assistant", f"```sql\n{self._sql(drafted)}\n```"))
            self._leaf.findings = self._findings(drafted) if drafted.is_doubtful else ""

    def is_revised(self, random: Random) -> bool:
        """Whether the path goes on with a revision: always where no draft ran, by chance where they are in doubt."""
        if self.ended is not None or Action.REVISION not in self._leaf.possible():
            return False
        return self.drafted.elected is None or random.random() < 0.5

    def go_on(self) -> None:
        """To the revision of what was drafted."""
        before = self._leaf
        self._leaf = before.child(Action.REVISION)
        self._leaf.visits = 1

    def settle(self, turn: int) -> None:
        """Give the reward to the path."""
        reward(self._leaf, self._last.reward)
        path = " → ".join(action.value for action in self._leaf.path)
        text = f"{path}: {self._agreement(self._last)}, reward {self._last.reward:.2f}."
        self._bench.journal.emit(Observation(turn=turn, branch=self._branch, text=text))

    def _reason(self, turn: int) -> None:
        waiting = [node for node in self._leaf.upward() if not node.messages and node.action not in WRITES_SQL][::-1]
        if not waiting or waiting[0].parent is None:
            return
        opening = told(waiting[0].parent.messages, _step(waiting[0]))
        conversation = Conversation(self._bench, opening, purpose="reasoning", name=self._branch, branch=self._branch)
        thoughts: list[str] = []
        for node in waiting:
            if thoughts:
                conversation.tell(_step(node))
            thoughts.append(conversation.ask(turn).text)
            node.messages = conversation.messages
        thought = "\n\n".join(thoughts)
        self._bench.journal.emit(Calls(turn=turn, branch=self._branch, thought=thought, calls=()))

    def _draft(self, turn: int) -> None:
        kind = "revision" if self._leaf.action is Action.REVISION else "draft"
        samples = Samples(self._bench, DRAFTS, turn)
        for number in range(1, DRAFTS + 1):
            line = DraftLine(
                self._task,
                self._bench,
                self._opening(),
                branch=f"{self._branch}-{kind}-{number}",
                temperature=SAMPLING_TEMPERATURE,
                known=self._known,
            )
            samples.draft(line)
            self._lines.append(line)

    def _opening(self) -> list[Message]:
        """The talk up to the request for SQL."""
        state = self._leaf.parent
        assert state is not None
        question = self._task.question
        if self._leaf.action is Action.REVISION:
            return told(state.messages, prompts.render("iesr_revision", findings=state.findings, question=question))
        return told(state.messages, prompts.render("iesr_generation", question=question))

    def _sql(self, drafted: Drafted) -> str:
        """The statement that stands for the state: the elected one, else one that failed."""
        if drafted.elected is not None:
            return drafted.elected.sql
        return next((line.sql for line in self._lines if line.sql), "(no query)")

    def _findings(self, drafted: Drafted) -> str:
        failed = [f"One failed: {line.error}" for line in self._lines if line.error]
        doubts = [f"One ran, but {doubt}." for line in self._lines if line.best for doubt in line.best.doubts]
        return " ".join(dict.fromkeys([f"Of them, {self._agreement(drafted)}.", *failed, *doubts]))

    def _agreement(self, drafted: Drafted) -> str:
        return f"{drafted.agreed} of {len(drafted.drafts)} came to the same table"


def _step(node: Node) -> str:
    assert node.action is not None
    return prompts.render(f"iesr_{node.action.name.lower()}")
