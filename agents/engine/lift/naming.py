"""Names for handles and columns: after tables and purposes, unique, and what a join will call its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

from agents.dsl.relation import shortened
from agents.engine.lift.query import Node

_LABEL = 32  # characters that a label may grow to
_SHORTEST_LIMIT = 63  # bytes that PostgreSQL keeps of a name
_LONGEST = 48  # characters of a handle, so that generated names fit every dialect's 63 bytes


@dataclass
class Handles:
    """The handles of one program."""

    taken: set[str] = field(default_factory=set)

    def new(self, wanted: str) -> str:
        base = _readable(wanted)
        handle, number = base, 1
        while handle.casefold() in self.taken:
            number += 1
            handle = f"{base}_{number}"
        self.taken.add(handle.casefold())
        return handle

    def rename(self, old: str, wanted: str) -> str:
        self.taken.discard(old.casefold())
        return self.new(wanted)


def joined_label(left: str, right: str) -> str:
    """What the rows of a join are about: both sides as long as that stays short, else the left."""
    both = f"{left}_{right}"
    return both if len(both) <= _LABEL and right != left else left


def joined_names(left: Iterable[str], handle: str, right: Iterable[str], limit: int) -> dict[str, str]:
    """What `join_table` calls the columns of its right side: `name`, else `handle_name`, else with a number behind,
    shortened to `limit` bytes."""
    lefts, rights = set(left), tuple(right)
    taken = lefts | set(rights)
    names: dict[str, str] = {}
    for name in rights:
        new, number = name, 1
        if name in lefts:
            new = shortened(f"{handle}_{name}", limit)
            while new in taken:
                number += 1
                new = shortened(f"{handle}_{name}_{number}", limit)
            taken.add(new)
        names[name] = new
    return names


def _readable(wanted: str) -> str:
    text = "".join(c if c.isalnum() and c.isascii() or c == "_" else "_" for c in wanted).strip("_") or "rows"
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rsplit("_", 1)[0] if "_" in text[:_LONGEST] else text[:_LONGEST]


def numbered_name(wanted: str, number: int) -> str:
    """`wanted` with a number behind it, in the length that every dialect takes."""
    return shortened(f"{wanted}_{number}", _SHORTEST_LIMIT)


def named_after(*words: str) -> str:
    """The words joined, in the length that every dialect takes."""
    return shortened("_".join(words), _SHORTEST_LIMIT)


def derived_name(node: Node) -> str:
    """A name for a computed column: the columns that it reads, joined."""
    words = list(dict.fromkeys(found.name for found in node.find_all(exp.Column)))[:2]
    return _readable("_".join([*words, "value"] if len(words) < 2 else words))[:_LONGEST]
