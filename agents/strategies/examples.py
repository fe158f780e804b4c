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


def examples_of(bench: Workbench) -> ExampleValues | None:
    """What reads examples through the run's own door; None where results may not be sent to the model."""
    if not bench.settings.send_values:
        return None
    sampler = Engine(bench.engine.access.door, settings=replace(bench.engine.settings, warnings=False))

    def examples(table: Table) -> Mapping[str, Sequence[str]]:
        return _columns(_sample(sampler, table))

    return examples


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
