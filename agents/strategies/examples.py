"""A few stored values of each column, for prompts: small models spell values right when they have seen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.contracts import Workbench
from agents.engine.engine import Engine
from agents.errors import CORRECTABLE
from agents.prompts.schema_text import ExampleValues
from connections.catalogue import Table
from connections.values import display_text

VALUES_A_COLUMN = 2
SAMPLED_ROWS = 200
SECONDS_A_TABLE = 1.0
LONGEST_TEXT = 60


class StoredValues:
    """Values out of the first rows of tables, read through the run's own door, each table once."""

    def __init__(self, bench: Workbench) -> None:
        self._sampler = Engine(bench.engine.access.door, settings=replace(bench.engine.settings, warnings=False))
        self._samples: dict[str, Mapping[str, Sequence[Any]]] = {}

    def examples(self, table: Table) -> Mapping[str, Sequence[str]]:
        """A few of each column, as SQL would write them."""
        return _columns(self._sample(table))

    def texts(self, table: Table) -> Mapping[str, Sequence[str]]:
        """The different texts of each column that holds short ones."""
        sample = self._sample(table)
        found = {name: [one for one in values if isinstance(one, str)] for name, values in sample.items()}
        return {name: list(dict.fromkeys(filter(_is_telling, texts))) for name, texts in found.items() if texts}

    def _sample(self, table: Table) -> Mapping[str, Sequence[Any]]:
        if table.qualified not in self._samples:
            self._samples[table.qualified] = _sample(self._sampler, table)
        return self._samples[table.qualified]


def stored_values(bench: Workbench) -> StoredValues | None:
    """None where results may not be sent to the model."""
    return StoredValues(bench) if bench.settings.send_values else None


def examples_of(bench: Workbench) -> ExampleValues | None:
    values = stored_values(bench)
    return values.examples if values is not None else None


def _sample(sampler: Engine, table: Table) -> Mapping[str, Sequence[Any]]:
    """The first rows of `table` by column; nothing where it cannot be read in time."""
    calls = [
        {"op": "table_ref", "args": {"table": table.qualified}, "out": "sampled"},
        {"op": "limit", "args": {"rel": "sampled", "n": SAMPLED_ROWS}, "out": "sample"},
    ]
    if not all(outcome.ok for outcome in sampler.run(calls)):
        return {}
    try:
        relation = sampler.relation("sample")
        rows = sampler.access.fetch(relation, max_rows=SAMPLED_ROWS, seconds=SECONDS_A_TABLE, purpose="examples")
    except CORRECTABLE:
        return {}
    return {column.name: [row[index] for row in rows.rows] for index, column in enumerate(rows.columns)}


def _columns(sample: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[str]]:
    found = {}
    for name, values in sample.items():
        shown = dict.fromkeys(_literal(value) for value in values if _is_telling(value))
        if shown:
            found[name] = tuple(shown)[:VALUES_A_COLUMN]
    return found


def _is_telling(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= LONGEST_TEXT
    return value is not None and not isinstance(value, (bytes, list, dict))


def _literal(value: Any) -> str:
    """As SQL would write it: numbers bare, everything else as a text."""
    text = display_text(value)
    return text if isinstance(value, (int, float)) else "'" + text.replace("'", "''") + "'"
