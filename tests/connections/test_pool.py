"""One process opens only so many sessions to one database, and keeps idle ones for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from connections.errors import ConnectionFailedError
from connections.pool import SessionPool, close_shared_pools, shared_pool
from tests.connections.corpus import NUMBERS
from tests.connections.servers import rows_of

NewDatabase = Callable[..., str]
SESSIONS = (
    "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'reactsql-web'"
)


def open_sessions(url: str, expected: int) -> int:
    """How many of our sessions the server counts; it takes a moment to notice that one was closed."""
    ends = time.monotonic() + 5
    while (count := int(rows_of(url, SESSIONS)[0][0])) != expected and time.monotonic() < ends:
        time.sleep(0.02)
    return count


def pool_to(url: str, cap: int = 2, **settings: Any) -> SessionPool:
    return SessionPool(driver_for(url), cap, **settings)


def test_who_comes_after_the_cap_waits_and_then_is_refused(new_database: NewDatabase, dialect: str) -> None:
    pool = pool_to(new_database(dialect, NUMBERS), wait_seconds=0.2)
    first, second = pool.open(Limits()), pool.open(Limits())
    with pytest.raises(ConnectionFailedError, match="All 2 sessions"):
        pool.open(Limits())
    threading.Timer(0.05, first.close).start()
    pool.open(Limits()).close()
    second.close()
    pool.close()


def test_an_idle_session_is_used_again_and_ends_in_time(new_database: NewDatabase) -> None:
    url = new_database("postgresql", NUMBERS)
    now = [0.0]
    pool = pool_to(url, clock=lambda: now[0])
    catalogue = pool.catalogue()
    numbers = []
    for moment, expected in ((0, 0), (30, 1), (200, 1)):
        now[0] = moment
        with Door(pool, catalogue) as door:
            numbers.append(open_sessions(url, expected))
            door.query("SELECT n FROM numbers")
    assert numbers == [0, 1, 1]
    pool.close()
    assert open_sessions(url, 0) == 0


def test_a_kept_session_that_the_server_ended_is_replaced_without_a_word(new_database: NewDatabase) -> None:
    url = new_database("postgresql", NUMBERS)
    pool = pool_to(url)
    catalogue = pool.catalogue()
    with Door(pool, catalogue) as door:
        door.query("SELECT n FROM numbers")
    rows_of(url, SESSIONS.replace("COUNT(*)", "pg_terminate_backend(pid)"))
    with Door(pool, catalogue) as door:
        assert len(door.query("SELECT n FROM numbers").rows) == 1000
    pool.close()


def test_a_session_with_temp_tables_is_never_kept(new_database: NewDatabase) -> None:
    pool = pool_to(new_database("duckdb", NUMBERS))
    catalogue = pool.catalogue()
    for _ in range(2):
        with Door(pool, catalogue) as door:
            door.materialize("few", "SELECT n FROM numbers WHERE n < 4")


def test_a_failed_opening_gives_its_place_back(new_database: NewDatabase) -> None:
    pool = pool_to("postgresql://ann@no-such-host.invalid/db", cap=1, wait_seconds=0.1)
    for _ in range(3):
        with pytest.raises(ConnectionFailedError, match="no host named"):
            pool.open(Limits())


def test_a_connection_shares_one_pool_until_its_settings_change(new_database: NewDatabase) -> None:
    url = new_database("postgresql", NUMBERS)

    def shared(settings: str) -> SessionPool:
        return shared_pool("shop", settings, lambda: driver_for(url), 2)

    before = shared("old password")
    assert shared("old password") is before
    before.open(Limits()).close()
    assert open_sessions(url, 1) == 1
    assert shared("new password") is not before
    assert open_sessions(url, 0) == 0
    close_shared_pools()
