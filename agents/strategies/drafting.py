"""One line of drafts: the model writes SQL, it is lifted and run, and what went wrong goes back to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents import prompts
from agents.contracts import Task, Workbench
from agents.conversation import Conversation
from agents.engine.outcomes import Result
from agents.errors import MalformedReplyError
from agents.llm.messages import Message, Reply
from agents.llm.parsing import read_sql
from agents.strategies.performing import perform
from agents.strategies.statements import Statements
from agents.traces.events import ModelReply, Observation

Check = Callable[[str, Result], Sequence[str]]
"""Why a statement that ran, with this result, may be wrong all the same."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A draft that returned a table. `doubts` say why it may be wrong all the same (a step that leaves no rows)."""

    sql: str
    result: Result
    doubts: tuple[str, ...] = ()


def unchecked(sql: str, result: Result) -> Sequence[str]:
    return ()


class DraftLine:
    """Drafts of one conversation, in one branch. `best` is the last one that ran, `error` why the last one did not.

    Lines that share `known` run the same statement once: its table is taken over by those that draft it again.
    """

    def __init__(
        self,
        task: Task,
        bench: Workbench,
        opening: list[Message],
        *,
        branch: str = "",
        temperature: float | None = None,
        mend: bool = True,
        known: dict[str, Ran] | None = None,
        check: Check = unchecked,
    ) -> None:
        self._task, self._bench, self._branch, self._mend = task, bench, branch, mend
        self._check = check
        self._conversation = Conversation(
            bench, opening, purpose="agent", name=branch or "agent", branch=branch, temperature=temperature
        )
        self._reply: ModelReply | None = None
        self._drafts: list[str] = []
        self._known = {} if known is None else known
        self.sampled = temperature is not None
        self.best: Ran | None = None
        self.error = ""
        self.settled = False

    @property
    def is_drafted(self) -> bool:
        """Whether there is a draft that was not run yet."""
        return self._reply is not None

    @property
    def prompt(self) -> tuple[Message, ...]:
        """What the next draft answers."""
        return self._conversation.messages

    def draft(self, turn: int, sample: Callable[[Sequence[Message]], Reply] | None = None) -> None:
        """Ask for the next draft. May run beside the other lines."""
        self._reply = self._conversation.ask(turn, sample)

    def run(self, turn: int, *, last: bool) -> None:
        """Run the draft; what failed or looks doubtful is told, so that the next draft can mend it. With `last`
        nothing more will be asked, so a statement that cannot be lifted runs as it is."""
        reply, self._reply = self._reply, None
        assert reply is not None
        try:
            sql = read_sql(reply.text, finish_reason=reply.finish_reason)
        except MalformedReplyError as error:
            self._tell(turn, f"{type(error).__name__}: {error}")
            return
        if self.best is not None and sql in self._drafts:
            self.settled = True  # told of a doubt, the model stands by its draft
            return
        self._drafts.append(sql)
        if sql in self._known:
            self._take_over(turn, self._known[sql])
        else:
            self._perform(turn, sql, unlifted=last)

    @property
    def sql(self) -> str:
        """The last draft that could be read, whether it ran or not."""
        return self._drafts[-1] if self._drafts else ""

    def _take_over(self, turn: int, ran: Ran) -> None:
        self.best, self.error, self.settled = ran, "", True
        text = f"The same SQL was drafted before: its table is result {ran.result.number}."
        self._bench.journal.emit(Observation(turn=turn, branch=self._branch, text=text))

    def _perform(self, turn: int, sql: str, *, unlifted: bool) -> None:
        actions = Statements(self._bench, unlifted=unlifted, mend=self._mend)
        performed = perform(self._bench, actions, sql, turn, self._branch)
        if performed.result is None:
            self._tell(turn, performed.error)
            return
        result = performed.result
        if performed.replayed and self._branch:  # it is compared with others
            result = actions.read_again(result)
        doubts = (*performed.doubts, *self._check(sql, result))
        self.best, self.error = Ran(sql, result, doubts), ""
        self._known[sql] = self.best
        self.settled = not doubts
        if doubts:
            self._ask_again(f"it ran, but {'; '.join(doubts)}. If the query is right as it is, send it again")

    def _tell(self, turn: int, error: str) -> None:
        self.error = error
        self._bench.journal.emit(Observation(turn=turn, branch=self._branch, text=error))
        self._ask_again(error)

    def _ask_again(self, error: str) -> None:
        self._conversation.tell(prompts.render("lift_repair", error=error, hints="", question=self._task.question))
