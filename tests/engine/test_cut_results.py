"""A result that does not hold everything says what is missing, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.engine.engine import Engine
from agents.engine.outcomes import Outcome
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from tests.engine.data import create_sql
from tests.engine.test_engine import ORDERS, call

TEXT = call("derive_column", "d", rel="orders", name="note", expr=f"CASE WHEN id < 12 THEN '{'x' * 2_000}' END")


@pytest.fixture
def executed(new_database: Callable[[str, str], str], dialect: str) -> Callable[[Limits], tuple[Engine, Outcome]]:
    def run(limits: Limits) -> tuple[Engine, Outcome]:
        driver = driver_for(new_database(dialect, create_sql()))
        with Door(driver, driver.catalogue(), limits) as door:
            engine = Engine(door)
            calls: list[dict[str, Any]] = [ORDERS, TEXT, call("execute", rel="d")]
            return engine, engine.run(calls)[-1]

    return run


def test_values_of_which_only_the_beginning_is_kept_are_counted_in_a_warning(
    executed: Callable[[Limits], tuple[Engine, Outcome]],
) -> None:
    engine, outcome = executed(Limits(cell_bytes=1_000))
    assert outcome.warnings == ("result 1: 2 values are cut, with only the beginning kept",)
    assert engine.result(1).cut_cells == 2


def test_a_result_that_is_cut_for_its_size_says_so(executed: Callable[[Limits], tuple[Engine, Outcome]]) -> None:
    engine, outcome = executed(Limits(bytes=2_500))
    assert engine.result(1).truncated
    assert "of 8 rows, as many as fit into its memory" in outcome.warnings[0]
