"""Calls that build a value as long as one asks for: without a bound, one statement could fill the memory.

Databases build such a value in one step that neither a timeout nor a row cap interrupts, and a driver must read it
whole before it can cut it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from connections.catalogue import DialectName
from connections.errors import StatementNotAllowedError

LARGEST = 10_000

# Function -> which arguments say how long the value gets; -1: all of them.
LENGTHS: Mapping[str, int] = {
    "repeat": 1, "lpad": 1, "rpad": 1, "space": 0, "list_resize": 1, "range": -1, "generate_series": -1,
}  # fmt: skip
REPEATING = frozenset({"repeat", "space"})
FORMATS: Mapping[DialectName, frozenset[str]] = {
    "sqlite": frozenset({"format", "printf"}), "duckdb": frozenset({"format", "printf"}),
    "postgresql": frozenset({"format"}), "mysql": frozenset(),
}  # fmt: skip
_WIDE = re.compile(r"\d{5}|\*")
# What can make a number much larger than those it is made from.
_GROWING = (exp.Mul, exp.Pow, exp.BitwiseLeftShift, exp.BitwiseNot)
_GROWING_FUNCTIONS = frozenset({"pow", "power", "exp", "factorial", "multiply", "product", "sum", "gamma", "lcm"})


def check_sizes(node: exp.Anonymous, dialect: DialectName) -> None:
    """Refuse a call whose value has no bound that can be seen. Raises StatementNotAllowedError."""
    name, arguments = node.name.lower(), node.expressions
    if name in FORMATS[dialect] and arguments and not _plain_format(arguments[0]):
        raise StatementNotAllowedError(f"{name} takes a format that is written out, without `*` and widths over 9999.")
    if name not in LENGTHS:
        return
    for length in _lengths(name, arguments):
        if not _bounded(length):
            raise StatementNotAllowedError(
                f"{name} could build a value without bounds. Write a length of at most {LARGEST:,}, or "
                f"least(…, {LARGEST:,})."
            )
    if name in REPEATING and arguments and any(_name(inner) in LENGTHS for inner in arguments[0].walk()):
        raise StatementNotAllowedError(f"{name} of a value that was itself made to a length is not allowed.")


def _lengths(name: str, arguments: Sequence[exp.Expr]) -> Sequence[exp.Expr]:
    place = LENGTHS[name]
    return arguments if place < 0 else arguments[place : place + 1]


def _name(node: exp.Expr) -> str:
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def _plain_format(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not _WIDE.search(node.name)


def _bounded(node: exp.Expr) -> bool:
    """A small number, something capped by one, or a sum of columns and small numbers."""
    if _name(node) == "least" and any(_small(argument) for argument in node.expressions):
        return True
    for inner in node.walk():
        if isinstance(inner, _GROWING) or _name(inner) in _GROWING_FUNCTIONS:
            return False
        if isinstance(inner, exp.Literal) and not inner.is_string and not _small(inner):
            return False
        if isinstance(inner, exp.Literal) and inner.is_string and _WIDE.search(inner.name):
            return False  # '1000000000'::int
    return True


def _small(node: exp.Expr) -> bool:
    try:
        return isinstance(node, exp.Literal) and not node.is_string and float(node.name) <= LARGEST
    except ValueError:
        return False
