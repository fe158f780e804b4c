"""From a stored connection to the SQLAlchemy URL that its driver takes."""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import URL, make_url

from connections import crypto
from connections.models import FILE_KINDS, Connection, Kind

DRIVERS = {Kind.POSTGRESQL: "postgresql+psycopg", Kind.MYSQL: "mysql+pymysql"}


def database_url(connection: Connection) -> URL:
    """The URL, which shows its password only when asked to. A file is named relative to the databases folder."""
    if connection.kind in FILE_KINDS:
        return URL.create(connection.kind, database=connection.database)
    return URL.create(
        DRIVERS[Kind(connection.kind)],
        username=connection.username or None,
        password=crypto.decrypt(connection.password_encrypted) or None,
        host=connection.host,
        port=connection.port,
        database=connection.database,
    )


def fields_of(url: str) -> dict[str, Any]:
    """The fields of a connection that a URL names, its password included; the inverse of `database_url`."""
    parts = make_url(url)
    return {
        "kind": parts.get_backend_name(),
        "host": parts.host or "",
        "port": parts.port,
        "database": parts.database or "",
        "username": parts.username or "",
        "password": crypto.Secret(parts.password or ""),
    }
