"""Functions as a model may get them wrong, on the databases themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents import errors
from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from connections.allowed import AGGREGATES, FUNCTIONS, WINDOWS
from connections.catalogue import DialectName
from tests.databases import DIALECTS
from tests.engine.data import create_sql
from tests.engine.test_engine import CUSTOMERS, call

TYPES = {name for name in errors.__all__ if name.endswith("Error")}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_function_without_arguments_gives_a_value_or_a_typed_error(
    new_database: Callable[[str, str], str], dialect: DialectName
) -> None:
    with open_door(new_database(dialect, create_sql())) as door:
        engine = Engine(door, settings=EngineSettings(warnings=False))
        for name in sorted(FUNCTIONS[dialect] | AGGREGATES[dialect] | WINDOWS):
            derived = call("derive_column", "d", rel="customers", name="value", expr=f"{name}()")
            *_, outcome = engine.run([CUSTOMERS, derived, call("execute", rel="d")])
            assert outcome.error is None or outcome.error.type in TYPES, outcome.text
