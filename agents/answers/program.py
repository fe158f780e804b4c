"""What a program says about an answer: the tables it opens, and the steps that decide what the numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.answers.wording import Phrase, say, spoken

Program = Sequence[Mapping[str, Any]]

# What changes which rows count and how; opening, choosing and sorting do not.
DECIDING = frozenset(
    {"filter_expr", "join_table", "aggregate", "derive_column", "window_column", "limit", "set_operation"}
)


def tables_of(program: Program) -> list[str]:
    """The tables in the order in which they are first opened."""
    opened = [str((call.get("args") or {}).get("table", "")) for call in program if call.get("op") == "table_ref"]
    return list(dict.fromkeys(opened))


def method_of(program: Program) -> list[Phrase]:
    """The deciding steps in words, in order."""
    names: dict[str, str] = {}
    found: list[Phrase] = []
    for call in program:
        if call.get("op") in DECIDING:
            found.append(say(call, "done", names))
        if call.get("out"):
            names[str(call["out"])] = spoken(call, names)
    return found
