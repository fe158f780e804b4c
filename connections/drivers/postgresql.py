"""PostgreSQL through psycopg 3.

Every statement runs in a READ ONLY transaction of its own that is always rolled back. It is first given to
`DECLARE … CURSOR FOR`, whose grammar takes one SELECT without side effects and nothing else, and which tells the
column types; then it is streamed row by row, which, unlike a cursor, may use parallel workers. Both use the extended
protocol, where a second statement behind a semicolon is an error. No parameters are ever passed, so `%` means `%`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import psycopg
from sqlalchemy.engine import URL

from connections.catalogue import Catalogue, DialectName
from connections.contracts import Examination, Limits, Progress, ResultColumn, Rows, Sink, silent
from connections.drivers import DriverOptions, only_query_options
from connections.drivers.fetching import Row, as_subquery, take
from connections.drivers.postgresql_catalogue import read_catalogue
from connections.drivers.postgresql_role import examine
from connections.drivers.postgresql_values import TypeNames, register_loaders
from connections.drivers.running import Running, Stoppable
from connections.errors import (
    ConnectionFailedError,
    ConnectionLostError,
    DatabaseError,
    ExecutionError,
    LoginRefusedError,
    TLSFailedError,
)
from connections.network import no_answer, no_tls, reachable_addresses

Connection = psycopg.Connection[Row]

CATALOGUE_SECONDS = 120
NO_FILE = "/dev/null/none"  # passwords come from the connection, not from the home of whoever runs this
QUERY_OPTIONS = frozenset({"sslmode", "sslrootcert", "connect_timeout", "application_name", "host", "port"})

# What the session must be like for the statement to mean what the guard read, and for values to be read exactly.
SETTINGS = {
    "standard_conforming_strings": "on",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "10min",
}


class PostgresDriver:
    """One database on one server."""

    dialect: DialectName = "postgresql"
    temp_tables = False  # a READ ONLY transaction refuses CREATE TEMP TABLE

    def __init__(self, url: URL, options: DriverOptions) -> None:
        self._url = url
        self._options = options
        self._given = only_query_options(url, QUERY_OPTIONS)
        self.networks = options.networks
        host = self._given.get("host") or url.host or ""
        port = int(self._given.get("port") or url.port or 5432)
        self.endpoint: tuple[str, int] | None = (host, port) if host and not host.startswith("/") else None

    def open(self, limits: Limits) -> PostgresSession:
        return PostgresSession(self.connect(), limits)

    def catalogue(self, schemas: tuple[str, ...] = (), progress: Progress = silent) -> Catalogue:
        connection = self.connect()
        try:
            with connection.transaction():
                connection.execute(_begin_settings(connection, CATALOGUE_SECONDS))
                return read_catalogue(connection, schemas, progress)
        except psycopg.Error as error:
            raise ConnectionFailedError(f"The catalogue could not be read: {_words(error)}") from error
        finally:
            connection.close()

    def examine(self) -> Examination:
        connection = self.connect()
        try:
            return examine(connection)
        except psycopg.Error as error:
            raise ConnectionFailedError(f"The role could not be looked at: {_words(error)}") from error
        finally:
            connection.close()

    def connect(self) -> Connection:
        """An open connection, or ConnectionFailedError in words that hold no password."""
        try:
            connection: Connection = psycopg.connect("", autocommit=True, **self._arguments())
        except (psycopg.Error, ValueError) as error:
            raise self._why_not(str(error)) from None
        connection.read_only = True
        connection.prepare_threshold = None
        return connection

    def _arguments(self) -> dict[str, Any]:
        url, options = self._url, self._options
        arguments: dict[str, Any] = {
            "host": self._given.get("host"), "port": url.port, "user": url.username, "password": url.password,
            "dbname": url.database,
            "sslmode": options.tls or self._given.get("sslmode"),
            "sslrootcert": options.ca_file or self._given.get("sslrootcert") or _system_certificates(options.tls),
            "application_name": self._given.get("application_name", "reactsql-web"),
            "connect_timeout": max(2, round(float(self._given.get("connect_timeout") or options.connect_seconds))),
            "client_encoding": "utf8", "passfile": NO_FILE,
        }  # fmt: skip
        if self.networks and not self.endpoint:
            raise ConnectionFailedError("Name a host; a socket of this machine cannot be connected to.")
        if self.endpoint:
            host, port = self.endpoint
            addresses = reachable_addresses(host, port, self.networks)
            arguments |= {"port": port, "host": ",".join([host] * len(addresses)), "hostaddr": ",".join(addresses)}
        return {key: value for key, value in arguments.items() if value is not None and value != ""}

    def _why_not(self, message: str) -> ConnectionFailedError:
        """The server's own reason where a server answered; one and the same sentence where none did."""
        place = f"{self.endpoint[0]}:{self.endpoint[1]}" if self.endpoint else "this machine"
        reason = _first_reason(message)
        user = self._url.username or "(no user)"
        if "password" in reason or "no password supplied" in message or "authentication failed" in reason:
            return LoginRefusedError(f"PostgreSQL at {place} refused the login of {user}: wrong user or password.")
        if "no encryption" in reason or "SSL off" in reason:
            words = self._without_password(reason)
            return TLSFailedError(f"PostgreSQL at {place} lets {user} in with TLS only: {words}. Set TLS to Required.")
        if reason:
            words = self._without_password(reason)
            return LoginRefusedError(f"PostgreSQL at {place} refused the login of {user}: {words}")
        if "SSL" in message or "certificate" in message:
            last = message.strip().splitlines()[-1].rpartition("failed: ")[2]
            return TLSFailedError(no_tls("PostgreSQL", place, self._without_password(last)))
        return ConnectionFailedError(no_answer("PostgreSQL", place))

    def _without_password(self, text: str) -> str:
        return text.replace(str(self._url.password), "…") if self._url.password else text


def _first_reason(message: str) -> str:
    """Why the server refused. Where TLS is preferred, libpq then tries without it: the second refusal is no reason."""
    return message.split("FATAL:")[1].strip().splitlines()[0] if "FATAL:" in message else ""


def _system_certificates(tls: str) -> str:
    """libpq has no list of authorities of its own; `system` is OpenSSL's."""
    return "system" if tls == "verify-full" else ""


def _begin_settings(connection: Connection, seconds: float) -> str:
    """One SELECT that applies SETTINGS to the transaction. It also takes a snapshot, after which PostgreSQL no longer
    lets SET TRANSACTION turn the transaction back to READ WRITE. The timeout is a backstop: we cancel before it."""
    settings = SETTINGS | {"statement_timeout": f"{round(seconds * 1000) + 1000}ms"}
    if connection.info.server_version >= 140000:
        settings["client_connection_check_interval"] = "2s"  # ends the statement when this process died
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in settings.items())
    return f"SELECT {calls}"


def _bounded(sql: str, columns: tuple[ResultColumn, ...], cell_bytes: int) -> str:
    """`sql`, with texts and bytes longer than we keep cut by PostgreSQL itself: else one of a gigabyte would lie in our
    memory before we see it. The order of the rows stays."""
    calls = [_beginning_of(f"c{n}", column.type, cell_bytes + 1) for n, column in enumerate(columns)]
    if all(call == f"c{n}" for n, call in enumerate(calls)):
        return sql
    names = ", ".join(f"c{n}" for n in range(len(columns)))
    return f"SELECT {', '.join(calls)} FROM {as_subquery(sql)} AS result({names})"


def _beginning_of(name: str, type_name: str, length: int) -> str:
    if type_name in ("text", "varchar"):
        return f"pg_catalog.left({name}, {length})"
    return f"pg_catalog.substr({name}, 1, {length})" if type_name == "bytea" else name


def _words(error: Exception) -> str:
    """The server's own words; the driver's for what it refused to send (a NUL character, half a surrogate pair)."""
    if not isinstance(error, psycopg.Error):
        return f"The statement cannot be sent: {error}."
    return " ".join(part for part in (error.diag.message_primary or str(error), error.diag.message_hint) if part)


class PostgresSession(Stoppable):
    """One connection. Between statements it is outside any transaction."""

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._types = TypeNames(connection)
        register_loaders(connection, limits.cell_bytes)

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        started = time.perf_counter()
        with self._run(seconds) as running, self._transaction(running, seconds):
            columns = self._describe(sql)
            # Closed early, the generator cancels what is left and reads the connection empty.
            bounded = _bounded(sql, columns, self._limits.cell_bytes)
            with closing(cast("Generator[Row, None, None]", self._connection.cursor().stream(bounded))) as source:
                taken = take(self._noticed(source), max_rows=max_rows, max_bytes=max_bytes,
                             cell_bytes=self._limits.cell_bytes, check=running.check, sink=sink)  # fmt: skip
        ms = (time.perf_counter() - started) * 1000
        return Rows(columns, taken.rows, bool(taken.cut_by), ms, taken.cut_by, taken.cut_cells)

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        raise NotImplementedError("PostgreSQL refuses temp tables in a read-only transaction; see `temp_tables`.")

    def close(self) -> None:
        self._connection.close()

    def _interrupt(self) -> None:
        # The server may be gone or not answer: the statement is then as good as ended, and is tried again anyway.
        with suppress(psycopg.Error):
            self._connection.cancel_safe(timeout=2)

    @contextmanager
    def _transaction(self, running: Running, seconds: float) -> Iterator[None]:
        self._seen = False
        try:
            self._connection.execute("BEGIN READ ONLY; " + _begin_settings(self._connection, seconds))
            yield
        except (psycopg.Error, ValueError) as error:
            raise self._translated(error, running) from error
        finally:
            with suppress(psycopg.Error):
                self._connection.execute("ROLLBACK")

    def _translated(self, error: Exception, running: Running) -> DatabaseError:
        failure = running.failure(_words(error))
        if type(failure) is ExecutionError and self._connection.closed:
            broken = ConnectionFailedError if self._seen else ConnectionLostError
            return broken(f"PostgreSQL closed the connection: {_words(error)}")
        return failure

    def _noticed(self, source: Iterator[Row]) -> Iterator[Row]:
        for row in source:
            self._seen = True
            yield row

    def _describe(self, sql: str) -> tuple[ResultColumn, ...]:
        """The columns of `sql`, which PostgreSQL has then accepted as one SELECT; it is planned, not run."""
        cursor = self._connection.cursor()
        # binary=True only chooses the extended protocol, which takes one statement.
        cursor.execute(f"DECLARE result NO SCROLL CURSOR FOR {sql}", binary=True)
        cursor.execute("FETCH FORWARD 0 FROM result")
        description = cursor.description or []
        cursor.execute("CLOSE result")
        return self._types.columns(description)


def build(url: URL, *, file_root: Path | None, options: DriverOptions) -> PostgresDriver:
    """The driver for `postgresql+psycopg://user:password@host:port/database`."""
    return PostgresDriver(url, options)
