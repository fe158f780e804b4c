"""SQLite files, opened read-only.

Read-only in depth: `mode=ro`; an authorizer that allows reading and the functions on the allow-list; limits that stop
ATTACH (which `mode=ro` lets write new files) and values that one opcode could take seconds to build. Temp tables are
made only through `create_temp_table`. The authorizer is set after the schema was read, as it also stops PRAGMA.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.engine import URL

from connections.allowed import AGGREGATES, FUNCTIONS, WINDOWS
from connections.catalogue import Catalogue, DialectName
from connections.contracts import Examination, Limits, Progress, ResultColumn, Rows, Sink, silent
from connections.drivers import DriverOptions, database_file, only_query_options
from connections.drivers.fetching import take
from connections.drivers.files import DatabaseFile
from connections.drivers.running import Stoppable
from connections.drivers.sqlite_catalogue import quoted, read_catalogue
from connections.errors import ConnectionFailedError, ExecutionError
from connections.network import NetworkPolicy

# One value of 50 MB can be read; a bomb such as hex(hex(hex(…))) stops here within a second.
LARGEST_VALUE = 64 * 1024 * 1024
CAPS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LENGTH: LARGEST_VALUE,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 1000,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 500,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 5_000_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
SCHEMA_TABLES = {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}


class SQLiteDriver:
    """One SQLite file. `file` is resolved again each time it is opened, as a link may have been moved."""

    dialect: DialectName = "sqlite"
    temp_tables = True
    endpoint: tuple[str, int] | None = None
    networks: NetworkPolicy | None = None

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file

    def open(self, limits: Limits) -> SQLiteSession:
        return SQLiteSession(_connect(self._file.resolve()), limits)

    def catalogue(self, schemas: tuple[str, ...] = (), progress: Progress = silent) -> Catalogue:
        connection = _connect(self._file.resolve())
        try:
            return read_catalogue(connection, progress)
        finally:
            connection.close()

    def examine(self) -> Examination:
        session = self.open(Limits())
        try:
            return Examination(sqlite3.sqlite_version, "", session.write_refusal())
        finally:
            session.close()


def _connect(path: Path) -> sqlite3.Connection:
    """A read-only connection whose schema was read once, which proves that the file is a database."""
    try:
        return _try_to_connect(f"file:{quote(str(path))}?mode=ro")
    except sqlite3.OperationalError as error:
        if "unable to open" not in str(error) or path.with_name(path.name + "-wal").exists():
            raise ConnectionFailedError(f"SQLite cannot open {path.name}: {error}.") from error
        # A database in WAL mode inside a folder that is read-only: nobody can be writing to it.
        return _immutable(path)
    except sqlite3.DatabaseError as error:
        raise ConnectionFailedError(f"{path.name} is not a SQLite database, or it is damaged: {error}.") from error


def _immutable(path: Path) -> sqlite3.Connection:
    try:
        return _try_to_connect(f"file:{quote(str(path))}?mode=ro&immutable=1")
    except sqlite3.DatabaseError as error:
        raise ConnectionFailedError(f"SQLite cannot open {path.name}: {error}.") from error


def _try_to_connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None, timeout=5)
    connection.text_factory = _text
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA mmap_size = 0")
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _text(raw: bytes) -> str:
    """SQLite does not check that texts are UTF-8; bad bytes become the replacement character."""
    return raw.decode("utf-8", "replace")


class SQLiteSession(Stoppable):
    """One connection behind the authorizer."""

    def __init__(self, connection: sqlite3.Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._creating_temp_table = False
        for limit, cap in CAPS.items():
            connection.setlimit(limit, cap)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes + 1000)
        # Sorting and temp tables spill to files that are unlinked as soon as they are open: in memory, one careless
        # join would take all that the worker has.
        connection.execute("PRAGMA temp_store = FILE")
        _wake_virtual_tables(connection)
        connection.set_authorizer(self._authorize)

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        started = time.perf_counter()
        with self._run(seconds) as running:
            try:
                with closing(self._connection.execute(sql)) as cursor:
                    columns = tuple(ResultColumn(name=entry[0]) for entry in cursor.description or ())
                    taken = take(cursor, max_rows=max_rows, max_bytes=max_bytes,
                                 cell_bytes=self._limits.cell_bytes, check=running.check, sink=sink)  # fmt: skip
            except _FAILURES as error:
                raise running.failure(_message(error)) from error
            running.check()
        if not columns:
            raise ExecutionError("The statement returned no table; only SELECT is allowed.")
        ms = (time.perf_counter() - started) * 1000
        return Rows(columns, taken.rows, bool(taken.cut_by), ms, taken.cut_by, taken.cut_cells)

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        self._creating_temp_table = True
        try:
            with self._run(seconds) as running:
                try:
                    self._connection.execute(f"CREATE TEMP TABLE {quoted(name)} AS {sql}")
                except _FAILURES as error:
                    raise running.failure(_message(error)) from error
        finally:
            self._creating_temp_table = False

    def write_refusal(self) -> str | None:
        """SQLite's word against a write; None when it went through (the table is then removed again)."""
        try:
            self._connection.execute("CREATE TABLE reactsql_write_test (n INTEGER)")
        except sqlite3.Error as error:
            return str(error)
        self._connection.set_authorizer(None)
        self._connection.execute("DROP TABLE reactsql_write_test")
        return None

    def close(self) -> None:
        self._connection.close()

    def _interrupt(self) -> None:
        self._connection.interrupt()

    def _authorize(
        self, action: int, first: str | None, second: str | None, database: str | None, view: str | None
    ) -> int:
        """SQLite asks this for everything that a statement would do; `view` is the view that would do it, if any."""
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            hidden = first in SCHEMA_TABLES and view is None and not self._creating_temp_table
            return sqlite3.SQLITE_DENY if hidden else sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return _function(str(second), inside_view=view is not None)
        if action == sqlite3.SQLITE_PRAGMA and first in ("data_version", "page_size") and second is None:
            # Full-text tables ask for these themselves.
            return sqlite3.SQLITE_OK
        if self._creating_temp_table and _makes_temp_table(action, first, database):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY


def _wake_virtual_tables(connection: sqlite3.Connection) -> None:
    """A full-text or R*Tree table prepares statements of its own when first touched, which the authorizer would
    refuse, although they are never run here."""
    for _, name, kind, *_ in connection.execute("PRAGMA main.table_list").fetchall():
        if kind == "virtual":
            with suppress(sqlite3.DatabaseError):
                connection.execute(f'SELECT 1 FROM main.{quoted(name)} LIMIT 0')


def _function(name: str, *, inside_view: bool) -> int:
    """The allow-list holds for what we send; a view of the database's owner may use more, but never load code."""
    allowed = name.lower() in _FUNCTIONS or (inside_view and name.lower() != "load_extension")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _makes_temp_table(action: int, table: str | None, database: str | None) -> bool:
    if database != "temp":
        return False
    if action == sqlite3.SQLITE_CREATE_TEMP_TABLE:
        return True
    return action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE) and table in SCHEMA_TABLES


# `like`, `glob` and `match` are what the operators of these names call; the JSON arrows likewise.
_FUNCTIONS = FUNCTIONS["sqlite"] | AGGREGATES["sqlite"] | WINDOWS | {"like", "glob", "match", "->", "->>"}
_FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)


def _message(error: Exception) -> str:
    """The database's own words; Python's for what it refused to send (a NUL byte, half a surrogate pair)."""
    if isinstance(error, UnicodeEncodeError):
        return "The statement holds a character that is no Unicode text."
    return str(error)


def build(url: URL, *, file_root: Path | None, options: DriverOptions) -> SQLiteDriver:
    """The driver for `sqlite:///file`."""
    only_query_options(url, frozenset())
    return SQLiteDriver(database_file(url, file_root))
