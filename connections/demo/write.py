"""Puts the demo shop into an SQLite file or a PostgreSQL database: all of it, or nothing."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from connections.demo.notes import NOTES
from connections.demo.shop import Shop
from connections.errors import DatabaseError

SCHEMA = Path(__file__).with_name("schema.sql")


class DemoNotWrittenError(DatabaseError):
    """The database already holds something, is of another kind, or cannot be reached."""


def write_shop(shop: Shop, url: str, *, replace: bool = False) -> None:
    """Create the tables and fill them. An earlier demo shop is replaced only when asked; other tables never."""
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        _write_sqlite(shop, Path(address.database or ""), replace)
    else:
        _write_postgresql(shop, address, replace)


def holds_shop(url: str) -> bool:
    """Whether the database at `url` holds a whole demo shop. A file that is not there holds none, and is not made."""
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        path = Path(address.database or "")
        return path.is_file() and _is_shop(_sqlite_tables(path))
    with _postgresql(address) as connection:
        return _is_shop(_postgresql_tables(connection))


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        raise DemoNotWrittenError(f"{url!r} is no database URL; write it like sqlite:////folder/demo.sqlite") from None
    if address.get_backend_name() not in ("sqlite", "postgresql") or not address.database:
        raise DemoNotWrittenError(
            "The demo shop is made for SQLite (sqlite:////folder/demo.sqlite) and PostgreSQL "
            f"(postgresql+psycopg://user@host/name), not for {address.render_as_string()}"
        )
    return address


def _columns_of_schema() -> Mapping[str, frozenset[str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        return _read_tables(connection)


def _read_tables(connection: sqlite3.Connection) -> Mapping[str, frozenset[str]]:
    found = connection.execute(
        "SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'"
    )
    return _by_table(found.fetchall())


def _by_table(pairs: list[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    tables: dict[str, set[str]] = {}
    for table, column in pairs:
        tables.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in tables.items()}


def _is_shop(tables: Mapping[str, frozenset[str]]) -> bool:
    return all(tables.get(name) == columns for name, columns in _columns_of_schema().items())


def _check_free(tables: Mapping[str, frozenset[str]], where: str, replace: bool) -> None:
    ours = _columns_of_schema()
    if taken := sorted(ours.keys() & tables.keys()):
        if not _is_shop(tables):
            raise DemoNotWrittenError(f"{where} has tables of its own named {', '.join(taken)}; name an empty database")
        if not replace:
            raise DemoNotWrittenError(f"{where} already holds the demo shop; --force makes it again")


# ---- SQLite: beside the file first, then in its place at once --------------------------------------------------------


def _write_sqlite(shop: Shop, path: Path, replace: bool) -> None:
    if path.exists():
        tables = _sqlite_tables(path)
        _check_free(tables, str(path), replace)
        if others := sorted(tables.keys() - shop.keys()):
            raise DemoNotWrittenError(f"{path} also holds {', '.join(others)}; name a new file")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(descriptor)
    try:
        with closing(sqlite3.connect(unfinished)) as connection:
            _fill_sqlite(connection, shop)
        os.chmod(unfinished, 0o644)
        os.replace(unfinished, path)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def _fill_sqlite(connection: sqlite3.Connection, shop: Shop) -> None:
    connection.execute("PRAGMA synchronous = OFF")  # the file is thrown away if this does not finish
    connection.executescript(SCHEMA.read_text(encoding="utf-8"))
    for table, rows in shop.items():
        if rows:
            insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})"
            connection.executemany(insert, map(_sqlite_row, rows))
    connection.commit()
    connection.execute("ANALYZE")
    connection.commit()


def _sqlite_row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_sqlite_value(value) if isinstance(value, date | Decimal) else value for value in row)


def _sqlite_value(value: date | Decimal) -> str | float:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()


def _sqlite_tables(path: Path) -> Mapping[str, frozenset[str]]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = _read_tables(connection)
    except sqlite3.DatabaseError as error:
        raise DemoNotWrittenError(f"{path} is there, but cannot be read as an SQLite database ({error})") from error
    return {name: columns for name, columns in found.items() if not name.startswith("sqlite_")}


# ---- PostgreSQL: one transaction -------------------------------------------------------------------------------------


def _write_postgresql(shop: Shop, address: URL, replace: bool) -> None:
    where = address.render_as_string()
    with _postgresql(address) as connection, connection.transaction():
        tables = _postgresql_tables(connection)
        _check_free(tables, where, replace)
        if shop.keys() <= tables.keys():
            connection.execute(sql.SQL("DROP TABLE {}").format(sql.SQL(", ").join(map(sql.Identifier, shop))))
        connection.execute(SCHEMA.read_bytes())
        for table, rows in shop.items():
            with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as copy:
                for row in rows:
                    copy.write_row(row)
        for comment in _comments():
            connection.execute(comment)
        connection.execute("ANALYZE")


def _comments() -> Iterator[sql.Composed]:
    for name, text in NOTES.items():
        kind = "COLUMN" if "." in name else "TABLE"
        target = sql.SQL(".").join(sql.Identifier(part) for part in name.split("."))
        yield sql.SQL("COMMENT ON {} {} IS {}").format(sql.SQL(kind), target, sql.Literal(text))


def _postgresql(address: URL) -> psycopg.Connection[Any]:
    plain = address.set(drivername="postgresql")
    try:
        return psycopg.connect(plain.render_as_string(hide_password=False), connect_timeout=10)
    except psycopg.OperationalError as error:
        raise DemoNotWrittenError(f"{plain.render_as_string()} cannot be reached: {error}") from error


def _postgresql_tables(connection: psycopg.Connection[Any]) -> Mapping[str, frozenset[str]]:
    found = connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
    )
    return _by_table(found.fetchall())
