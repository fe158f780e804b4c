"""From a stored connection to the SQLAlchemy URL that its driver takes."""

from __future__ import annotations

import ipaddress
import socket

from django.conf import settings
from sqlalchemy.engine import URL

from connections import crypto
from connections.errors import ConnectionFailedError
from connections.models import TLS, Connection, Kind

FILE_KINDS = (Kind.SQLITE, Kind.DUCKDB)
DRIVERS = {Kind.POSTGRESQL: "postgresql+psycopg", Kind.MYSQL: "mysql+pymysql"}


def database_url(connection: Connection) -> str:
    """The URL with its password: never log it, never show it. Raises ConnectionFailedError.

    The file of a SQLite or DuckDB connection is named relative to DATABASES_DIR; the driver refuses others.
    """
    if connection.kind in FILE_KINDS:
        path = settings.DATABASES_DIR / connection.database
        return URL.create(connection.kind, database=str(path)).render_as_string(hide_password=False)
    _check_network(connection)
    return URL.create(
        DRIVERS[Kind(connection.kind)],
        username=connection.username or None,
        password=crypto.decrypt(connection.password_encrypted) or None,
        host=connection.host or "localhost",
        port=connection.port,
        database=connection.database,
        query={"sslmode": connection.tls} if connection.tls != TLS.PREFER else {},
    ).render_as_string(hide_password=False)


def _check_network(connection: Connection) -> None:
    """Where networks are limited, every address that the host's name has must lie in one of them."""
    if not settings.DATABASE_NETWORKS:
        return
    networks = [ipaddress.ip_network(network, strict=False) for network in settings.DATABASE_NETWORKS]
    refused = ConnectionFailedError(
        f"{connection.host} could not be reached: its name is unknown, its port is closed, or its network is not one "
        "that this site may reach. An administrator can check the name and the DATABASE_NETWORKS setting."
    )
    try:
        found = socket.getaddrinfo(connection.host or "localhost", connection.port or 0, type=socket.SOCK_STREAM)
    except OSError as error:
        raise refused from error
    for entry in found:
        address = ipaddress.ip_address(str(entry[4][0]).partition("%")[0])
        if not any(address in network for network in networks if network.version == address.version):
            raise refused
