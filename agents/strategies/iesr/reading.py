"""The first turn: the model reads the question and chooses from the schema; rules and matching mend both."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from agents import prompts
from agents.contracts import Task, Workbench
from agents.conversation import Conversation
from agents.errors import MalformedReplyError
from agents.llm.parsing import read_object
from agents.strategies.examples import StoredValues
from agents.strategies.iesr.linking import Linked, Texts, chosen_of, link
from agents.strategies.iesr.opening import question_opening
from agents.strategies.iesr.understanding import Understanding, understood
from agents.traces.events import Calls, Observation, Warned

TRIES = 2
MOST_SEARCHED = 40
"""Tables whose stored values are compared with the question: each costs a statement."""


def read_question(task: Task, bench: Workbench, values: StoredValues | None) -> tuple[Understanding, Linked]:
    """What the question says, and the schema that it is about: two model calls, each once more if unreadable."""
    turn = bench.budget.start_turn()
    opening, shown = question_opening(task, bench, values)
    conversation = Conversation(bench, opening, purpose="understanding", name="understanding")
    said = "\n".join([task.question, task.evidence, *(turn.question for turn in task.earlier)])
    understanding = understood(_asked(bench, conversation, turn, ("entities", "conditions", "quantities")), said)
    conversation.tell(prompts.render("iesr_linking", understanding=understanding.text() or "Nothing."))
    chosen = chosen_of(_asked(bench, conversation, turn, ("tables",)).get("tables"), bench.catalogue)
    phrases = understanding.phrases or (task.question,)
    linked = link(bench.catalogue, phrases, chosen, _texts(bench, values, shown))
    _tell(bench, turn, understanding, linked)
    return understanding, linked


def _asked(bench: Workbench, conversation: Conversation, turn: int, keys: Collection[str]) -> dict[str, Any]:
    """The model's object; empty where it cannot be read: the search then goes on with less."""
    reason = ""
    for _ in range(TRIES):
        reply = conversation.ask(turn)
        try:
            return read_object(reply.text, keys, finish_reason=reply.finish_reason)
        except MalformedReplyError as error:
            reason = str(error)
            conversation.tell(prompts.render("iesr_unreadable", error=reason))
    bench.journal.emit(Warned(turn=turn, text=f"What the model read out of the question is left out: {reason}"))
    return {}


def _texts(bench: Workbench, values: StoredValues | None, shown: Sequence[str]) -> Texts:
    """Stored texts of the tables that the model was shown, where values may be sent to it."""
    if values is None:
        return {}
    tables = [table for table in bench.catalogue.tables if table.qualified in shown][:MOST_SEARCHED]
    return {table.qualified: values.texts(table) for table in tables}


def _tell(bench: Workbench, turn: int, understanding: Understanding, linked: Linked) -> None:
    notes = tuple(f"left out, as the question does not say it: {phrase}" for phrase in understanding.dropped)
    bench.journal.emit(Calls(turn=turn, thought=understanding.text(), calls=(), notes=notes))
    tables = (
        f"{table.qualified} ({', '.join(column.name for column in table.columns)})" for table in linked.catalogue.tables
    )
    text = "\n".join(filter(None, ["The question is about these tables:", *tables, linked.text()]))
    bench.journal.emit(Observation(turn=turn, text=text))
