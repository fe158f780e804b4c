"""Schema linking: the part of a schema that a question is about (IESR, section 3.1). Pure.

Words of the question are matched to names and stored values by their trigrams, and united with what the model chose
itself: a column that is missing costs the answer, one too many only a few tokens. Keys and the tables that lie on the
way between two linked ones are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.prompts.ranking import alike, words
from agents.strategies.narrowing import narrowed
from connections.catalogue import Catalogue

MATCHED_SHARE = 0.5  # of the words of a name
MOST_TABLES = 10  # that are linked by their names
MOST_COLUMNS = 20
MOST_VALUES = 10
SMALL_TABLE = 15
"""A linked table with at most so many columns is shown whole."""

_PIECE = re.compile(r"\w{3,}")

Choice = Mapping[str, Sequence[str]]
"""Names of columns by the qualified name of their table."""

Texts = Mapping[str, Mapping[str, Sequence[str]]]
"""Stored texts by qualified table and column."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A phrase of the question is spelled nearly like a value that is stored."""

    table: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Linked:
    """The schema that is left, and the stored values that the question seems to mean."""

    catalogue: Catalogue
    values: tuple[StoredMatch, ...] = ()

    def text(self) -> str:
        """The stored values, for prompts."""
        return "\n".join(f"{one.table}.{one.column} holds {one.value!r}" for one in self.values)


def link(catalogue: Catalogue, phrases: Sequence[str], chosen: Choice, texts: Texts) -> Linked:
    """What the `phrases`, the model's own choice and the stored texts name; the whole schema where that is nothing."""
    columns: dict[str, set[str]] = {name: set(found) for name, found in chosen.items()}
    for name, found in _by_name(catalogue, phrases).items():
        columns.setdefault(name, set()).update(found)
    values = stored_matches(phrases, texts)
    for match in values:
        columns.setdefault(match.table, set()).add(match.column)
    if not columns:
        return Linked(catalogue, values)
    wanted = {name: _shown(catalogue, name, found) for name, found in columns.items()}
    return Linked(narrowed(catalogue, wanted), values)


def chosen_of(read: Any, catalogue: Catalogue) -> Choice:
    """The model's choice, {table: [columns]}, as far as it names what exists."""
    given = read if isinstance(read, Mapping) else dict.fromkeys(read, ()) if isinstance(read, list) else {}
    chosen: dict[str, tuple[str, ...]] = {}
    for name, listed in given.items():
        for table in catalogue.find(str(name))[:1]:
            asked = {str(one).casefold() for one in listed} if isinstance(listed, (list, tuple)) else set()
            chosen[table.qualified] = tuple(one.name for one in table.columns if one.name.casefold() in asked)
    return chosen


def stored_matches(phrases: Sequence[str], texts: Texts) -> tuple[StoredMatch, ...]:
    """The stored values that are spelled nearly like one of the phrases or a word in one, the nearest first."""
    asked = {piece.casefold() for phrase in phrases for piece in (phrase, *_PIECE.findall(phrase))}
    stored = {text.casefold() for columns in texts.values() for found in columns.values() for text in found}
    near = alike(asked, stored)
    matches = [
        (near[text.casefold()], StoredMatch(table, column, text))
        for table, columns in texts.items()
        for column, found in columns.items()
        for text in found
        if text.casefold() in near
    ]
    return tuple(match for _, match in sorted(matches, key=lambda pair: -pair[0]))[:MOST_VALUES]


def _shown(catalogue: Catalogue, name: str, found: Iterable[str]) -> frozenset[str]:
    """The columns to show of a linked table: those that were found, or all of a small one."""
    table = next(table for table in catalogue.tables if table.qualified == name)
    return frozenset(table.by_name if len(table.columns) <= SMALL_TABLE else found)


def _by_name(catalogue: Catalogue, phrases: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The tables and columns that bear a name of the question, the best first and not too many of them."""
    asked = set(words(" ".join(phrases)))
    names = [name for table in catalogue.tables for name in (table.name, *(one.name for one in table.columns))]
    vocabulary = {word for name in names for word in words(name)}
    near = {**alike(asked, vocabulary), **dict.fromkeys(asked & vocabulary, 1.0)}
    tables = {table.qualified: _matched(table.name, near) for table in catalogue.tables}
    columns = [
        (_matched(column.name, near), table.qualified, column.name)
        for table in catalogue.tables
        for column in table.columns
    ]
    hits = [(share + tables[table], table, column) for share, table, column in columns if share >= MATCHED_SHARE]
    found: dict[str, list[str]] = {name: [] for name in _best(tables.items()) if tables[name] >= MATCHED_SHARE}
    for _, table, column in sorted(hits, key=lambda hit: -hit[0])[:MOST_COLUMNS]:
        found.setdefault(table, []).append(column)
    return found


def _best(scores: Iterable[tuple[str, float]]) -> list[str]:
    return [name for name, _ in sorted(scores, key=lambda pair: -pair[1])][:MOST_TABLES]


def _matched(name: str, near: Mapping[str, float]) -> float:
    """How much of a name the question says."""
    parts = words(name)
    return sum(near.get(part, 0.0) for part in parts) / len(parts) if parts else 0.0
