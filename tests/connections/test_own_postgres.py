"""A PostgreSQL that wants TLS and passwords, restarts or is away: a clear message each, and the right behaviour."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from connections.checkup import checkup
from connections.door import Door
from connections.drivers import DriverOptions, driver_for
from connections.errors import ConnectionFailedError, LoginRefusedError, TLSFailedError
from tests.connections.corpus import NUMBERS
from tests.connections.servers import ask
from tests.databases import scratch
from tests.postgres_cluster import Cluster


@pytest.fixture
def login(own_postgres: Cluster, tmp_path: Path) -> Iterator[URL]:
    """A role that may read a database with one table."""
    name = f"reader_{uuid.uuid4().hex[:8]}"
    with scratch("postgresql", NUMBERS, tmp_path, own_postgres.url) as url:
        ask(url, f"CREATE ROLE {name} LOGIN PASSWORD 's3cret'", f"GRANT SELECT ON numbers TO {name}")
        yield make_url(url).set(username=name, password="s3cret")
        ask(url, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


@pytest.fixture
def only_tls(own_postgres: Cluster, login: URL) -> Iterator[None]:
    with own_postgres.rule(f"hostnossl all {login.username} all reject"):
        yield


def door_to(url: URL, tls: str = "prefer", certificate: Path | None = None) -> Door:
    driver = driver_for(url, options=DriverOptions(tls=tls, ca_file=str(certificate or "")))
    return Door(driver, driver.catalogue())


@pytest.mark.usefixtures("only_tls")
@pytest.mark.parametrize("tls", ["prefer", "require"])
def test_a_server_that_wants_tls_gets_it(login: URL, tls: str) -> None:
    with door_to(login, tls) as door:
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)
    steps = {step.name: step for step in checkup(driver_for(login, options=DriverOptions(tls=tls)))}
    assert (steps["TLS"].state, steps["TLS"].text) == ("ok", "The connection is encrypted (TLSv1.3).")


@pytest.mark.usefixtures("only_tls")
def test_a_server_that_wants_tls_says_so_where_it_is_off(login: URL) -> None:
    with pytest.raises(TLSFailedError, match=f"lets {login.username} in with TLS only.* Set TLS to Required"):
        door_to(login, "disable")
    steps = checkup(driver_for(login, options=DriverOptions(tls="disable")))
    assert [step.name for step in steps if step.state == "failed"] == ["TLS"]


@pytest.mark.usefixtures("only_tls")
def test_a_wrong_password_is_no_matter_of_tls(login: URL) -> None:
    with pytest.raises(LoginRefusedError, match="wrong user or password"):
        door_to(login.set(password="other"))


def test_a_rule_that_lets_nobody_in_is_no_matter_of_tls(own_postgres: Cluster, login: URL) -> None:
    with (
        own_postgres.rule(f"host all {login.username} all reject"),
        pytest.raises(LoginRefusedError, match="refused the login of reader_.*: pg_hba.conf rejects"),
    ):
        door_to(login, "require")


def test_a_certificate_is_checked_against_its_authority_and_its_name(own_postgres: Cluster, login: URL) -> None:
    with door_to(login, "verify-full", own_postgres.certificate) as door:
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)
    with pytest.raises(TLSFailedError, match="certificate"):
        door_to(login, "verify-full")
    with pytest.raises(TLSFailedError, match='certificate.* for "127.0.0.1".* host name "localhost"'):
        door_to(login.set(host="localhost"), "verify-full", own_postgres.certificate)


def test_a_restart_between_two_calls_is_not_noticed(own_postgres: Cluster, login: URL) -> None:
    with door_to(login) as door:
        door.query("SELECT n FROM numbers")
        own_postgres.stop()
        own_postgres.start()
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)


def test_a_server_that_is_away_is_told_and_asked_again_once_it_is_back(own_postgres: Cluster, login: URL) -> None:
    with door_to(login) as door:
        door.query("SELECT n FROM numbers")
        own_postgres.stop()
        try:
            for _ in range(2):
                with pytest.raises(ConnectionFailedError, match="does not answer at 127.0.0.1:.* Check host, port"):
                    door.query("SELECT n FROM numbers")
        finally:
            own_postgres.start()
        assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)
