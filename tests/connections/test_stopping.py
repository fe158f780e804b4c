"""A statement that is stopped has ended in the database, not only here: on servers, and in the files' own engines."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from connections.catalogue import Catalogue
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for, duckdb, sqlite
from connections.errors import ConnectionFailedError, QueryCancelledError, QueryTimeoutError
from tests.connections.corpus import ENDLESS, NUMBERS
from tests.connections.servers import ask, rows_of
from tests.databases import DIALECTS

SERVERS = ("postgresql", "mysql")
IN_PROCESS = {"sqlite": sqlite.__file__, "duckdb": duckdb.__file__}


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest, new_database: Callable[..., str]) -> str:
    return new_database(request.param, NUMBERS)


@pytest.fixture(params=DIALECTS)
def database(request: pytest.FixtureRequest, new_database: Callable[..., str]) -> str:
    return new_database(request.param, NUMBERS)


def sessions(url: str) -> dict[int, str]:
    """Our sessions on this database by number, with the statement that runs there ("" when idle)."""
    kind = make_url(url).get_backend_name()
    if kind in IN_PROCESS:
        return dict.fromkeys(open_files(str(make_url(url).database)), "")
    if kind == "postgresql":
        sql = (
            "SELECT pid, CASE state WHEN 'active' THEN query ELSE '' END FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = 'reactsql-web'"
        )
    else:
        sql = (
            "SELECT id, COALESCE(info, '') FROM information_schema.processlist "
            "WHERE db = DATABASE() AND id <> CONNECTION_ID()"
        )
    return dict(rows_of(url, sql))


def open_files(path: str) -> list[int]:
    """The numbers under which this process has the file open; SQLite has one for each session, DuckDB one for all."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            if os.path.samefile(entry, path):
                found.append(int(entry.name))
        except FileNotFoundError:  # the one that listed the folder
            continue
    return found


def running(url: str) -> set[int]:
    """The sessions that run the endless statement; of a file, the threads that are inside its engine for that."""
    if file := IN_PROCESS.get(make_url(url).get_backend_name()):
        inside = {thread: frame.f_code for thread, frame in sys._current_frames().items()}
        return {thread for thread, code in inside.items() if (code.co_filename, code.co_name) == (file, "query")}
    return {number for number, statement in sessions(url).items() if "numbers AS a" in statement}


def busy_share(seconds: float = 0.4) -> float:
    """How much of a processor this process uses, the engines' own threads included."""
    used, started = time.process_time(), time.perf_counter()
    time.sleep(seconds)
    return (time.process_time() - used) / (time.perf_counter() - started)


def soon(check: Callable[[], bool], seconds: float = 2.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.05)
    return check()


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[[], Door]]:
    url = request.getfixturevalue("server" if "server" in request.fixturenames else "database")
    driver = driver_for(url)
    catalogue: Catalogue = driver.catalogue()
    doors: list[Door] = []

    def make() -> Door:
        doors.append(Door(driver, catalogue, Limits(seconds=30)))
        return doors[-1]

    yield make
    for door in doors:
        door.close()


def test_a_timeout_ends_the_statement_in_the_database(database: str, opened: Callable[[], Door]) -> None:
    door = opened()
    started = time.monotonic()
    with pytest.raises(QueryTimeoutError):
        door.query(ENDLESS, seconds=0.5)
    assert time.monotonic() - started < 2.5
    assert soon(lambda: not running(database))
    assert soon(lambda: busy_share() < 0.1), "something still computes"
    assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),), "the session is whole"


def test_ten_statements_cancelled_at_once_leave_nothing_behind(database: str, opened: Callable[[], Door]) -> None:
    doors = [opened() for _ in range(10)]
    ended: list[type[BaseException]] = []

    def ask_for_ever(door: Door) -> None:
        try:
            door.query(ENDLESS)
        except QueryCancelledError as error:
            ended.append(type(error))
        finally:
            door.close()

    threads = [threading.Thread(target=ask_for_ever, args=(door,)) for door in doors]
    for thread in threads:
        thread.start()
    assert soon(lambda: len(running(database)) == 10, seconds=10)
    assert sessions(database)
    started = time.monotonic()
    for door in doors:
        door.cancel()
    assert soon(lambda: not running(database), seconds=started + 2 - time.monotonic())
    for thread in threads:
        thread.join(5)
    assert ended == [QueryCancelledError] * 10
    assert soon(lambda: not sessions(database))
    assert soon(lambda: busy_share() < 0.1), "something still computes"


def test_a_cut_result_ends_the_statement(server: str, opened: Callable[[], Door]) -> None:
    door = opened()
    started = time.perf_counter()
    rows = door.query("SELECT a.n FROM numbers AS a, numbers AS b, numbers AS c", max_rows=50)
    assert (len(rows.rows), rows.cut_by) == (50, "rows")
    assert time.perf_counter() - started < 3
    assert not running(server)
    assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_a_session_that_the_server_ended_is_replaced_once(server: str, opened: Callable[[], Door]) -> None:
    door = opened()
    door.query("SELECT n FROM numbers")
    end_sessions(server)
    assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_a_statement_during_which_the_server_ends_the_session_is_tried_once_more(
    server: str, opened: Callable[[], Door]
) -> None:
    door = opened()
    door.query("SELECT n FROM numbers")
    failures: list[BaseException] = []

    def ask_for_ever() -> None:
        try:
            door.query(ENDLESS)
        except ConnectionFailedError as error:
            failures.append(error)

    thread = threading.Thread(target=ask_for_ever)
    thread.start()
    assert soon(lambda: bool(running(server)), seconds=5)
    first = running(server)
    end_sessions(server)
    assert soon(lambda: bool(running(server) - first), seconds=5), "it was not tried again"
    end_sessions(server)
    thread.join(5)
    assert "closed the connection" in str(failures[0])


FORKING = """
import os, time
from connections.drivers.running import Running

first = os.getpid()

def tells(whose):
    return lambda: print(whose, "by", "parent" if os.getpid() == first else "child", flush=True)

with Running(0.6, tells("the parent's")):
    if os.fork():
        os.wait()
    else:
        with Running(0.2, tells("the child's")):
            time.sleep(1.2)
        os._exit(0)
"""


def test_a_process_that_was_forked_ends_its_own_statements_and_not_its_parents() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()) == {"the parent's by parent", "the child's by child"}


def end_sessions(url: str) -> None:
    """What a restart, a failover or an impatient administrator does."""
    for number in sessions(url):
        if make_url(url).get_backend_name() == "postgresql":
            rows_of(url, f"SELECT pg_terminate_backend({number})")
        else:
            ask(url, f"KILL {number}")
