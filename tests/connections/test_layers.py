"""Each layer of the defence is tried with the others switched off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from connections import guard
from connections.catalogue import Catalogue, Column, Table
from connections.errors import DatabaseError, StatementNotAllowedError
from tests.connections.attacks import ATTACKS, SECRET, SERVERS, Attack
from tests.connections.servers import ask, rows_of
from tests.connections.target import Target, baited, reading_role
from tests.databases import DIALECTS


@pytest.fixture(scope="module")
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    with baited(request.param) as found:
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
    """The URL of a role that may only read the target, in sessions that are not read-only."""
    with reading_role(target) as url:
        if target.dialect == "postgresql":
            ask(target.url, f'ALTER ROLE "{make_url(url).username}" SET default_transaction_read_only = off')
        yield url


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
