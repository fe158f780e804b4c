"""The connection test says what works, what does not, and what the role could do beyond reading."""

from __future__ import annotations

import re
import socket
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from sqlalchemy.engine import make_url

from connections.checkup import FILE_STEPS, SERVER_STEPS, Step, checkup, select_only_role
from connections.door import Door
from connections.drivers import DriverOptions, driver_for
from connections.network import NetworkPolicy
from tests.connections.corpus import NUMBERS
from tests.connections.servers import ask
from tests.databases import DIALECTS, MYSQL_URL, POSTGRES_URL

NewDatabase = Callable[..., str]
SERVERS = ("postgresql", "mysql")
ROOT = Path(__file__).resolve().parent.parent.parent


def by_name(steps: tuple[Step, ...]) -> dict[str, Step]:
    return {step.name: step for step in steps}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_sound_connection_passes_and_its_write_is_refused(new_database: NewDatabase, dialect: str) -> None:
    driver = driver_for(new_database(dialect, NUMBERS))
    steps = checkup(driver)
    assert tuple(step.name for step in steps) == (SERVER_STEPS if driver.endpoint else FILE_STEPS)
    assert not [step for step in steps if step.state in ("failed", "skipped")]
    found = by_name(steps)
    assert "1 tables with 2 columns" in found["Catalogue"].text
    assert "A write was tried and refused" in found["Write"].text
    assert driver.catalogue().find("reactsql_write_test") == ()


def test_a_superuser_is_warned_about(new_database: NewDatabase) -> None:
    assert "superuser" in by_name(checkup(driver_for(new_database("postgresql", NUMBERS))))["Role"].text
    assert "files" in by_name(checkup(driver_for(new_database("mysql", NUMBERS))))["Role"].text


@pytest.fixture
def role() -> Iterator[str]:
    """The name of a role that is dropped afterwards on both servers, if it came to exist."""
    name = f"reader_{uuid.uuid4().hex[:8]}"
    yield name
    ask(MYSQL_URL, f"DROP USER IF EXISTS '{name}'@'%'")
    ask(POSTGRES_URL, f'DROP ROLE IF EXISTS "{name}"')


@pytest.mark.parametrize("dialect", SERVERS)
def test_the_role_that_we_recommend_can_read_and_nothing_else(
    new_database: NewDatabase, dialect: str, role: str
) -> None:
    url = new_database(dialect, NUMBERS)
    parsed = make_url(url)
    sql = select_only_role(driver_for(url), str(parsed.database), role=role, password="it's a s3cret\\")
    ask(url, *sql.split(";\n"))
    try:
        reader = driver_for(
            parsed.set(username=role, password="it's a s3cret\\").render_as_string(hide_password=False)
        )
        assert by_name(checkup(reader))["Role"].state == "ok"
        with Door(reader, reader.catalogue()) as door:
            assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)
    finally:
        if dialect == "postgresql":
            ask(url, f'DROP OWNED BY "{role}"')


def test_the_containers_demo_is_asked_by_a_role_that_can_only_read(new_database: NewDatabase, role: str) -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    prepare = compose["services"]["prepare"]
    owner, asking = (make_url(re.findall(r"postgresql\S+@demo/demo", text)[0])
                     for text in (prepare["command"], prepare["environment"]["DEMO_DATABASE_URL"]))  # fmt: skip
    made = compose["configs"]["demo-reader"]["content"]
    assert (owner.username, asking.username) == ("demo", "demo_reader")
    assert f"{asking.username} LOGIN PASSWORD '{asking.password}'" in made
    url = new_database("postgresql", "")
    database = str(make_url(url).database)
    made = made.replace("DATABASE demo", f'DATABASE "{database}"').replace("demo_reader", role)
    ask(url, *filter(None, map(str.strip, made.split(";\n"))), NUMBERS)  # the tables come after the role
    try:
        reader = driver_for(make_url(url).set(username=role, password=role).render_as_string(hide_password=False))
        found = by_name(checkup(reader))
        assert (found["Role"].state, found["Catalogue"].text) == ("ok", "1 tables with 2 columns.")
        with Door(reader, reader.catalogue()) as door:
            assert door.query("SELECT COUNT(*) FROM numbers").rows == ((1000,),)
    finally:
        ask(url, f'DROP OWNED BY "{role}"')


@pytest.mark.parametrize("dialect", SERVERS)
def test_a_closed_and_a_silent_port_get_the_same_words(dialect: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ports = [silent.getsockname()[1], unused_port()]
        options = DriverOptions(connect_seconds=2)
        texts = {
            str(port): [
                step.text.replace(str(port), "PORT")
                for step in checkup(driver_for(f"{dialect}://ann:s3cret@127.0.0.1:{port}/db", options=options))
                if step.state == "failed"
            ]
            for port in ports
        }
    silent_text, closed_text = texts.values()
    assert "does not answer at 127.0.0.1:PORT" in closed_text[0]
    assert silent_text[0].partition(" does not")[2] == closed_text[0].partition(" does not")[2]


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize("dialect", SERVERS)
def test_a_wrong_user_a_wrong_host_and_missing_tls_are_told_apart(new_database: NewDatabase, dialect: str) -> None:
    url = make_url(new_database(dialect, NUMBERS))
    cases = {
        "Login": url.set(username="stranger", password="s3cret"),
        "Name": url.set(host="no-such-host.invalid"),
        "Network": url.set(port=unused_port()),
    }
    for name, wrong in cases.items():
        failed = [step for step in checkup(driver_for(wrong.render_as_string(hide_password=False)))
                  if step.state == "failed"]  # fmt: skip
        assert [step.name for step in failed] == [name]
        assert "s3cret" not in failed[0].text
    strict = driver_for(url.render_as_string(hide_password=False), options=DriverOptions(tls="verify-full"))
    assert [step.name for step in checkup(strict) if step.state == "failed"] == ["TLS"]


@pytest.mark.parametrize("dialect", SERVERS)
def test_a_forbidden_network_is_never_connected_to(dialect: str) -> None:
    options = DriverOptions(networks=NetworkPolicy.from_text("10.0.0.0/8"))
    steps = checkup(driver_for(f"{dialect}://ann@127.0.0.1/db", options=options))
    assert [step.name for step in steps if step.state == "failed"] == ["Name"]


def test_a_file_that_is_no_database_fails_at_the_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database")
    for kind in ("sqlite", "duckdb"):
        failed = [s for s in checkup(driver_for(f"{kind}:///notes.txt", file_root=tmp_path)) if s.state == "failed"]
        assert [step.name for step in failed] == ["File"]
        assert str(tmp_path) not in failed[0].text
