"""The first messages of the two talks: one about the whole schema, one about what was linked of it."""

from __future__ import annotations

from collections.abc import Sequence

from agents import prompts
from agents.contracts import Task, Workbench
from agents.llm.messages import Message
from agents.prompts.layouts import create_table
from agents.strategies.earlier import as_sql, earlier_text
from agents.strategies.examples import StoredValues
from agents.strategies.iesr.linking import Linked
from agents.strategies.iesr.understanding import Understanding
from agents.strategies.opening import DIALECTS, dated, shown_schema
from connections.catalogue import Catalogue


def question_opening(task: Task, bench: Workbench, values: StoredValues | None) -> tuple[list[Message], Sequence[str]]:
    """For the understanding: the whole schema, as far as it fits, and the tables that are shown of it."""
    system, shown = _system(task, bench, values, None)
    question = _question(task, bench, Understanding(), "", prompts.render("iesr_understanding"))
    return [system, question], shown


def search_opening(
    task: Task, bench: Workbench, values: StoredValues | None, understanding: Understanding, linked: Linked | None
) -> list[Message]:
    """For the search: the linked schema, and what is understood of the question."""
    system, _ = _system(task, bench, values, linked.catalogue if linked else None)
    return [system, _question(task, bench, understanding, linked.text() if linked else "")]


def told(messages: Sequence[Message], text: str) -> list[Message]:
    """The talk, gone on with. Two messages of the user become one: some models take turns strictly."""
    *before, last = messages
    if last.role == "user":
        return [*before, Message("user", f"{last.content}\n\n{text}")]
    return [*messages, Message("user", text)]


def _system(
    task: Task, bench: Workbench, values: StoredValues | None, linked: Catalogue | None
) -> tuple[Message, Sequence[str]]:
    schema = shown_schema(task, bench, create_table, values.examples if values else None, linked)
    text = prompts.render("iesr_system", dialect=DIALECTS[bench.catalogue.dialect], schema=schema.text)
    return Message("system", text), schema.shown


def _question(task: Task, bench: Workbench, understanding: Understanding, values: str, step: str = "") -> Message:
    text = prompts.render(
        "iesr_question",
        question=task.question,
        evidence=task.evidence,
        date=dated(task),
        earlier=earlier_text(task.earlier, as_sql(bench)),
        understanding=understanding.text(),
        values=values,
    )
    return Message("user", f"{text}\n\n{step}".strip())
