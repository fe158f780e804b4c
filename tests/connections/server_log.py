"""What servers have logged about one user: PostgreSQL what it ran, MySQL what it was sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy.engine import make_url

from tests.connections.servers import ask, rows_of
from tests.connections.target import Target
from tests.postgres_cluster import Cluster

# What a session may send: one SELECT, and what the driver itself says.
SELECT = r"[\s(]*(SELECT|WITH|VALUES|TABLE)\b"
OURS = {
    "postgresql": re.compile(
        rf"{SELECT}|DECLARE result NO SCROLL CURSOR FOR {SELECT}|BEGIN READ ONLY; SELECT set_config\("
        r"|FETCH FORWARD 0 FROM result$|CLOSE result$|ROLLBACK$",
        re.IGNORECASE,
    ),
    "mysql": re.compile(
        rf"{SELECT}|SET SESSION \w+ ?=|SET SESSION sql_mode|SET AUTOCOMMIT|SET NAMES"
        r"|START TRANSACTION READ ONLY$|ROLLBACK$|KILL QUERY \d+$",
        re.IGNORECASE,
    ),
}
REFUSED_WRITE, REFUSED_RIGHT = "25006", "42501"


@dataclass
class ServerLog:
    """Statements, errors by code, and the transactions that wrote something; `kept` are those not rolled back.

    A write outside any transaction shows among the statements only.
    """

    statements: list[str] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    written: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)

    @property
    def refusals(self) -> int:
        return self.errors[REFUSED_WRITE] + self.errors[REFUSED_RIGHT]

    def not_ours(self, dialect: str) -> list[str]:
        return [sql for sql in self.statements if not OURS[dialect].match(sql)]


@contextmanager
def read_log(target: Target, url: str, server: Cluster | None, *, long: bool = False) -> Iterator[ServerLog]:
    """What is logged about the user of `url` inside the block, known after it; of MySQL only when `long`.

    MySQL's log is one for the whole server, so it is left alone where others work on that, too.
    """
    log, user = ServerLog(), str(make_url(url).username)
    if server is not None:
        ask(target.url, f"ALTER ROLE \"{user}\" SET log_statement = 'all'")
        yield log
        _read_postgres(log, server, user)
        assert log.statements
    elif target.dialect == "mysql" and long:
        with _general_log(target.url):
            yield log
        scope = f"user_host LIKE '{user}[%' AND command_type = 'Query'"
        found = rows_of(target.url, f"SELECT CAST(argument AS BINARY) FROM mysql.general_log WHERE {scope}")
        log.statements += [bytes(text).decode("utf-8", "replace") for (text,) in found]
        assert log.statements
    else:
        yield log


def _read_postgres(log: ServerLog, server: Cluster, user: str) -> None:
    for line in server.log():
        if line.user != user:
            continue
        kind, _, sql = line.message.partition(": ")
        if kind == "statement" or kind.startswith("execute"):
            log.statements.append(sql)
        log.errors[line.code] += line.severity == "ERROR"
        if line.transaction:
            log.written.add(line.transaction)
            ends = kind == "statement" and sql == "ROLLBACK"
            log.kept = log.kept - {line.transaction} if ends else log.kept | {line.transaction}


@contextmanager
def _general_log(url: str) -> Iterator[None]:
    """MySQL's log of all statements as a table, inside the block."""
    ((output, state),) = rows_of(url, "SELECT @@GLOBAL.log_output, @@GLOBAL.general_log")
    ask(url, "SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = 1")
    try:
        yield
    finally:
        ask(url, f"SET GLOBAL general_log = {state}", f"SET GLOBAL log_output = '{output}'")
