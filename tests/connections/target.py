"""A database with bait in it, and all that an attack on it could change."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy.engine import make_url

from connections.checkup import select_only_role
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for
from tests.connections.attacks import BAIT, SECRET
from tests.connections.servers import ask, rows_of
from tests.databases import MYSQL_URL, POSTGRES_URL, scratch

SMALL = Limits(seconds=2)


# Rows that were ever written, also in transactions that were rolled back.
COUNTED = "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables ORDER BY 1"


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
            more += rows_of(self.url, COUNTED)
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


@contextmanager
def baited(dialect: str, postgres: str = POSTGRES_URL) -> Iterator[Target]:
    """A scratch database with its bait, beside files that must not be read.

    A server on this machine could read them and write beside them. `postgres` is the PostgreSQL server to use.
    """
    sql = BAIT + ("; CREATE SEQUENCE tickets" if dialect == "postgresql" else "")
    with TemporaryDirectory(prefix="bait-") as name, scratch(dialect, sql, folder := Path(name), postgres) as url:
        folder.chmod(0o777)
        (folder / "secret.txt").write_text(SECRET)
        (folder / "secret.csv").write_text(f"word\n{SECRET}\n")
        yield Target(dialect, url, folder)


@contextmanager
def reading_role(target: Target) -> Iterator[str]:
    """The URL of the role that we recommend, on this target."""
    name = f"reader_{uuid.uuid4().hex[:8]}"
    parsed = make_url(target.url)
    ask(target.url, *select_only_role(target.driver, str(parsed.database), role=name, password="s3cret").split(";\n"))
    try:
        yield parsed.set(username=name, password="s3cret").render_as_string(hide_password=False)
    finally:
        if target.dialect == "postgresql":
            ask(target.url, f'DROP OWNED BY "{name}"', f'DROP ROLE "{name}"')
        else:
            ask(MYSQL_URL, f"DROP USER '{name}'@'%'")
