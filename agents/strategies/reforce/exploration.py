"""Column exploration: small queries that the model writes to see what drafts only assumed about the data.

They pass the guard and are lifted like every statement, and are cut to few rows. What failed or found nothing may be
asked again once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents import prompts
from agents.contracts import Task, Workbench
from agents.conversation import Conversation
from agents.engine.observations import result_text
from agents.errors import MalformedReplyError
from agents.llm.parsing import read_queries
from agents.observing import CHARACTERS_PER_TOKEN, shortened
from agents.strategies.drafting import DraftLine
from agents.strategies.performing import perform
from agents.strategies.reforce.openings import exploration_opening
from agents.strategies.statements import Statements
from agents.traces.events import Observation

ROUNDS = 2
SHOWN_ROWS = 20


@dataclass(frozen=True, slots=True)
class _Look:
    """A query, and what came of it; `tells` something unless it failed or has no rows."""

    sql: str
    came: str
    tells: bool

    @property
    def text(self) -> str:
        return f"{self.sql}\n{self.came}"


def explore(task: Task, bench: Workbench, schema: str, attempts: Sequence[DraftLine]) -> list[str]:
    """What was found out, a query and its rows each; nothing where no query returned anything. One turn a round."""
    most = bench.budget.limits.calls_per_turn
    opening = exploration_opening(task, bench, schema, attempts, most=most, rows=SHOWN_ROWS)
    conversation = Conversation(bench, opening, purpose="exploration", name="exploration")
    found: list[str] = []
    for _ in range(ROUNDS):
        turn = bench.budget.start_turn()
        reply = conversation.ask(turn)
        try:
            queries = read_queries(reply.text, finish_reason=reply.finish_reason)[:most]
        except MalformedReplyError as error:
            bench.journal.emit(Observation(turn=turn, text=str(error)))
            conversation.tell(str(error))
            continue
        looks = [_look(bench, sql, turn, f"look-{number}") for number, sql in enumerate(queries, 1)]
        found += [look.text for look in looks if look.tells]
        seen = "\n\n".join(_within(bench, [look.text for look in looks]))
        bench.journal.emit(Observation(turn=turn, text=seen))
        if all(look.tells for look in looks):
            break
        conversation.tell(prompts.render("reforce_look_again", seen=seen))
    return _within(bench, found)


def _look(bench: Workbench, sql: str, turn: int, branch: str) -> _Look:
    """Run one query in a branch of its own."""
    actions = Statements(bench, unlifted=True, mend=True, most_rows=SHOWN_ROWS)
    performed = perform(bench, actions, sql, turn, branch)
    if performed.result is None:
        bench.journal.emit(Observation(turn=turn, branch=branch, text=performed.error))
        return _Look(sql, performed.error, tells=False)
    shown = result_text(performed.result, SHOWN_ROWS, send_values=bench.settings.send_values)
    doubts = [f"warning: {doubt}" for doubt in performed.doubts]
    return _Look(sql, "\n".join([shown, *doubts]), tells=performed.result.row_count > 0)


def _within(bench: Workbench, texts: Sequence[str]) -> list[str]:
    return shortened(texts, bench.settings.observation_tokens * CHARACTERS_PER_TOKEN)
