"""Fixtures that every area shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.databases import DIALECTS, scratch


@pytest.fixture
def new_database(tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """`new_database(dialect, sql)`: the URL of a scratch database, dropped when the test ends."""
    with ExitStack() as stack:
        yield lambda dialect, sql="": stack.enter_context(scratch(dialect, sql, tmp_path))


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)
