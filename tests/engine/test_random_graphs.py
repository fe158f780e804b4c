"""Random graphs of operations return the same rows as the reference on every engine, and the same SQL every time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from agents.engine.engine import Engine, EngineSettings
from connections.catalogue import Catalogue
from connections.contracts import Driver
from connections.door import Door
from connections.drivers import driver_for
from tests.databases import DIALECTS, scratch
from tests.engine.comparing import assert_same
from tests.engine.data import TABLES, create_sql
from tests.engine.graphs import programs
from tests.engine.reference import Reference
from tests.engine.spelling import spelled
from tests.engine.test_golden import NULLS

pytestmark = pytest.mark.fuzz
EXAMPLES = 200 if os.environ.get("HYPOTHESIS_PROFILE", "steady") == "steady" else settings.default.max_examples
SETTINGS = EngineSettings(warnings=False)


class Doors:
    """A door that is replaced now and then, so that temp tables do not pile up."""

    def __init__(self, driver: Driver, catalogue: Catalogue) -> None:
        self._driver, self._catalogue = driver, catalogue
        self._door = Door(driver, catalogue)
        self._uses = 0

    def get(self) -> Door:
        self._uses += 1
        if self._uses % 100 == 0:
            self.close()
            self._door = Door(self._driver, self._catalogue)
        return self._door

    def close(self) -> None:
        self._door.close()


@pytest.fixture(scope="module", params=DIALECTS)
def doors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with scratch(request.param, create_sql(), tmp_path_factory.mktemp("shop")) as url:
        driver = driver_for(url)
        doors = Doors(driver, driver.catalogue())
        yield doors
        doors.close()


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(program=programs())
def test_a_random_graph_returns_what_the_reference_says(doors: Doors, program: list[dict[str, Any]]) -> None:
    door = doors.get()
    engine = Engine(door, settings=SETTINGS)
    _run(engine, spelled(program, door.dialect))
    reference = Reference(TABLES, NULLS[door.dialect])
    reference.run(program)
    for handle in _leaves(engine):
        _run(engine, [{"op": "execute", "args": {"rel": handle}}])
        result, expected = engine.results[-1], reference.bags[handle]
        assert [column.name for column in result.columns] == list(expected.columns)
        # Where something is materialised, what ran read temp tables, and what is shown does not.
        for rows in (result.rows, door.query(result.sql).rows):
            try:
                assert_same(rows, expected)
            except AssertionError as error:
                raise AssertionError(f"{error}\n{result.sql}") from None


def _run(engine: Engine, calls: list[dict[str, Any]]) -> None:
    failed = next((outcome for outcome in engine.run(calls) if not outcome.ok), None)
    assert failed is None, f"{failed.call}: {failed.text}"


def _leaves(engine: Engine) -> list[str]:
    """The handles that no other one was made from."""
    read = {id(source) for relation in engine.handles.values() for source in relation.inputs}
    return [handle for handle, relation in engine.handles.items() if id(relation) not in read]


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(program=programs())
def test_counts_and_probes_of_a_random_graph_are_what_the_reference_says(
    doors: Doors, program: list[dict[str, Any]]
) -> None:
    door = doors.get()
    engine = Engine(door, settings=SETTINGS)
    engine.run(spelled(program, door.dialect))
    reference = Reference(TABLES, NULLS[door.dialect])
    last = reference.run(program)
    counted = engine.count(list(engine.handles.values()), budget_ms=60_000)
    assert counted == [len(reference.bags[handle].rows) for handle in engine.handles]
    rel, column = program[-1]["out"], last.columns[0]
    values = [row[column] for row in last.rows]
    if not any(isinstance(value, float) or getattr(value, "denominator", 1) > 4 for value in values):
        told = engine.call({"op": "probe_values", "args": {"rel": rel, "column": column}}).text
        assert _numbers(told) == (len(set(values) - {None}), len(values), values.count(None)), told


# Averages and the like are left out above: databases round them differently, and then they may coincide.
def _numbers(observation: str) -> tuple[int, ...]:
    """Distinct values, rows and NULLs, as the first line of a probe tells them."""
    told = re.search(r": ([\d,]+) distinct values?, ([\d,]+) rows?, ([\d,]+) NULL$", observation.splitlines()[0])
    assert told, observation
    return tuple(int(number.replace(",", "")) for number in told.groups())


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(program=programs())
def test_a_random_graph_compiles_to_the_same_bytes_twice(doors: Doors, program: list[dict[str, Any]]) -> None:
    door = doors.get()
    calls = spelled(program, door.dialect)
    assert _sql(door, calls) == _sql(door, calls)


def _sql(door: Door, calls: list[dict[str, Any]]) -> list[str]:
    engine = Engine(door, settings=SETTINGS)
    engine.run(calls)
    return [engine.sql(handle) + relation.fingerprint for handle, relation in engine.handles.items()]
