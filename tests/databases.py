"""Scratch databases on real engines for the tests: `scratch(dialect, sql)` yields the URL of a fresh database.

Servers are found by `TEST_POSTGRES_URL`, `TEST_MYSQL_URL` and `TEST_REDIS_URL`; the defaults are the usual local ports.
Where one is missing the test is skipped with a reason, or fails when `REQUIRE_SERVICES=1` (as in CI).
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import psycopg
import pymysql
import pytest
import redis
from pymysql.constants import CLIENT
from sqlalchemy.engine import make_url

POSTGRES_URL = os.environ.get("TEST_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
MYSQL_URL = os.environ.get("TEST_MYSQL_URL", "mysql+pymysql://root@127.0.0.1:3306/test")
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")

DIALECTS = ("sqlite", "duckdb", "postgresql", "mysql")


def missing(what: str) -> None:
    """Skip the running test for want of `what`, or fail it where everything must be there."""
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(f"REQUIRE_SERVICES=1 but {what}")
    pytest.skip(what)


def reach_redis(url: str) -> redis.Redis:
    """A client of the Redis at `url`; the test is skipped, or fails, where none answers."""
    client = redis.Redis.from_url(url)
    try:
        client.ping()
    except redis.RedisError as error:
        missing(f"no Redis answers at {url}: {error}")
    return client


@contextmanager
def scratch(dialect: str, sql: str, folder: Path, postgres: str = POSTGRES_URL) -> Iterator[str]:
    """The SQLAlchemy URL of a new database holding what `sql` creates; dropped afterwards.

    `postgres` is the PostgreSQL server to make it on.
    """
    name = f"scratch_{uuid.uuid4().hex[:12]}"
    if dialect == "sqlite":
        yield _sqlite(sql, folder / f"{name}.sqlite")
    elif dialect == "duckdb":
        yield _duckdb(sql, folder / f"{name}.duckdb")
    elif dialect == "postgresql":
        yield from _postgres(sql, name, postgres)
    else:
        yield from _mysql(sql, name)


def _sqlite(sql: str, path: Path) -> str:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    return f"sqlite:///{path}"


def _duckdb(sql: str, path: Path) -> str:
    with duckdb.connect(str(path)) as connection:
        if sql.strip():
            connection.execute(sql)
    return f"duckdb:///{path}"


def _postgres(sql: str, name: str, url_of_server: str) -> Iterator[str]:
    server = make_url(url_of_server).set(drivername="postgresql")
    address = server.render_as_string(hide_password=False)
    try:
        _as_administrator(address, f'CREATE DATABASE "{name}"')
    except psycopg.OperationalError as error:
        missing(f"no PostgreSQL at {server.render_as_string()} ({error}); set TEST_POSTGRES_URL")
    try:
        url = server.set(database=name)
        if sql.strip():
            _as_administrator(url.render_as_string(hide_password=False), sql)
        yield url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    finally:
        _as_administrator(address, f'DROP DATABASE "{name}" WITH (FORCE)')


def _as_administrator(address: str, sql: str) -> None:
    with psycopg.connect(address, autocommit=True, connect_timeout=5) as connection:
        connection.execute(sql)


def _mysql(sql: str, name: str) -> Iterator[str]:
    server = make_url(MYSQL_URL)
    options = {
        "host": server.host, "port": server.port or 3306, "user": server.username, "password": server.password or "",
        "charset": "utf8mb4", "client_flag": CLIENT.MULTI_STATEMENTS, "autocommit": True,
    }  # fmt: skip
    try:
        admin = pymysql.connect(connect_timeout=5, **options)
    except pymysql.err.OperationalError as error:
        missing(f"no MySQL or MariaDB at {server.render_as_string()} ({error}); set TEST_MYSQL_URL")
    with admin.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    try:
        with pymysql.connect(database=name, **options) as connection, connection.cursor() as cursor:
            if sql.strip():
                cursor.execute(sql)
                while cursor.nextset():
                    pass
        yield server.set(database=name).render_as_string(hide_password=False)
    finally:
        with admin.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")
        admin.close()
