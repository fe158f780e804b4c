"""The first messages of a run: what stays the same first, what changes last.

The system message (rules, operations, schema) is byte-identical over the turns of a run and over questions on the same
connection, so that the provider's cache hits; question, date and earlier turns stand in the user's message.
"""

from __future__ import annotations

import re

from agents import prompts
from agents.contracts import Task, Workbench
from agents.dsl.card import render as operations_card
from agents.engine.observations import result_text
from agents.llm.messages import Message, ModelProfile
from agents.prompts.layouts import Layout, create_table
from agents.prompts.schema_text import ExampleValues, SchemaText, schema_text
from agents.strategies.earlier import as_calls, as_sql, earlier_text, revive
from agents.strategies.examples import examples_of
from agents.traces.events import SchemaShown
from connections.catalogue import Catalogue

DIALECTS = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgresql": "PostgreSQL", "mysql": "MySQL"}

SHAPER_ROWS = 20
SMALL_SCHEMA_TOKENS = 5_000

_ABOUT_TIME = re.compile(
    r"\b(?:today|tonight|now|currently|current|yesterday|tomorrow|ago|age|aged|old|older|recent|recently|upcoming|"
    r"so far|to date|still|heute|gestern|aujourd.hui|hier|hoy|ayer|oggi|ieri|hoje|ontem|"
    r"(?:this|last|past|next|previous|coming) (?:\d+ )?(?:day|week|month|quarter|year|hour|minute)s?)\b"
    r"|[^\x00-\x7f]",  # another language may say it in other words
    re.IGNORECASE,
)


def react_opening(task: Task, bench: Workbench, schema: str) -> list[Message]:
    """For the loop over operations: their generated card, and the schema in brief."""
    dialect, limits = bench.catalogue.dialect, bench.budget.limits
    system = prompts.render(
        "react_system",
        dialect=DIALECTS[dialect],
        card=operations_card(dialect, paper_mode=bench.settings.paper_mode),
        schema=schema,
        max_turns=str(limits.turns),
        max_calls=str(limits.calls_per_turn),
        form=_form(bench.model.profile),
    )
    earlier = "\n\n".join(filter(None, [earlier_text(task.earlier, as_calls), revive(task.earlier, bench)]))
    return [Message("system", system), _first_turn(bench, _question("react_question", task, earlier))]


def _form(profile: ModelProfile) -> str:
    """How the reply of a constrained model differs."""
    if not profile.constrained:
        return ""
    use = "react_constrained_steps" if profile.size == "small" else "react_constrained_batches"
    return prompts.render("react_constrained", use=prompts.render(use))


def react_sql_opening(task: Task, bench: Workbench) -> list[Message]:
    """For the loop whose acts are SQL."""
    system = prompts.render(
        "react_sql_system",
        dialect=DIALECTS[bench.catalogue.dialect],
        schema=shown_schema(task, bench, create_table, None).text,
        max_turns=str(bench.budget.limits.turns),
    )
    question = _question("react_question", task, earlier_text(task.earlier, as_sql(bench)))
    return [Message("system", system), _first_turn(bench, question)]


def _first_turn(bench: Workbench, question: Message) -> Message:
    """`question`, and that one turn is left after this one where a run has two."""
    if bench.budget.limits.turns != 2:
        return question
    return Message(question.role, f"{question.content}\n\n{prompts.render('react_last_turn')}")


def lift_opening(task: Task, bench: Workbench) -> list[Message]:
    """For drafts that are lifted: CREATE TABLE statements with example values, for small models."""
    schema = shown_schema(task, bench, create_table, examples_of(bench))
    system = prompts.render("lift_system", dialect=DIALECTS[bench.catalogue.dialect], schema=schema.text)
    return [Message("system", system), Message("user", asked(task, bench))]


def asked(task: Task, bench: Workbench) -> str:
    """The question with what the asker adds, the date where it matters, and what was asked before, as SQL."""
    return prompts.render(
        "lift_question",
        question=task.question,
        evidence=task.evidence,
        date=dated(task),
        earlier=earlier_text(task.earlier, as_sql(bench)),
    )


def zero_shot_opening(task: Task, bench: Workbench) -> list[Message]:
    """For the baseline: schema and question, nothing else."""
    schema = shown_schema(task, bench, create_table, None)
    system = prompts.render("sql_system", dialect=DIALECTS[bench.catalogue.dialect], schema=schema.text)
    return [Message("system", system), _question("sql_question", task)]


def shaper_opening(task: Task, bench: Workbench, conclusion: str, steps: str) -> list[Message]:
    """For the light last call: what was asked, done and concluded, and the head of every result."""
    send = bench.settings.send_values
    previews = [result_text(result, SHAPER_ROWS, send_values=send) for result in bench.engine.results]
    case = prompts.render(
        "shaper_question",
        question=task.question,
        evidence=task.evidence,
        trace=steps,
        conclusion=conclusion,
        results="\n\n".join(previews),
    )
    return [Message("system", prompts.render("shaper_system")), Message("user", case)]


def _schema_tokens(bench: Workbench) -> int:
    """The setting, at most half of the model's context; less for a small model, which reads slowly."""
    profile = bench.model.profile
    most = SMALL_SCHEMA_TOKENS if profile.size == "small" else bench.settings.schema_tokens
    return min(most, bench.settings.schema_tokens, profile.context_tokens // 2)


def dated(task: Task) -> str:
    """The day, where the question may be about it. A small model that is told the date filters by it without need."""
    return f"Today is {task.today} ({task.time_zone})." if _ABOUT_TIME.search(task.question) else ""


def _question(prompt: str, task: Task, earlier: str | None = None) -> Message:
    evidence = f"What the asker adds: {task.evidence}" if task.evidence else ""
    values = {"question": task.question, "evidence": evidence, "today": task.today, "time_zone": task.time_zone}
    if earlier is not None:
        values["earlier"] = earlier
    return Message("user", prompts.render(prompt, **values))


def shown_schema(
    task: Task, bench: Workbench, layout: Layout, examples: ExampleValues | None, part: Catalogue | None = None
) -> SchemaText:
    """The schema, or a `part` of it, within its budget of tokens; the trace is told what was shown."""
    budget = _schema_tokens(bench)
    schema = schema_text(part or bench.catalogue, task.question, budget=budget, layout=layout, examples=examples)
    bench.journal.emit(
        SchemaShown(
            tables=schema.shown,
            folded=schema.folded,
            tokens=schema.tokens,
            fingerprint=bench.catalogue.fingerprint,
        )
    )
    return schema
