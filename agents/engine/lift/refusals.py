"""Saying no: what cannot be lifted is named, with its place in the SQL."""

from __future__ import annotations

from sqlglot import exp

from agents.errors import CannotLiftError


def refuse(construct: str, node: exp.Expr | None = None, text: str = "", why: str = "") -> CannotLiftError:
    """The error for `construct`, which stands at `node` in `text`."""
    reason = f": {why}" if why else ""
    return CannotLiftError(f"Cannot lift {construct}{place(node, text)}{reason}.")


def place(node: exp.Expr | None, text: str) -> str:
    """` at line 2, column 14`, from the first word below `node` whose place is known; "" when none is."""
    start = start_of(node)
    if start is None or not text:
        return ""
    before = text[:start]
    return f" at line {before.count(chr(10)) + 1}, column {start - before.rfind(chr(10))}"


def start_of(node: exp.Expr | None) -> int | None:
    """Where the words below `node` begin in the text that was parsed."""
    starts = [found.meta["start"] for found in node.walk() if "start" in found.meta] if node is not None else []
    return min(starts, default=None)
