"""Questions made from a catalogue without a model: what one can ask first of a database one does not know."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from connections.catalogue import Catalogue, Column, ForeignKey, Table

MOST = 6
_DATES = frozenset({"date", "timestamp", "timestamptz"})
_MEASURES = frozenset({"decimal", "float"})
_KEY = re.compile(r"(^|_)(id|key|no|code|uuid)$", re.IGNORECASE)
_CATEGORY = re.compile(
    r"(status|type|kind|category|segment|country|channel|priority|reason|state|region|city)", re.IGNORECASE
)


def suggest(catalogue: Catalogue, most: int = MOST) -> tuple[str, ...]:
    """At most `most` questions of different kinds, about the tables that matter first."""
    tables = _by_weight(catalogue)
    kinds = [_by_link(catalogue, tables), _by_month(tables), _by_category(tables), _by_measure(tables)]
    found: list[str] = []
    while kinds and len(found) < most:
        for kind in list(kinds):
            question = next(kind, None)
            if question is None:
                kinds.remove(kind)
            elif question not in found:
                found.append(question)
    return tuple(found[:most])


def _by_weight(catalogue: Catalogue) -> list[Table]:
    """Tables that many others refer to are what people ask about; among equals, the larger ones."""
    referred = Counter(key.target_table for table in catalogue.tables for key in table.foreign_keys)
    tables = [table for table in catalogue.tables if table.columns]
    return sorted(tables, key=lambda table: (-referred[table.name], -(table.row_estimate or 0)))[:40]


def words(name: str) -> str:
    """`order_lines` and `OrderLines` as people say them: order lines."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")
    return " ".join(spaced.split()).lower()


def _by_link(catalogue: Catalogue, tables: list[Table]) -> Iterator[str]:
    for table in tables:
        for key in table.foreign_keys:
            target = _target(catalogue, key)
            if target is not None and target is not table:
                yield f"Which {_plural(words(target.name))} have the most {_plural(words(table.name))}?"
                break


def _target(catalogue: Catalogue, key: ForeignKey) -> Table | None:
    found = catalogue.find(f"{key.target_schema}.{key.target_table}" if key.target_schema else key.target_table)
    return found[0] if found else None


def _by_month(tables: list[Table]) -> Iterator[str]:
    for table in tables:
        column = next((column for column in table.columns if column.semantic in _DATES), None)
        if column is not None:
            yield f"How many {_plural(words(table.name))} are there per month?"


def _by_category(tables: list[Table]) -> Iterator[str]:
    for table in tables:
        column = next(
            (column for column in table.columns if _CATEGORY.search(column.name) and not _KEY.search(column.name)), None
        )
        if column is not None:
            yield f"How many {_plural(words(table.name))} are there for each {_bare(column)}?"


def _by_measure(tables: list[Table]) -> Iterator[str]:
    for table in tables:
        column = next(
            (column for column in table.columns if column.semantic in _MEASURES and not _KEY.search(column.name)), None
        )
        if column is not None:
            yield f"What is the average {_bare(column)} of {_plural(words(table.name))}?"


def _bare(column: Column) -> str:
    return words(column.name)


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
