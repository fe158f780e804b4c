"""What a MySQL or MariaDB user could do beyond reading, and the SQL for one that cannot."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Any, TypeAlias

import pymysql

from connections.contracts import Examination

Connection: TypeAlias = "pymysql.Connection[Any]"

READING = frozenset({"USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "PROCESS", "REFERENCES"})
DANGEROUS = {
    "FILE": "can read and write files of the server (SELECT … INTO OUTFILE is not stopped by a read-only transaction)",
    "SUPER": "has the SUPER privilege: it can change the server's settings and end other people's statements",
}


def is_mariadb(connection: Connection) -> bool:
    return "mariadb" in str(connection.get_server_info()).lower()


def examine(connection: Connection) -> Examination:
    """Look at the user's grants, then try to write inside a read-only transaction."""
    ((user, version),) = _ask(connection, "SELECT CURRENT_USER(), VERSION()")
    grants = [str(row[0]) for row in _ask(connection, "SHOW GRANTS FOR CURRENT_USER()")]
    sock = getattr(connection, "_sock", None)
    tls = str(sock.version()) if isinstance(sock, ssl.SSLSocket) else ""
    return Examination(version, tls, _write_refusal(connection), tuple(_warnings(user, grants)))


def _write_refusal(connection: Connection) -> str | None:
    """Without a database in the URL there is nowhere to write; that refusal is as good."""
    _ask(connection, "START TRANSACTION READ ONLY")
    try:
        _ask(connection, "CREATE TABLE reactsql_write_test (n INTEGER)")
    except pymysql.MySQLError as error:
        return str(error.args[1] if len(error.args) > 1 else error)
    finally:
        _ask(connection, "ROLLBACK")
    _ask(connection, "DROP TABLE reactsql_write_test")
    return None


def _warnings(user: str, grants: list[str]) -> Iterator[str]:
    everywhere, writing = set(), set()
    for grant in grants:
        privileges, _, rest = grant.removeprefix("GRANT ").partition(" ON ")
        if not rest:
            continue  # a role: its own grants follow, or count only once it is switched on
        names = {name.partition("(")[0].strip() for name in privileges.split(",")}
        scope = rest.partition(" TO ")[0]
        writing |= {f"{name} on {scope}" for name in names - READING - DANGEROUS.keys()}
        if scope == "*.*":
            everywhere |= names
    if "ALL PRIVILEGES" in everywhere:
        yield f"{user} may do everything on this server, also read and write its files."
        return
    for name, words in DANGEROUS.items():
        if name in everywhere:
            yield f"{user} {words}."
    if writing:
        shown = ", ".join(sorted(writing)[:8])
        yield f"{user} may do more than read ({shown}); only the read-only transaction stops it."


def select_only_role(database: str, schemas: tuple[str, ...], role: str, password: str) -> str:
    """SQL that an administrator runs once: a user that can read `schemas` (or `database`) and nothing else."""
    account = f"{_literal(role)}@'%'"
    lines = [f"CREATE USER {account} IDENTIFIED BY {_literal(password)};"]
    lines += [f"GRANT SELECT, SHOW VIEW ON {_quoted(name)}.* TO {account};" for name in schemas or (database,)]
    return "\n".join(lines)


def _ask(connection: Connection, sql: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall()) if cursor.description else []


def _quoted(name: str) -> str:
    """`_` and `%` are wildcards in the scope of a GRANT."""
    return "`" + name.replace("`", "``").replace("_", "\\_").replace("%", "\\%") + "`"


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
