"""Each layer of the defence is tried with the others switched off."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from connections import guard
from connections.catalogue import Catalogue, Column, Table
from connections.checkup import select_only_role
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from connections.errors import DatabaseError, StatementNotAllowedError
from tests.connections.attacks import ATTACKS, BAIT, SECRET, SERVERS, Attack
from tests.connections.servers import ask, rows_of
from tests.databases import DIALECTS, MYSQL_URL, POSTGRES_URL, scratch

SMALL = Limits(seconds=5)


class Target:
    """One database with its bait, shared by all attacks: as none may succeed, none can disturb the next."""

    def __init__(self, dialect: str, url: str, folder: Path) -> None:
        self.dialect, self.url, self.folder = dialect, url, folder
        self.driver = driver_for(url)
        self.catalogue = self.driver.catalogue()
        self.rows_before = self.rows()

    def door(self, **settings: Any) -> Door:
        return Door(self.driver, self.catalogue, SMALL, **settings)

    def rows(self) -> list[Any]:
        """What is looked at after each attack: rows and files."""
        return [rows_of(self.url, f"SELECT * FROM {table} ORDER BY 1") for table in ("bait", "plain")] + self.files()

    def state(self) -> list[Any]:
        """Everything that an attack could change: also tables, sequences, roles, large objects, settings."""
        more: list[Any] = [(t.qualified, t.kind, t.columns) for t in driver_for(self.url).catalogue().tables]
        if self.dialect == "postgresql":
            more += rows_of(self.url, "SELECT last_value, is_called FROM tickets")
            more += rows_of(self.url, "SELECT COUNT(*) FROM pg_largeobject_metadata")
            more += rows_of(self.url, "SELECT COUNT(*) FROM pg_roles WHERE rolname = 'intruder'")
        if self.dialect == "mysql":
            more += rows_of(self.url, "SELECT @@GLOBAL.max_connections > 5")
            more += rows_of(self.url, "SELECT COUNT(*) FROM mysql.user WHERE user = 'intruder'")
        return more

    def files(self) -> list[tuple[str, str]]:
        own = make_url(self.url).database or ""
        return [
            (str(path), hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not (str(path).startswith(own) and path != Path(own))
        ]


@pytest.fixture(scope="module")
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("target")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "secret.csv").write_text(f"word\n{SECRET}\n")
    folder.chmod(0o755)
    sql = BAIT + ("; CREATE SEQUENCE tickets" if request.param == "postgresql" else "")
    with scratch(request.param, sql, folder) as url:
        found = Target(request.param, url, folder)
        before = found.state()
        yield found
        assert found.state() == before, "an attack left something behind"


def stopped_by(layer: str, dialects: tuple[str, ...] = DIALECTS) -> list[Any]:
    """Pairs of dialect and attack, the dialects together, so that each database is made once."""
    return [
        pytest.param(dialect, attack, id=f"{dialect}-{attack.sql[:50]}")
        for dialect in dialects
        for attack in ATTACKS
        if dialect in attack.dialects and layer in attack.stopped_by
    ]


@pytest.mark.parametrize(("dialect", "attack"), stopped_by("guard"))
def test_the_guard_alone_refuses(dialect: Any, attack: Attack) -> None:
    columns = (Column("id", "INTEGER"), Column("entry", "VARCHAR(40)"))
    catalogue = Catalogue(dialect, (Table("bait", columns=columns), Table("plain", columns=columns)))
    with pytest.raises(StatementNotAllowedError):
        guard.check(attack.sql.format(folder="/tmp"), dialect, catalogue)


@pytest.mark.parametrize(("target", "attack"), stopped_by("session"), indirect=["target"])
def test_the_session_alone_stops_it(target: Target, attack: Attack) -> None:
    with target.door(check=lambda *_, **__: None) as door:
        try:
            shown = door.query(attack.sql.format(folder=target.folder)).rows
        except DatabaseError as error:
            shown = ((str(error),),)
        assert SECRET not in repr(shown)
        assert door.query("SELECT COUNT(*) FROM plain").rows == ((2,),), "the session is not what it was"
    assert target.rows() == target.rows_before


@pytest.fixture(scope="module")
def reader(target: Target) -> Iterator[str]:
    """The URL of a role that may only read the target."""
    name = f"reader_{uuid.uuid4().hex[:8]}"
    parsed = make_url(target.url)
    ask(target.url, *select_only_role(target.driver, str(parsed.database), role=name, password="s3cret").split(";\n"))
    if target.dialect == "postgresql":
        ask(target.url, f'ALTER ROLE "{name}" SET default_transaction_read_only = off')
    yield parsed.set(username=name, password="s3cret").render_as_string(hide_password=False)
    if target.dialect == "postgresql":
        ask(target.url, f'DROP OWNED BY "{name}"')
        ask(POSTGRES_URL, f'DROP ROLE "{name}"')
    else:
        ask(MYSQL_URL, f"DROP USER '{name}'@'%'")


@pytest.mark.parametrize(("target", "attack"), stopped_by("role", SERVERS), indirect=["target"])
def test_the_role_alone_stops_it(target: Target, reader: str, attack: Attack) -> None:
    try:
        shown = rows_of(reader, attack.sql.format(folder=target.folder))
    except Exception as error:  # noqa: BLE001  (whatever the driver says: it is the state that counts)
        shown = [str(error)]
    assert SECRET not in repr(shown)
    assert target.rows() == target.rows_before


def test_two_layers_stop_every_attack_or_the_reason_is_written_down() -> None:
    for attack in ATTACKS:
        files_only = not set(attack.dialects) & set(SERVERS)
        layers = attack.stopped_by - ({"role"} if files_only else set())
        assert len(layers) >= 2 or attack.why, attack.sql
