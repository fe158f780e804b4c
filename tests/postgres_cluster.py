"""A PostgreSQL of the tests' own: who may log in and how, restarts, and the server's log are theirs.

It runs from the server programs of this machine, in a temporary folder and on a free port.
"""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests.certificates import self_signed
from tests.databases import missing

ADMIN, PASSWORD = "keeper", "k33per"

SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
max_connections = 40
shared_buffers = '16MB'
fsync = off
ssl = on
password_encryption = 'scram-sha-256'
logging_collector = on
log_destination = 'csvlog'
log_directory = '{folder}'
log_filename = 'server.log'
log_rotation_age = 0
log_rotation_size = 0
"""


class LogLine(NamedTuple):
    """A line of the server's log. `transaction` is above 0 from the moment a transaction has written something."""

    user: str
    transaction: int
    severity: str
    code: str
    message: str


class Cluster:
    """A server with TLS that asks for passwords. `url` is its administrator's; `certificate` is a file."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder, self.data, self.certificate = folder, folder / "data", folder / "server.crt"
        self._programs, self._owner, port = programs, _owner(), _free_port()
        self.url = f"postgresql+psycopg://{ADMIN}:{PASSWORD}@127.0.0.1:{port}/postgres"
        self._create(SETTINGS.format(port=port, folder=folder))

    def start(self) -> None:
        self._run("pg_ctl", "start", "--wait", f"--log={self.folder / 'start.log'}")

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "--wait", "--mode=fast")

    @contextmanager
    def rule(self, line: str) -> Iterator[None]:
        """`line` stands before the other rules of pg_hba.conf, for who logs in inside the block."""
        rules = self.data / "pg_hba.conf"
        usual = rules.read_text()
        self._reload(rules, f"{line}\n{usual}")
        try:
            yield
        finally:
            self._reload(rules, usual)

    def log(self) -> list[LogLine]:
        """All that the server has logged."""
        with (self.folder / "server.csv").open(encoding="utf-8", errors="replace", newline="") as file:
            return [LogLine(row[1], int(row[10] or 0), row[11], row[12], row[13]) for row in csv.reader(file)]

    def _create(self, settings: str) -> None:
        password = self.folder / "password"
        password.write_text(PASSWORD)
        self._give(self.folder, password)
        self._run("initdb", f"--username={ADMIN}", f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8",
                  "--locale=C", "--no-sync", "--no-instructions")  # fmt: skip
        certificate, key = self_signed("127.0.0.1")
        self.certificate.write_bytes(certificate)
        for name, content in (("server.crt", certificate), ("server.key", key)):
            (self.data / name).write_bytes(content)
            (self.data / name).chmod(0o600)
            self._give(self.data / name)
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(settings)

    def _reload(self, rules: Path, text: str) -> None:
        rules.write_text(text)
        before = self._loaded_at()
        self._run("pg_ctl", "reload")
        while self._loaded_at() == before:
            time.sleep(0.02)

    def _loaded_at(self) -> Any:
        plain = self.url.replace("+psycopg", "")
        with psycopg.connect(plain) as connection:
            return connection.execute("SELECT pg_conf_load_time()").fetchone()

    def _run(self, program: str, *arguments: str) -> None:
        became: dict[str, Any] = {}
        if self._owner:
            became = {"user": self._owner.pw_uid, "group": self._owner.pw_gid, "extra_groups": []}
        # Not into a pipe: the server would inherit it and keep it open.
        with (self.folder / "said.txt").open("w+") as said:
            done = subprocess.run(
                [self._programs / program, f"--pgdata={self.data}", *arguments], cwd=self.folder, stdout=said,
                stderr=said, check=False, **became,
            )  # fmt: skip
            said.seek(0)
            assert done.returncode == 0, f"{program}: {said.read()}"

    def _give(self, *paths: Path) -> None:
        for path in paths if self._owner else ():
            os.chown(path, self._owner.pw_uid, self._owner.pw_gid)


@contextmanager
def postgres_cluster() -> Iterator[Cluster]:
    """A new server, gone afterwards. Skips the test, or fails it, where the programs are missing."""
    with tempfile.TemporaryDirectory(prefix="own-postgres-") as folder:
        cluster = Cluster(_programs(), Path(folder))
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


def _programs() -> Path:
    """The folder of `initdb` and `pg_ctl`: where pg_config says, or where Debian keeps its newest, or on the path."""
    folders = []
    if config := shutil.which("pg_config"):
        folders.append(subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    folders += [str(folder) for folder in sorted(debian, key=lambda folder: -float(folder.parent.name))]
    if not (initdb := shutil.which("initdb", path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))):
        missing("the programs of a PostgreSQL server (initdb, pg_ctl) are not on this machine: install postgresql")
    return Path(initdb).parent


def _owner() -> pwd.struct_passwd | None:
    """Whom the server runs as: it refuses root. None: as who runs the tests."""
    if os.geteuid() != 0:
        return None
    names = [person.pw_name for person in pwd.getpwall()]
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
