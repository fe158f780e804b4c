"""Fixtures that every area shares."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.databases import DIALECTS, scratch
from tests.postgres_cluster import Cluster, postgres_cluster

# Examples are the same on every run, so that a red build is red again at home; `make fuzz` draws new ones, and many.
settings.register_profile("steady", derandomize=True, max_examples=60, deadline=None, database=None)
settings.register_profile(
    "fuzz", max_examples=3_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# What tests start is told by them alone, never by the settings of whoever runs them.
os.environ["ENV_FILE"] = "off"

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture
def new_database(tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """`new_database(dialect, sql)`: the URL of a scratch database, dropped when the test ends."""
    with ExitStack() as stack:
        yield lambda dialect, sql="": stack.enter_context(scratch(dialect, sql, tmp_path))


@pytest.fixture(scope="session")
def own_postgres() -> Iterator[Cluster]:
    """A PostgreSQL server whose rules for logins, restarts and log are the tests' own."""
    with postgres_cluster() as cluster:
        yield cluster


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)
