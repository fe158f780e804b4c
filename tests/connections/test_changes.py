"""What happens when the database changes between two calls: a clear message, and the door works on."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from connections.catalogue import Catalogue, Table
from connections.door import Door
from connections.drivers import DriverOptions, driver_for
from connections.errors import ConnectionFailedError, ExecutionError, LoginRefusedError, TLSFailedError
from tests.connections.corpus import NUMBERS
from tests.connections.servers import ask
from tests.connections.test_stopping import end_sessions
from tests.databases import MYSQL_URL, scratch
from tests.postgres_cluster import Cluster

NewDatabase = Callable[..., str]
SERVERS = ("postgresql", "mysql")


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database on a server that asks for passwords: the tests' own PostgreSQL, or MariaDB."""
    postgres = request.getfixturevalue("own_postgres").url if request.param == "postgresql" else ""
    sql = f"{NUMBERS}; CREATE TABLE other (n INTEGER); INSERT INTO other VALUES (1)"
    with scratch(request.param, sql, tmp_path, postgres) as url:
        yield url


@pytest.fixture
def door(server: str) -> Iterator[Door]:
    driver = driver_for(server)
    with Door(driver, driver.catalogue()) as opened:
        opened.query("SELECT n FROM other")
        yield opened


def test_a_dropped_table_is_named_and_the_rest_can_still_be_asked(server: str, door: Door) -> None:
    ask(server, "DROP TABLE other")
    with pytest.raises(ExecutionError, match="other"):
        door.query("SELECT n FROM other")
    assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_a_renamed_column_is_named_and_the_new_name_works(server: str, door: Door) -> None:
    ask(server, "ALTER TABLE other RENAME COLUMN n TO m")
    with pytest.raises(ExecutionError, match="n"):
        door.query("SELECT n FROM other")
    assert door.query("SELECT m FROM other").rows == ((1,),)


def test_a_changed_type_is_followed(server: str, door: Door) -> None:
    ask(server, "ALTER TABLE other ALTER COLUMN n TYPE text" if "postgresql" in server
        else "ALTER TABLE other MODIFY n VARCHAR(20)")  # fmt: skip
    assert door.query("SELECT n FROM other").rows == (("1",),)


@pytest.fixture
def login(server: str) -> Iterator[str]:
    """The URL of a login of its own on the server."""
    parsed = make_url(server)
    name = f"login_{uuid.uuid4().hex[:8]}"
    if parsed.get_backend_name() == "postgresql":
        ask(server, f"CREATE ROLE {name} LOGIN PASSWORD 'first'", f"GRANT SELECT ON numbers TO {name}")
    else:
        ask(server, f"CREATE USER {name} IDENTIFIED BY 'first'", f"GRANT SELECT ON numbers TO {name}")
    yield parsed.set(username=name, password="first").render_as_string(hide_password=False)
    if parsed.get_backend_name() == "postgresql":
        ask(server, f"DROP OWNED BY {name}", f"DROP ROLE {name}")
    else:
        ask(MYSQL_URL, f"DROP USER {name}")


def test_a_table_that_a_role_may_not_read_is_refused_by_name(server: str, login: str) -> None:
    with Door(driver_for(login), driver_for(server).catalogue()) as door:
        with pytest.raises(ExecutionError, match="other"):
            door.query("SELECT n FROM other")
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_a_login_that_was_taken_away_is_told_at_the_next_session(server: str, login: str) -> None:
    driver, name = driver_for(login), make_url(login).username
    with Door(driver, driver.catalogue()) as door:
        door.query("SELECT n FROM numbers")
        ask(server, f"ALTER ROLE {name} NOLOGIN" if driver.dialect == "postgresql"
            else f"ALTER USER {name} ACCOUNT LOCK")  # fmt: skip
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),), "an open session lives on"
        end_sessions(server)
        with pytest.raises(LoginRefusedError, match=str(name)):
            door.query("SELECT n FROM numbers")


def test_a_password_that_changes_between_two_calls_is_told_and_the_new_one_opens_the_door(
    server: str, login: str
) -> None:
    driver, name = driver_for(login), make_url(login).username
    with Door(driver, driver.catalogue()) as door:
        door.query("SELECT n FROM numbers")
        ask(server, f"ALTER ROLE {name} PASSWORD 'second'" if driver.dialect == "postgresql"
            else f"ALTER USER {name} IDENTIFIED BY 'second'")  # fmt: skip
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),), "an open session lives on"
        end_sessions(server)
        with pytest.raises(LoginRefusedError, match=f"login of {name}: wrong user or password") as told:
            door.query("SELECT n FROM numbers")
    assert "first" not in str(told.value)
    new = make_url(login).set(password="second").render_as_string(hide_password=False)
    with opened(new) as door:
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def opened(url: str, **options: Any) -> Door:
    driver = driver_for(url, options=DriverOptions(**options))
    return Door(driver, Catalogue(driver.dialect, (Table("numbers"),)))


def test_a_certificate_that_cannot_be_checked_opens_no_door(server: str) -> None:
    with opened(server, tls="verify-full") as door, pytest.raises(TLSFailedError, match="No TLS connection"):
        door.query("SELECT n FROM numbers")


def test_a_login_that_must_use_tls_is_not_let_in_without(
    server: str, login: str, request: pytest.FixtureRequest
) -> None:
    name = make_url(login).username
    with ExitStack() as stack:
        if "postgresql" in server:
            own: Cluster = request.getfixturevalue("own_postgres")
            stack.enter_context(own.rule(f"hostnossl all {name} all reject"))
        else:
            ask(server, f"ALTER USER {name} REQUIRE SSL")
        with opened(login, tls="disable") as door, pytest.raises(ConnectionFailedError, match="TLS") as told:
            door.query("SELECT n FROM numbers")
    assert "first" not in str(told.value)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"host": "no-such-host.invalid"}, "There is no host named"), ({"port": 1}, "does not answer at 127.0.0.1:1")],
)
def test_a_wrong_address_is_told_in_plain_words(server: str, wrong: dict[str, Any], words: str) -> None:
    url = make_url(server).set(**{"host": "127.0.0.1", **wrong}).render_as_string(hide_password=False)
    with opened(url) as door, pytest.raises(ConnectionFailedError, match=words):
        door.query("SELECT n FROM numbers")


def test_sessions_that_end_between_two_calls_are_not_noticed(server: str, door: Door) -> None:
    end_sessions(server)
    assert door.query("SELECT n FROM other").rows == ((1,),)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_table_that_went_from_a_file_is_named(new_database: NewDatabase, dialect: str) -> None:
    url = new_database(dialect, NUMBERS)
    driver = driver_for(url)
    gone = Catalogue(driver.dialect, (*driver.catalogue().tables, Table("gone")))
    with Door(driver, gone) as door:
        with pytest.raises(ExecutionError, match="gone"):
            door.query("SELECT n FROM gone")
        with pytest.raises(ExecutionError, match="old_name"):
            door.query("SELECT old_name FROM numbers")
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)
