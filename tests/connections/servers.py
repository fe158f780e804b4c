"""Talking to a scratch database as its administrator, past everything that is under test."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import psycopg
import pymysql
from sqlalchemy.engine import make_url


def rows_of(url: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows of one statement, in an ordinary session."""
    parsed = make_url(url)
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        with closing(sqlite3.connect(str(parsed.database))) as file:
            return list(file.execute(sql))
    if kind == "duckdb":
        from connections.contracts import Limits
        from connections.drivers import driver_for

        session = driver_for(url).open(Limits())
        try:
            return list(session.query(sql, max_rows=10_000, max_bytes=1 << 24, seconds=10).rows)
        finally:
            session.close()
    if kind == "postgresql":
        with _postgres(url) as connection:
            cursor = connection.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []
    with _mysql(url) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def ask(url: str, *statements: str) -> None:
    """Run statements on a server."""
    if make_url(url).get_backend_name() == "postgresql":
        with _postgres(url) as connection:
            for statement in statements:
                connection.execute(statement)
        return
    with _mysql(url) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _postgres(url: str) -> psycopg.Connection[Any]:
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True)


def _mysql(url: str) -> Any:
    parsed = make_url(url)
    return pymysql.connect(
        host=parsed.host, port=parsed.port or 3306, user=parsed.username, password=parsed.password or "",
        database=parsed.database, autocommit=True,
    )  # fmt: skip


