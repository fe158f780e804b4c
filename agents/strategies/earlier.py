"""Follow-ups: what was asked before in the thread, and the handles of the last answer, live again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from agents.contracts import EarlierTurn, Workbench
from agents.dsl.operations.execute import Execute
from agents.engine.engine import Engine
from agents.errors import CORRECTABLE
from agents.prompts.schema_text import tokens_in
from agents.traces.events import Warned

MOST_TOKENS = 3_000

Derivation = Callable[[EarlierTurn], str]
"""How an earlier answer was derived, in the language of the strategy; "" where there is nothing to tell."""


def earlier_text(turns: Sequence[EarlierTurn], derivation: Derivation) -> str:
    """The questions before, newest last, as many of the newest as fit; "" for a first question."""
    told: list[str] = []
    room = MOST_TOKENS
    for turn in reversed(turns):
        text = "\n".join(
            part
            for part in (
                f"Question: {turn.question}",
                derivation(turn),
                f"Answer: {turn.answer}" if turn.answer else "",
                f"Result:\n{turn.preview}" if turn.preview else "",
            )
            if part
        )
        room -= tokens_in(text)
        if told and room < 0:
            break
        told.append(text)
    return "\n\n".join(["Asked before in this conversation:", *reversed(told)]) if told else ""


def as_calls(turn: EarlierTurn) -> str:
    return f"Calls: {json.dumps(list(turn.program), ensure_ascii=False)}" if turn.program else ""


def as_sql(bench: Workbench) -> Derivation:
    """Earlier programs as the SQL that they compile to, for a model that drafts SQL."""

    def derivation(turn: EarlierTurn) -> str:
        engine = Engine(bench.engine.access.door, settings=bench.engine.settings)
        try:
            handle = _restored(engine, turn)
            return f"SQL: {engine.sql(handle)}" if handle else ""
        except CORRECTABLE:
            return ""

    return derivation


def revive(turns: Sequence[EarlierTurn], bench: Workbench) -> str:
    """Make the handles of the last answer live again, from its program; says which. A program that the schema has
    outgrown is left out with a warning."""
    if not turns:
        return ""
    try:
        _restored(bench.engine, turns[-1])
    except CORRECTABLE as error:
        text = f"The relations of the last answer could not be rebuilt: {error}"
        bench.journal.emit(Warned(text=text))
        return ""
    handles = bench.engine.live_handles()
    return f"Handles of the last answer, live again:\n{handles}" if handles else ""


def _restored(engine: Engine, turn: EarlierTurn) -> str:
    """Take over the calls that make relations; the handle of the last one. Raises what CORRECTABLE holds."""
    handle = ""
    for call in turn.program:
        if call.get("op") != Execute.name:
            engine.restore(call)
            handle = str(call.get("out") or handle)
    return handle
