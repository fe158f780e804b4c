"""Addresses, files and logins: what is wrong is said in plain words, and never with a password."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from sqlalchemy.engine import make_url

from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from connections.errors import ConnectionFailedError, ExecutionError, LoginRefusedError
from tests.connections.corpus import NUMBERS
from tests.connections.servers import ask
from tests.databases import DIALECTS

NewDatabase = Callable[..., str]
FILES = ("sqlite", "duckdb")
SERVERS = ("postgresql", "mysql")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "not a database URL"),
        ("no url with s3cret", "not a database URL"),
        ("oracle://ann:s3cret@host/db", "not a kind of database"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("sqlite:////no/such/file.sqlite", "no database file"),
        ("duckdb:////no/such/file.duckdb", "no database file"),
        ("sqlite:////tmp", "is a folder"),
        ("sqlite:////tmp/x?mode=rwc", "mode"),
        ("postgresql://ann:s3cret@host/db?options=-csession_preload_libraries", "options"),
        ("postgresql://ann:s3cret@host:port/db", "not a database URL"),
        ("mysql://ann:s3cret@host/db?local_infile=1", "local_infile"),
    ],
)
def test_a_bad_address_is_refused_in_plain_words(url: str, words: str) -> None:
    with pytest.raises(ConnectionFailedError, match=words) as refused:
        driver_for(url).open(Limits())
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("kind", FILES)
def test_a_missing_file_is_never_made(kind: str, tmp_path: Path) -> None:
    driver = driver_for(f"{kind}:///new.db", file_root=tmp_path)
    for attempt in (lambda: driver.open(Limits()), driver.catalogue, driver.examine):
        with pytest.raises(ConnectionFailedError, match=r"no database file new\.db"):
            attempt()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("content", [b"", b"just some text, longer than any header is" * 50, b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_told_apart(kind: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(content)
    driver = driver_for(f"{kind}:///notes.db", file_root=tmp_path)
    if not content and kind == "sqlite":
        assert driver.catalogue().tables == ()  # to SQLite an empty file is an empty database
    else:
        with pytest.raises(ConnectionFailedError, match=r"notes\.db") as refused:
            driver.catalogue()
        assert str(tmp_path) not in str(refused.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize("kind", FILES)
def test_only_files_inside_the_folder_are_opened(kind: str, tmp_path: Path, new_database: NewDatabase) -> None:
    outside = Path(str(make_url(new_database(kind, NUMBERS)).database))
    root = tmp_path / "inside"
    root.mkdir()
    (root / "link.db").symlink_to(outside)
    for name in (f"../{outside.name}", str(outside), "link.db"):
        with pytest.raises(ConnectionFailedError, match="outside the folder"):
            driver_for(f"{kind}:///{name}", file_root=root).open(Limits())
    (root / "copy.db").write_bytes(outside.read_bytes())
    assert driver_for(f"{kind}:///copy.db", file_root=root).catalogue().find("numbers")


@pytest.mark.parametrize("kind", FILES)
def test_a_link_that_moves_later_is_followed_no_further(kind: str, tmp_path: Path, new_database: NewDatabase) -> None:
    outside = Path(str(make_url(new_database(kind, NUMBERS)).database))
    root = tmp_path / "inside"
    root.mkdir()
    (root / "real.db").write_bytes(outside.read_bytes())
    (root / "link.db").symlink_to(root / "real.db")
    driver = driver_for(f"{kind}:///link.db", file_root=root)
    driver.open(Limits()).close()
    (root / "link.db").unlink()
    (root / "link.db").symlink_to(outside)
    with pytest.raises(ConnectionFailedError, match="outside the folder"):
        driver.open(Limits())


@pytest.mark.parametrize("kind", FILES)
def test_names_of_files_may_hold_anything(kind: str, tmp_path: Path, new_database: NewDatabase) -> None:
    plain = Path(str(make_url(new_database(kind, NUMBERS)).database))
    odd = tmp_path / ("a b#d%e'f \"g\" 客" + ("?.db" if kind == "sqlite" else ".db"))  # "?" is special to DuckDB
    odd.write_bytes(plain.read_bytes())
    url = make_url(f"{kind}://").set(database=str(odd)).render_as_string(hide_password=False)
    assert driver_for(url).catalogue().find("numbers")


def test_a_sqlite_file_that_is_being_written_is_read_as_last_committed(new_database: NewDatabase) -> None:
    url = new_database("sqlite", "PRAGMA journal_mode = WAL; " + NUMBERS)
    path = str(make_url(url).database)
    writer = sqlite3.connect(path)
    try:
        writer.execute("INSERT INTO numbers VALUES (5000, 'committed')")
        writer.commit()
        writer.execute("INSERT INTO numbers VALUES (5001, 'not yet')")
        driver = driver_for(url)
        with Door(driver, driver.catalogue()) as door:
            assert door.query("SELECT MAX(n) FROM numbers").rows == ((5000,),)
    finally:
        writer.close()


def test_a_duckdb_file_serves_several_sessions_with_their_own_temp_tables(new_database: NewDatabase) -> None:
    url = new_database("duckdb", NUMBERS)
    driver, other = driver_for(url), driver_for(url)
    with Door(driver, driver.catalogue()) as one, Door(other, other.catalogue()) as two:
        one.materialize("few", "SELECT n FROM numbers WHERE n < 4")
        two.materialize("few", "SELECT n FROM numbers WHERE n < 6")
        assert [door.query("SELECT COUNT(*) FROM few").rows for door in (one, two)] == [((3,),), ((5,),)]


def test_a_duckdb_file_that_is_being_written_says_so(new_database: NewDatabase) -> None:
    url = new_database("duckdb", NUMBERS)
    with (
        duckdb.connect(str(make_url(url).database)),
        pytest.raises(ConnectionFailedError, match="open for writing in this process"),
    ):
        driver_for(url).open(Limits())


def test_python_variables_are_no_tables_in_duckdb(new_database: NewDatabase) -> None:
    session = driver_for(new_database("duckdb", NUMBERS)).open(Limits())
    secrets = duckdb.sql("SELECT 'canary' AS word")
    with pytest.raises(ExecutionError, match="secrets"):
        session.query("SELECT * FROM secrets", max_rows=1, max_bytes=1000, seconds=5)
    session.close()
    secrets.close()


@pytest.mark.parametrize("kind", SERVERS)
def test_a_refused_login_shows_no_password(kind: str, new_database: NewDatabase) -> None:
    url = make_url(new_database(kind, NUMBERS))
    for wrong in (url.set(username="stranger", password="s3cret"), url.set(database="s3cret_db", password="s3cret")):
        driver = driver_for(wrong.render_as_string(hide_password=False))
        with pytest.raises(LoginRefusedError) as refused:
            driver.open(Limits())
        assert "s3cret" not in str(refused.value).replace("s3cret_db", "")
        assert "s3cret" not in repr(driver)
        assert refused.value.__cause__ is None, "the driver's own error may hold the password"


def test_a_mysql_password_may_be_any_text(new_database: NewDatabase) -> None:
    url = new_database("mysql", NUMBERS)
    parsed = make_url(url)
    name = f"pw_{parsed.database}"[:32]
    ask(url, f"CREATE USER '{name}'@'%' IDENTIFIED BY 'naïve 密码 %s'", f"GRANT SELECT ON *.* TO '{name}'@'%'")
    try:
        login = parsed.set(username=name, password="naïve 密码 %s").render_as_string(hide_password=False)
        assert driver_for(login).catalogue().find("numbers")
    finally:
        ask(url, f"DROP USER '{name}'@'%'")


def test_modes_that_change_how_mysql_reads_a_statement_are_switched_off(new_database: NewDatabase) -> None:
    session = driver_for(new_database("mysql", NUMBERS)).open(Limits())

    def one(sql: str) -> object:
        return session.query(sql, max_rows=1, max_bytes=1000, seconds=5).rows[0][0]

    modes = str(one("SELECT @@SESSION.sql_mode"))
    assert "ANSI_QUOTES" not in modes
    assert "NO_BACKSLASH_ESCAPES" not in modes
    assert one('SELECT "a text"') == "a text"
    session.close()


@pytest.mark.parametrize("kind", DIALECTS)
def test_no_threads_are_left(kind: str, new_database: NewDatabase) -> None:
    before = threading.active_count()
    driver = driver_for(new_database(kind, NUMBERS))
    with Door(driver, driver.catalogue()) as door:
        door.query("SELECT n FROM numbers")
    assert threading.active_count() == before
