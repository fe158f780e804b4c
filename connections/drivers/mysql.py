"""MySQL and MariaDB through PyMySQL.

The session is read-only, and every statement runs in a READ ONLY transaction of its own that is rolled back. Several
statements in one text are off at the protocol, and so is LOCAL INFILE. Neither stops `SELECT … INTO OUTFILE`: against
that stand the guard and the role, which should not have the FILE privilege.

Rows are streamed. No parameters are ever passed, so `%` means `%`.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import pymysql
from pymysql.cursors import SSCursor
from sqlalchemy.engine import URL

from connections.catalogue import Catalogue, DialectName
from connections.contracts import Examination, Limits, Progress, Rows, Sink, silent
from connections.drivers import DriverOptions, only_query_options
from connections.drivers.fetching import Row, take
from connections.drivers.mysql_catalogue import read_catalogue
from connections.drivers.mysql_refusal import why_not, words
from connections.drivers.mysql_role import examine, is_mariadb
from connections.drivers.mysql_values import DECODERS, result_columns
from connections.drivers.running import Running, Stoppable
from connections.errors import (
    ConnectionFailedError,
    ConnectionLostError,
    DatabaseError,
    ExecutionError,
)
from connections.network import connected_socket

CATALOGUE_SECONDS = 120.0
QUERY_OPTIONS = frozenset({"sslmode", "ssl_ca", "charset", "connect_timeout", "unix_socket"})

# Modes that change how a text is read: with them, the guard and the server would not see the same statement.
READING_MODES = frozenset({
    "ANSI", "ANSI_QUOTES", "DB2", "HIGH_NOT_PRECEDENCE", "IGNORE_SPACE", "MAXDB", "MSSQL", "NO_BACKSLASH_ESCAPES",
    "ORACLE", "PIPES_AS_CONCAT", "POSTGRESQL",
})  # fmt: skip

# The client's and the server's words for "this connection is over".
LOST = frozenset({0, 1053, 1927, 2006, 2013, 2014, 2055, 4031})

# How a statement that returns rows may begin, brackets aside. The guard has long looked at all of it.
FIRST_WORDS = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})
# Rows read on after the cap, before it pays to end the statement from a second connection.
ROWS_TO_DRAIN = 200


class MySQLDriver:
    """One database (or all of a server) on MySQL or MariaDB."""

    dialect: DialectName = "mysql"
    temp_tables = False  # a READ ONLY transaction refuses CREATE TEMPORARY TABLE

    def __init__(self, url: URL, options: DriverOptions) -> None:
        self._url = url
        self._options = options
        self._given = only_query_options(url, QUERY_OPTIONS)
        self.networks = options.networks
        local = "unix_socket" in self._given
        self.endpoint: tuple[str, int] | None = None if local else (url.host or "localhost", url.port or 3306)

    def open(self, limits: Limits) -> MySQLSession:
        return MySQLSession(self, limits)

    def catalogue(self, schemas: tuple[str, ...] = (), progress: Progress = silent) -> Catalogue:
        connection = self.connect(CATALOGUE_SECONDS)
        try:
            prepare_session(connection)
            return read_catalogue(connection, schemas or tuple(filter(None, (self._url.database,))), progress)
        except pymysql.MySQLError as error:
            raise ConnectionFailedError(f"MySQL did not answer as it should: {words(error)}") from error
        finally:
            connection.close()

    def examine(self) -> Examination:
        connection = self.connect(30.0)
        try:
            prepare_session(connection)
            return examine(connection)
        except pymysql.MySQLError as error:
            raise ConnectionFailedError(f"MySQL did not answer as it should: {words(error)}") from error
        finally:
            connection.close()

    def connect(self, read_seconds: float) -> pymysql.Connection[Any]:
        """An open connection, or ConnectionFailedError in words that hold no password."""
        url = self._url
        connection = pymysql.connect(
            user=url.username, password=(url.password or "").encode(), database=url.database, host=url.host,
            port=url.port or 3306, charset=self._given.get("charset", "utf8mb4"), conv=DECODERS, cursorclass=SSCursor,
            read_timeout=self._seconds(), write_timeout=30.0,
            autocommit=True, local_infile=False, defer_connect=True, program_name="reactsql-web", **self._tls(),
        )  # fmt: skip
        try:
            connection.connect(self._socket())
        except (pymysql.MySQLError, OSError, ValueError) as error:
            raise self._why_not(error) from None
        # The greeting must come soon, a result may take longer; PyMySQL takes one limit for both.
        setattr(connection, "_read_timeout", read_seconds)  # noqa: B010
        return connection

    def _seconds(self) -> float:
        return float(self._given.get("connect_timeout") or self._options.connect_seconds)

    def _socket(self) -> socket.socket:
        """Connected to an address that was checked, so that the name is not looked up again."""
        if self.endpoint is None:
            if self.networks:
                raise ConnectionFailedError("Name a host; a socket of this machine cannot be connected to.")
            local = socket.socket(socket.AF_UNIX)
            local.connect(self._given["unix_socket"])
            return local
        connected = connected_socket(*self.endpoint, self.networks, self._seconds())
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return connected

    def _tls_mode(self) -> str:
        return self._options.tls or self._given.get("sslmode") or "prefer"

    def _tls(self) -> dict[str, Any]:
        mode = self._tls_mode()
        if mode == "disable":
            return {"ssl_disabled": True}
        if mode == "prefer":
            return {}
        context = ssl.create_default_context(cafile=self._options.ca_file or self._given.get("ssl_ca") or None)
        if mode not in ("verify-full", "verify-ca"):
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return {"ssl": context}

    def _why_not(self, error: Exception) -> ConnectionFailedError:
        place = f"{self.endpoint[0]}:{self.endpoint[1]}" if self.endpoint else "this machine"
        return why_not(error, place, self._url.username or "(no user)", tls_is_off=self._tls_mode() == "disable")


def prepare_session(connection: pymysql.Connection[Any]) -> None:
    """Read-only, and reading a statement the way the guard does. GROUP_CONCAT would silently cut at 1,024 bytes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@SESSION.sql_mode, @@SESSION.group_concat_max_len")
        modes, concat = next(iter(cursor.fetchall()))
        kept = ",".join(mode for mode in modes.split(",") if mode not in READING_MODES)
        read_only = "tx_read_only" if is_mariadb(connection) else "transaction_read_only"
        cursor.execute(
            f"SET SESSION sql_mode = '{kept}', SESSION group_concat_max_len = {max(int(concat), 1 << 20)}, "
            f"SESSION lock_wait_timeout = 10, SESSION {read_only} = 1"
        )


class MySQLSession(Stoppable):
    """One connection. Between statements it is outside any transaction."""

    def __init__(self, driver: MySQLDriver, limits: Limits) -> None:
        self._driver = driver
        self._limits = limits
        self._connect()

    def _connect(self) -> None:
        # A server that fell silent must not hold the worker for ever.
        self._connection = self._driver.connect(self._limits.seconds + 15)
        prepare_session(self._connection)
        (self._id,) = self._one("SELECT CONNECTION_ID()")

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        if _first_word(sql) not in FIRST_WORDS:
            raise ExecutionError("This does not begin like a SELECT; only SELECT is allowed.")
        started = time.perf_counter()
        with self._run(seconds) as running, self._transaction(seconds, running):
            cursor = self._connection.cursor()
            try:
                cursor.execute(sql)
                columns = result_columns(cursor)
                taken = take(self._rows(cursor), max_rows=max_rows, max_bytes=max_bytes,
                             cell_bytes=self._limits.cell_bytes, check=running.check, sink=sink)  # fmt: skip
            finally:
                self._finish(cursor)
        ms = (time.perf_counter() - started) * 1000
        return Rows(columns, taken.rows, bool(taken.cut_by), ms, taken.cut_by, taken.cut_cells)

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        raise NotImplementedError("MySQL refuses temp tables in a read-only transaction; see `temp_tables`.")

    def close(self) -> None:
        if self._connection.open:
            self._connection.close()

    def _interrupt(self) -> None:
        """End our statement from a second connection; a user may always do that to its own."""
        with suppress(DatabaseError, pymysql.MySQLError):
            other = self._driver.connect(5.0)
            try:
                other.query(f"KILL QUERY {self._id}")
            finally:
                other.close()

    @contextmanager
    def _transaction(self, seconds: float, running: Running) -> Iterator[None]:
        self._seen = False
        try:
            if not self._connection.open:
                self._connect()
            self._set_backstop(seconds)
            self._do("START TRANSACTION READ ONLY")
            yield
        except (pymysql.MySQLError, UnicodeEncodeError, ValueError, OSError) as error:
            raise self._translated(error, running) from error
        finally:
            if self._connection.open:
                with suppress(pymysql.MySQLError, OSError):
                    self._do("ROLLBACK")

    def _set_backstop(self, seconds: float) -> None:
        """The server's own limit, a second later than ours: it counts when this process died."""
        if is_mariadb(self._connection):
            self._do(f"SET SESSION max_statement_time = {seconds + 1:.3f}")
        else:
            self._do(f"SET SESSION max_execution_time = {round((seconds + 1) * 1000)}")

    def _translated(self, error: Exception, running: Running) -> DatabaseError:
        failure = running.failure(words(error))
        code = error.args[0] if error.args else None
        lost = (isinstance(error, pymysql.MySQLError) and code in LOST) or isinstance(error, OSError)
        if type(failure) is ExecutionError and lost:
            broken = ConnectionFailedError if self._seen else ConnectionLostError
            return broken(f"MySQL closed the connection: {words(error)}")
        return failure

    def _rows(self, cursor: SSCursor) -> Iterator[Row]:
        for row in cursor.fetchall_unbuffered():
            self._seen = True
            yield row

    def _finish(self, cursor: SSCursor) -> None:
        """The protocol wants every row read. Where many are left, the statement and the connection end instead."""
        result = getattr(cursor, "_result", None)
        if result is None or not result.unbuffered_active:
            return
        with suppress(pymysql.MySQLError):
            if len(list(islice(cursor.fetchall_unbuffered(), ROWS_TO_DRAIN))) == ROWS_TO_DRAIN:
                self._interrupt()
                self._connection.close()
        result.unbuffered_active = False

    def _do(self, sql: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)

    def _one(self, sql: str) -> Row:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return tuple(next(iter(cursor.fetchall())))


def _first_word(sql: str) -> str:
    return "".join(takewhile(str.isalpha, sql.lstrip(" \t\r\n("))).upper()


def build(url: URL, *, file_root: Path | None, options: DriverOptions) -> MySQLDriver:
    """The driver for `mysql+pymysql://user:password@host:port/database`."""
    return MySQLDriver(url, options)
