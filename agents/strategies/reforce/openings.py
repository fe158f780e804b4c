"""The first messages of each conversation: linking, drafting and exploration."""

from __future__ import annotations

from collections.abc import Sequence

from agents import prompts
from agents.contracts import Task, Workbench
from agents.engine.observations import result_text
from agents.llm.messages import Message
from agents.prompts.layouts import brief
from agents.strategies.drafting import DraftLine
from agents.strategies.opening import DIALECTS, asked, shown_schema
from agents.strategies.reforce.answer_format import AnswerFormat

ATTEMPT_ROWS = 5
NO_VALUES = (
    "- On this connection you are not shown any value, only columns and how many rows a query returns: "
    "ask so that the number of rows tells you what you want to know."
)


def linking_opening(task: Task, bench: Workbench) -> list[Message]:
    """The whole schema, compressed to its budget: look-alike tables folded, the least relevant by name only."""
    system = prompts.render(
        "reforce_linking",
        dialect=DIALECTS[bench.catalogue.dialect],
        schema=shown_schema(task, bench, brief, None).text,
    )
    return [Message("system", system), Message("user", asked(task, bench))]


def draft_opening(
    task: Task, bench: Workbench, schema: str, form: AnswerFormat | None, findings: Sequence[str] = ()
) -> list[Message]:
    """The linked schema, the question, the format of the answer, and what was found out about columns."""
    system = prompts.render("lift_system", dialect=DIALECTS[bench.catalogue.dialect], schema=schema)
    found = "\n\n".join(["What small queries found out about the data:", *findings]) if findings else ""
    question = prompts.render(
        "reforce_question",
        findings=found,
        question=asked(task, bench),
        form=form.told() if form is not None else "",
    )
    return [Message("system", system), Message("user", question)]


def exploration_opening(
    task: Task, bench: Workbench, schema: str, attempts: Sequence[DraftLine], *, most: int, rows: int
) -> list[Message]:
    """The linked schema, and the attempts between which the vote could not decide."""
    system = prompts.render(
        "reforce_exploration",
        dialect=DIALECTS[bench.catalogue.dialect],
        most=str(most),
        rows=str(rows),
        policy="" if bench.settings.send_values else NO_VALUES,
        schema=schema,
    )
    told = [f"{number}. {_attempt(line, bench)}" for number, line in enumerate(attempts, 1)]
    case = prompts.render("reforce_attempts", question=asked(task, bench), attempts="\n\n".join(told))
    return [Message("system", system), Message("user", case)]


def _attempt(line: DraftLine, bench: Workbench) -> str:
    if line.best is None:
        return f"could not be run. {line.error}" if line.error else "was not written."
    shown = result_text(line.best.result, ATTEMPT_ROWS, send_values=bench.settings.send_values)
    return f"{line.best.sql}\n{shown}"
