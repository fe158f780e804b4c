"""The language as a model is told of it: generated from the operations, so that it cannot fall behind them."""

from __future__ import annotations

from inspect import cleandoc

from agents.dsl.operations import OPERATIONS, Operation, ProbeOperation
from connections.catalogue import DialectName

_TITLES: dict[DialectName, str] = {
    "sqlite": "SQLite", "duckdb": "DuckDB", "postgresql": "PostgreSQL", "mysql": "MySQL",
}  # fmt: skip
_QUOTES: dict[DialectName, str] = {"mysql": "back-ticks"}


def render(dialect: DialectName, *, paper_mode: bool = False) -> str:
    """The DSL card for a connection of `dialect`. The same bytes for the same arguments."""
    offered = [operation for operation in OPERATIONS if not (paper_mode and operation.extension)]
    probes = [operation for operation in offered if issubclass(operation, ProbeOperation)]
    builders = [operation for operation in offered if operation not in probes]
    return "\n".join(
        [
            'A call is {"op": name, "args": {…}, "out": handle}. `out` names the new relation, else the engine does.',
            "Relations are never changed; a handle that is bound again means the newest one.",
            f"Expressions are scalar {_TITLES[dialect]} SQL over the column names of the relation (names with blanks "
            f"or capitals in {_QUOTES.get(dialect, 'double quotes')}, texts in single quotes); no sub-query, no "
            "aggregate, no window call, no table prefix.",
            "",
            "Operations that make relations, and execute:",
            *(_entry(operation) for operation in builders),
            "",
            "Probes, which only look and make no relation:",
            *(_entry(operation) for operation in probes),
        ]
    )


def _entry(operation: type[Operation]) -> str:
    told = " ".join(cleandoc(operation.__doc__ or "").split())
    return f"- {operation.signature()}: {told} E.g. {operation.example}"
