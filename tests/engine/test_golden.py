"""Every operation in every dialect: the SQL is the one in the golden file, and it returns what the reference says.

`golden/OPERATION.json` holds the programs, `golden/OPERATION.DIALECT.sql` the statements. `UPDATE_GOLDEN=1` writes what
is compiled now; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.dsl.operations import OPERATIONS, RelationOperation
from agents.engine.engine import Engine
from connections.catalogue import Catalogue
from connections.contracts import Driver
from connections.door import Door
from connections.drivers import driver_for
from tests.databases import DIALECTS, scratch
from tests.engine.comparing import assert_same
from tests.engine.data import TABLES, create_sql
from tests.engine.reference import Reference

GOLDEN = Path(__file__).parent / "golden"
NULLS = {"sqlite": "small", "mysql": "small", "postgresql": "large", "duckdb": "last"}
PROGRAMS: dict[str, dict[str, list[dict[str, Any]]]] = {
    path.stem: json.loads(path.read_text()) for path in sorted(GOLDEN.glob("*.json"))
}
CASES = [(operation, title) for operation, programs in PROGRAMS.items() for title in programs]


@pytest.fixture(scope="module", params=DIALECTS)
def driver(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Driver, Catalogue]]:
    with scratch(request.param, create_sql(), tmp_path_factory.mktemp("shop")) as url:
        driver = driver_for(url)
        yield driver, driver.catalogue()


@pytest.fixture
def shop(driver: tuple[Driver, Catalogue]) -> Iterator[Door]:
    """A door of its own for each test: temp tables live as long as the door."""
    with Door(*driver) as door:
        yield door


def test_every_operation_that_makes_a_relation_has_golden_files() -> None:
    assert {operation.name for operation in OPERATIONS if issubclass(operation, RelationOperation)} == set(PROGRAMS)


@pytest.mark.parametrize("operation", PROGRAMS)
def test_the_sql_is_the_one_in_the_golden_file(shop: Door, operation: str) -> None:
    path = GOLDEN / f"{operation}.{shop.dialect}.sql"
    written = "\n".join(
        f"-- {title}\n{_built(shop, program).sql(program[-1]['out'])};\n"
        for title, program in PROGRAMS[operation].items()
    )
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(written)
    assert written == path.read_text()


@pytest.mark.parametrize(("operation", "title"), CASES)
def test_it_returns_what_the_reference_says(shop: Door, operation: str, title: str) -> None:
    program = PROGRAMS[operation][title]
    engine = _built(shop, program)
    outcome = engine.call({"op": "execute", "args": {"rel": program[-1]["out"]}})
    assert outcome.ok, outcome.text
    expected = Reference(TABLES, NULLS[shop.dialect]).run(program)
    result = engine.result(1)
    assert [column.name for column in result.columns] == list(expected.columns)
    assert_same(result.rows, expected)


def _built(shop: Door, program: list[dict[str, Any]]) -> Engine:
    engine = Engine(shop)
    outcomes = engine.run(program)
    assert outcomes[-1].ok, outcomes[-1].text
    return engine
