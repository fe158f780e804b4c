"""Names inside a statement: new where they must be, and such as the database can bear and tell apart."""

from __future__ import annotations

from collections.abc import Iterable

from agents.dsl.relation import shortened
from agents.engine.dialects import Dialect


class Names:
    """Gives out names that are new in a statement, in the dialect's eyes. `reserved` ones are in folded form."""

    def __init__(self, dialect: Dialect, reserved: frozenset[str] = frozenset()) -> None:
        self._dialect = dialect
        self._taken: set[str] = set()
        self._reserved = reserved

    def free(self, name: str) -> str:
        """`name`, or with `_2`, `_3`, … where it is taken."""
        base = name if self._dialect.bears(name) else "step"
        candidate, count = base, 1
        while (folded := self._dialect.folded(candidate)) in self._taken or folded in self._reserved:
            count += 1
            candidate = shortened(f"{base}_{count}", self._dialect.name_limit)
        self._taken.add(folded)
        return candidate


def physical_names(names: Iterable[str], dialect: Dialect) -> dict[str, str]:
    """Logical column names to the names they carry inside a statement: themselves, unless the database would take two
    of them for one another or cannot bear one."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names, key=lambda name: not dialect.bears(name)):
        candidate, count = name if dialect.bears(name) else "column", 1
        while dialect.folded(candidate) in taken:
            count += 1
            candidate = shortened(f"{name if dialect.bears(name) else 'column'}_{count}", dialect.name_limit)
        taken.add(dialect.folded(candidate))
        found[name] = candidate
    return found
