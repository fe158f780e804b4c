"""Stored connections: secrets stay secret, every change is audited, and the door opens only for who may ask."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management import call_command
from sqlalchemy.engine import make_url

from agents.models import LanguageModel
from connections import crypto, selectors, services, tasks
from connections.address import database_url, fields_of
from connections.errors import ConnectionFailedError, StatementNotAllowedError
from connections.models import AuditEntry, CatalogueNote, CatalogueSnapshot, Connection, Kind, QueryLogEntry
from tests.server.conftest import Cast

SECRET = "p@ss/w:rd'%"


@pytest.fixture
def shop_file(settings: Any) -> Path:
    settings.DATABASES_DIR.mkdir()
    path = settings.DATABASES_DIR / "shop.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript("CREATE TABLE orders (id INTEGER PRIMARY KEY, total NUMERIC)")
        database.execute("INSERT INTO orders VALUES (1, 2)")
    database.close()
    return Path(path)


@pytest.fixture
def server(cast: Cast) -> Connection:
    return services.create_connection(
        actor=cast.ada, name="Server", kind=Kind.POSTGRESQL, host="db", port=5432, database="x", username="u",
        password=SECRET, teams=[cast.team],
    )  # fmt: skip


def test_a_password_is_stored_sealed_and_appears_nowhere_else(server: Connection) -> None:
    server.refresh_from_db()
    assert make_url(database_url(server)).password == SECRET
    assert SECRET.encode() not in bytes(server.password_encrypted)
    shown = repr(server) + str(vars(server)) + str(list(AuditEntry.objects.values()))
    assert SECRET not in shown


def test_saving_without_a_password_keeps_it_and_an_empty_one_deletes_it(cast: Cast, server: Connection) -> None:
    services.save_connection(server, actor=cast.ada)
    server.refresh_from_db()
    assert crypto.decrypt(server.password_encrypted) == SECRET
    services.save_connection(server, actor=cast.ada, password="")
    server.refresh_from_db()
    assert crypto.decrypt(server.password_encrypted) == ""


@pytest.mark.parametrize(
    ("fields", "refused"),
    [({"host": "evil"}, True), ({"port": 6432}, True), ({"username": "root"}, True), ({"kind": Kind.MYSQL}, True),
     ({"tls": "prefer"}, True), ({"tls": "verify-full"}, False), ({"database": "y"}, False),
     ({"kind": Kind.SQLITE, "host": "", "port": None}, False)],
)  # fmt: skip
def test_a_stored_password_goes_nowhere_else_without_being_typed_anew(
    cast: Cast, server: Connection, fields: dict[str, Any], refused: bool
) -> None:
    Connection.objects.update(tls="require")
    for password in (None, "new", ""):
        changed = Connection.objects.get(pk=server.pk)
        for name, value in fields.items():
            setattr(changed, name, value)
        if refused and password is None:
            with pytest.raises(ValidationError, match="Type the password anew"):
                services.save_connection(changed, actor=cast.ada)
            continue
        services.save_connection(changed, actor=cast.ada, password=password)


def test_changes_are_audited_with_old_and_new_values_but_never_a_secret(cast: Cast, server: Connection) -> None:
    server.host = "db2"
    services.save_connection(server, actor=cast.ada, password="other")
    entry = AuditEntry.objects.filter(action="connection changed").latest("pk")
    assert (entry.actor, entry.object_name) == (cast.ada, "Server")
    assert entry.detail == {"host": ["db", "db2"], "password": "changed"}


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"kind": "postgresql", "host": ""}, "host"),
        ({"kind": "oracle"}, "kind"),
        ({"schemas": "public"}, "schemas"),
        ({"name": ""}, "name"),
    ],
)
def test_a_connection_that_cannot_work_is_refused(cast: Cast, fields: dict[str, Any], place: str) -> None:
    whole = {"name": "New", "kind": "sqlite", "database": "x.sqlite", **fields}
    with pytest.raises(ValidationError) as caught:
        services.create_connection(actor=cast.ada, **whole)
    assert place in caught.value.message_dict


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u:p%40w%2F@db.example.com:5433/my%20db",
        "mysql+pymysql://root@127.0.0.1:3306/test",
        "sqlite:///demo.sqlite",
        "duckdb:///folder/demo.duckdb",
    ],
)
def test_a_url_and_a_stored_connection_say_the_same(url: str) -> None:
    fields = fields_of(url)
    connection = Connection(password_encrypted=crypto.encrypt(fields.pop("password")), **fields)
    assert make_url(database_url(connection)) == make_url(url)


def test_the_door_opens_reads_and_logs_who_asked(cast: Cast, shop_file: Path) -> None:
    with services.open_door(cast.shop, cast.ada) as door:
        assert door.query("SELECT total FROM orders", purpose="execute").rows == ((2,),)
        with pytest.raises(StatementNotAllowedError):
            door.query("DELETE FROM orders")
    asked, refused = QueryLogEntry.objects.order_by("pk")
    assert (asked.user, asked.connection_name, asked.purpose, asked.rows) == (cast.ada, "Shop", "execute", 1)
    assert refused.error.startswith("StatementNotAllowedError")


@pytest.mark.parametrize("person", ["ben", "cleo"])
def test_the_door_stays_shut_for_who_may_not_ask(cast: Cast, shop_file: Path, person: str) -> None:
    with pytest.raises(ConnectionFailedError, match="may not ask Shop"):
        services.open_door(cast.shop, getattr(cast, person))


@pytest.mark.parametrize("file", ["../app.sqlite", "/etc/passwd", "missing.sqlite", ".", ""])
def test_only_files_in_the_databases_folder_can_be_asked(cast: Cast, shop_file: Path, file: str) -> None:
    cast.shop.database = file
    with pytest.raises(ConnectionFailedError):
        services.refresh_catalogue(cast.shop)


def test_a_file_that_is_no_database_is_said_to_be_none(cast: Cast, shop_file: Path) -> None:
    shop_file.write_text("no database")
    with pytest.raises(ConnectionFailedError, match="shop.sqlite"):
        services.open_door(cast.shop, cast.ada)
    assert not CatalogueSnapshot.objects.exists()


def test_a_catalogue_that_cannot_be_read_again_stays(cast: Cast, shop_file: Path) -> None:
    services.refresh_catalogue(cast.shop)
    shop_file.unlink()
    tasks.refresh_task(cast.shop.pk)
    catalogue = selectors.catalogue_of(cast.shop)
    assert catalogue is not None
    assert [table.name for table in catalogue.tables] == ["orders"]


def test_notes_reach_the_model_with_the_catalogue(cast: Cast, shop_file: Path) -> None:
    services.refresh_catalogue(cast.shop)
    Connection.objects.update(notes="A shop.")
    cast.shop.refresh_from_db()
    CatalogueNote.objects.create(connection=cast.shop, table="orders", column="total", text="Euro")
    catalogue = selectors.catalogue_of(cast.shop)
    assert catalogue is not None
    assert catalogue.notes == {"": "A shop.", "orders.total": "Euro"}


def test_a_new_key_seals_and_old_ones_still_open(settings: Any) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.FERNET_KEYS = [old]
    sealed = crypto.encrypt("secret")
    settings.FERNET_KEYS = [new, old]
    rotated = crypto.rotate(sealed)
    assert crypto.decrypt(sealed) == "secret"
    settings.FERNET_KEYS = [new]
    assert crypto.decrypt(rotated) == "secret"
    with pytest.raises(ImproperlyConfigured, match="not in FERNET_KEYS"):
        crypto.decrypt(sealed)


def test_rotating_seals_every_stored_secret_anew(
    cast: Cast, server: Connection, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = LanguageModel.objects.create(name="m", model="openai/x", key_encrypted=crypto.encrypt("key"))
    file = tmp_path / "fernet.keys"
    file.write_text("\n".join(django_settings.FERNET_KEYS))
    settings.FERNET_KEYS_FILE = file
    before = bytes(server.password_encrypted)
    call_command("rotate_keys")
    settings.FERNET_KEYS = file.read_text().split()
    assert len(settings.FERNET_KEYS) == 1
    server.refresh_from_db()
    model.refresh_from_db()
    assert bytes(server.password_encrypted) != before
    assert crypto.decrypt(server.password_encrypted) == SECRET
    assert crypto.decrypt(model.key_encrypted) == "key"
    assert "2 secrets" in capsys.readouterr().out


def test_the_first_start_prepares_all_and_the_second_nothing(
    db: None, settings: Any, shop_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DEMO_DATABASE = shop_file
    call_command("prepare")
    first = capsys.readouterr().out
    call_command("prepare")
    assert "First login: admin" in first
    assert capsys.readouterr().out == ""
    connection = Connection.objects.get(is_demo=True)
    (admin,) = connection.teams.get().members.all()
    assert admin.must_change_password
    assert admin.check_password(first.split("Password: ")[1].split()[0])
    assert list(selectors.connections_to_ask(admin)) == [connection]
    assert connection.snapshot.table_count == 1


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueued: Callable[[int], None] = lambda connection_id: None  # noqa: E731
    monkeypatch.setattr(tasks, "enqueue_refresh", enqueued)
