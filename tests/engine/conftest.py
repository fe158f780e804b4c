"""An engine over the tiny shop, on each kind of database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from agents.engine.engine import Engine
from agents.engine.programs import open_door
from tests.engine.data import create_sql


@pytest.fixture
def engine(new_database: Callable[[str, str], str], dialect: str) -> Iterator[Engine]:
    with open_door(new_database(dialect, create_sql())) as door:
        yield Engine(door)
