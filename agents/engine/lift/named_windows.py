"""WINDOW: a named window is written out where it is used."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from agents.engine.lift.query import Node
from agents.engine.lift.refusals import refuse


def written_out(window: exp.Window, windows: Mapping[str, exp.Window], text: str) -> Node:
    """`window` with what its name stands for, and what the names that this one builds on stand for."""
    followed: set[str] = set()
    while (alias := window.args.get("alias")) is not None:
        name = str(alias.name).casefold()
        if name not in windows or name in followed:
            raise refuse(f"the window {alias.name}, which WINDOW does not define,", window, text)
        followed.add(name)
        definition = windows[name]
        for part in ("partition_by", "order", "spec"):
            value = definition.args.get(part)
            if value and not window.args.get(part):
                window.set(part, [v.copy() for v in value] if isinstance(value, list) else value.copy())
        base = definition.args.get("alias")
        window.set("alias", base.copy() if base is not None else None)
    return window
