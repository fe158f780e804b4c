"""The connection test: step by step, each with its outcome, so that whoever set up a connection sees what to mend."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from connections.catalogue import DialectName
from connections.contracts import Driver, Examination, Limits
from connections.drivers import mysql_role, postgresql_role
from connections.errors import (
    ConnectionFailedError,
    DatabaseError,
    LoginRefusedError,
    QueryTimeoutError,
    TLSFailedError,
)
from connections.network import connected_socket, no_answer, reachable_addresses

State = Literal["ok", "warning", "failed", "skipped"]
WARNINGS_SHOWN = 20
STOP_SECONDS = 2.0
SERVER_STEPS = ("Name", "Network", "TLS", "Login", "Version", "Catalogue", "Write", "Role", "Stop")
FILE_STEPS = ("File", "Version", "Catalogue", "Write", "Stop")
TITLES = {"Write": "A write must fail", "Role": "Rights of the role", "Stop": "Timeout and stop"}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was tried. `text` says what was found, or what to do; `ms` is how long it took."""

    name: str
    state: State
    text: str
    ms: float = 0.0

    @property
    def ms_in_seconds(self) -> float:
        return self.ms / 1000

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)


def checkup(driver: Driver, schemas: tuple[str, ...] = ()) -> tuple[Step, ...]:
    """Every step, in order; after one that failed the others are "skipped". Never raises a DatabaseError."""
    plan = SERVER_STEPS if driver.endpoint else FILE_STEPS
    steps: list[Step] = []
    for step in _tried(driver, schemas):
        steps.append(step)
        if step.state == "failed" and step.name != "Write":
            break
    tried = {step.name for step in steps}
    rest = [Step(name, "skipped", "An earlier step failed.") for name in plan if name not in tried]
    return tuple(sorted(steps + rest, key=lambda step: plan.index(step.name)))


def _tried(driver: Driver, schemas: tuple[str, ...]) -> Iterator[Step]:
    if driver.endpoint:
        yield _timed(lambda: _name(driver))
        yield _timed(lambda: _network(driver))
    found: list[Examination] = []
    yield _timed(lambda: _login(driver, found))
    yield from _after_login(driver, found[0], schemas)


def select_only_role(
    driver: Driver, database: str, schemas: tuple[str, ...] = (), *, role: str = "reactsql_reader", password: str = ""
) -> str:
    """The SQL that creates a role which can only read, to copy; "" for files, which have no roles."""
    secret = password or "choose a long password"
    if driver.dialect == "postgresql":
        return postgresql_role.select_only_role(database, schemas, role, secret)
    if driver.dialect == "mysql":
        return mysql_role.select_only_role(database, schemas, role, secret)
    return ""


def _timed(work: Callable[[], Step]) -> Step:
    started = time.perf_counter()
    step = work()
    return Step(step.name, step.state, step.text, (time.perf_counter() - started) * 1000)


def _name(driver: Driver) -> Step:
    host, port = driver.endpoint or ("", 0)
    try:
        addresses = reachable_addresses(host, port, driver.networks)
    except ConnectionFailedError as error:
        return Step("Name", "failed", str(error))
    if addresses == (host,):
        return Step("Name", "ok", "It is an address, and one that may be reached.")
    return Step("Name", "ok", f"{host} is {', '.join(addresses)}.")


def _network(driver: Driver) -> Step:
    host, port = driver.endpoint or ("", 0)
    try:
        connected_socket(host, port, driver.networks, 5.0).close()
    except (OSError, ConnectionFailedError):
        return Step("Network", "failed", no_answer("A database", f"{host}:{port}"))
    return Step("Network", "ok", f"{host}:{port} answers.")


def _login(driver: Driver, found: list[Examination]) -> Step:
    try:
        found.append(driver.examine())
    except TLSFailedError as error:
        return Step("TLS", "failed", str(error))
    except LoginRefusedError as error:
        return Step("Login", "failed", str(error))
    except ConnectionFailedError as error:
        return Step("Login" if driver.endpoint else "File", "failed", str(error))
    if driver.endpoint:
        return Step("Login", "ok", "The login was accepted.")
    return Step("File", "ok", "It can be opened.")


def _after_login(driver: Driver, seen: Examination, schemas: tuple[str, ...]) -> Iterator[Step]:
    if driver.endpoint:
        yield _encryption(seen)
    yield Step("Version", "ok", seen.version)
    yield _timed(lambda: _catalogue(driver, schemas))
    if seen.write_refusal is None:
        yield Step("Write", "failed", "A table could be created in a read-only session. Do not use this connection.")
    else:
        yield Step("Write", "ok", f"A write was tried and refused: {seen.write_refusal}")
    if seen.warnings:
        yield Step("Role", "warning", "\n".join(seen.warnings))
    elif driver.endpoint:
        yield Step("Role", "ok", "It can read, and nothing more was found.")
    yield _timed(lambda: _stop(driver))


def _encryption(seen: Examination) -> Step:
    if seen.tls:
        return Step("TLS", "ok", f"The connection is encrypted ({seen.tls}).")
    return Step("TLS", "warning", "The connection is not encrypted: passwords and results can be read on the way.")


# A statement that would go on for long on each kind of database.
ENDLESS: Mapping[DialectName, str] = {
    "postgresql": "SELECT pg_sleep(30)",
    "mysql": "SELECT SLEEP(30)",
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000000) SELECT COUNT(*) FROM n",
    "duckdb": "SELECT COUNT(*) FROM range(1000000) AS a, range(1000000) AS b WHERE a.range + b.range < 0",
}


def _stop(driver: Driver) -> Step:
    """Whether a statement that takes too long really ends."""
    started = time.perf_counter()
    try:
        session = driver.open(Limits())
        try:
            session.query(ENDLESS[driver.dialect], max_rows=1, max_bytes=1000, seconds=1.0)
        finally:
            session.close()
    except QueryTimeoutError:
        took = time.perf_counter() - started
        if took < 1.0 + STOP_SECONDS:
            return Step("Stop", "ok", f"A statement without end was stopped after {took:.1f} s.")
        return Step("Stop", "warning", f"A statement was to stop after 1 s and took {took:.1f} s.")
    except DatabaseError as error:
        return Step("Stop", "warning", f"It could not be tried: {error}")
    return Step("Stop", "warning", "A statement that should have been stopped after 1 s went on to its end.")


def _catalogue(driver: Driver, schemas: tuple[str, ...]) -> Step:
    try:
        catalogue = driver.catalogue(schemas)
    except DatabaseError as error:
        return Step("Catalogue", "failed", str(error))
    columns = sum(len(table.columns) for table in catalogue.tables)
    counted = f"{len(catalogue.tables):,} tables with {columns:,} columns."
    if not catalogue.tables:
        return Step("Catalogue", "warning", "No table can be read. Has the role the right to SELECT?")
    if catalogue.warnings:
        return Step("Catalogue", "warning", "\n".join((counted, *catalogue.warnings[:WARNINGS_SHOWN])))
    return Step("Catalogue", "ok", counted)
