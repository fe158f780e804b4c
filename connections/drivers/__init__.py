"""One file a kind of database, and `driver_for`, which picks the file for a URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from connections.catalogue import DialectName
from connections.contracts import Driver
from connections.drivers.files import DatabaseFile
from connections.errors import ConnectionFailedError
from connections.network import NetworkPolicy


@dataclass(frozen=True, slots=True)
class DriverOptions:
    """What an administrator sets beside the URL.

    `networks` says which addresses may be reached (None: any, for a person at a terminal); `tls` is one of "disable",
    "prefer", "require", "verify-full" ("" leaves it to the URL), checked against `ca_file` or the system's own list.
    DuckDB runs in our process: `duckdb_memory_mb` is what one file may use there, beyond which it goes to disk.
    """

    tls: str = ""
    ca_file: str = ""
    connect_seconds: float = 10.0
    networks: NetworkPolicy | None = None
    duckdb_memory_mb: int = 512


KINDS: Mapping[str, DialectName] = {
    "sqlite": "sqlite", "duckdb": "duckdb", "postgresql": "postgresql", "postgres": "postgresql",
    "mysql": "mysql", "mariadb": "mysql",
}  # fmt: skip


def driver_for(url: str | URL, *, file_root: Path | None = None, options: DriverOptions | None = None) -> Driver:
    """The driver for a SQLAlchemy URL. Nothing is opened yet.

    Files are looked up inside `file_root` when it is given, else anywhere. Raises ConnectionFailedError.
    """
    parsed = url if isinstance(url, URL) else _parse(url)
    dialect = KINDS.get(parsed.get_backend_name())
    if dialect is None:
        raise ConnectionFailedError(
            f"{parsed.get_backend_name()} is not a kind of database that can be asked; kinds are {', '.join(KINDS)}."
        )
    # Imported when first needed: a process that asks SQLite does not load three client libraries.
    build = cast("Callable[..., Driver]", import_module(f"connections.drivers.{dialect}").build)
    return build(parsed, file_root=file_root, options=options or DriverOptions())


def _parse(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        # The text itself may hold a password, so it is not repeated.
        raise ConnectionFailedError(
            "The address is not a database URL such as sqlite:////folder/file.sqlite or "
            "postgresql+psycopg://user@host:5432/database."
        ) from None


def only_query_options(url: URL, allowed: frozenset[str]) -> dict[str, str]:
    """The part after `?`, refused where it says something that this kind does not take from a URL."""
    given = {key: value if isinstance(value, str) else value[-1] for key, value in url.query.items()}
    if strange := sorted(given.keys() - allowed):
        raise ConnectionFailedError(
            f"The URL has the option {', '.join(strange)}; options for {url.get_backend_name()} are "
            f"{', '.join(sorted(allowed)) or 'none'}."
        )
    return given


def database_file(url: URL, file_root: Path | None) -> DatabaseFile:
    """The file that a URL such as `sqlite:///name.sqlite` or `duckdb:////folder/name.duckdb` names."""
    if url.host:
        raise ConnectionFailedError(
            f"A file has no host; write {url.get_backend_name()}:///name, or four slashes before a full path."
        )
    return DatabaseFile(url.database or "", file_root)
