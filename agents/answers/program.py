"""What a program says about an answer: the tables it opens, and the steps that decide what the numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.answers.wording import Phrase, listed, say, spoken, text

Program = Sequence[Mapping[str, Any]]

# What changes which rows count and how; opening, choosing and sorting do not.
DECIDING = frozenset(
    {"filter_expr", "join_table", "aggregate", "derive_column", "window_column", "limit", "set_operation"}
)
# From how many joins on their conditions stand in the list of steps only.
MANY_JOINS = 3


def tables_of(program: Program) -> list[str]:
    """The tables in the order in which they are first opened."""
    opened = [str((call.get("args") or {}).get("table", "")) for call in program if call.get("op") == "table_ref"]
    return list(dict.fromkeys(opened))


def _is_plain_join(call: Mapping[str, Any]) -> bool:
    args = call.get("args")
    return call.get("op") == "join_table" and isinstance(args, Mapping) and args.get("how") == "inner"


def method_of(program: Program) -> list[Phrase]:
    """The deciding steps in words, in order; many joins that drop and keep nothing of their own in one line."""
    names: dict[str, str] = {}
    found: list[Phrase] = []
    plain_joins = [call for call in program if _is_plain_join(call)]
    joined: list[str] = []
    for call in program:
        if call.get("op") in DECIDING and not (_is_plain_join(call) and len(plain_joins) >= MANY_JOINS):
            found.append(say(call, "done", names))
        elif _is_plain_join(call):
            joined.append(names.get(str(call["args"].get("right")), str(call["args"].get("right"))))
            if len(joined) == len(plain_joins):
                found.append((text("Joined "), *listed(joined)))
        if call.get("out"):
            names[str(call["out"])] = spoken(call, names)
    return found
