"""DuckDB files, opened read-only in this process.

Read-only in depth: `read_only`; no access to other files, extensions or the network; a locked configuration; no Python
variables as tables; one statement, which DuckDB's own parser must call a SELECT. Sessions of one file share one
database instance, as DuckDB allows only one a process; their temp tables are apart.

DuckDB's Python values lose months of intervals, infinite dates and nanoseconds, so such columns travel as text.
"""

from __future__ import annotations

import os
import struct
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
from sqlalchemy.engine import URL

from connections.catalogue import Catalogue, DialectName
from connections.contracts import Examination, Limits, Progress, ResultColumn, Rows, Sink, silent
from connections.drivers import DriverOptions, database_file, only_query_options
from connections.drivers.duckdb_catalogue import read_catalogue
from connections.drivers.fetching import Row, as_subquery, take
from connections.drivers.files import DatabaseFile
from connections.drivers.reading import read_date, read_interval, read_json, read_timestamp
from connections.drivers.running import Stoppable
from connections.errors import ConnectionFailedError, ExecutionError
from connections.network import NetworkPolicy
from connections.types import semantic_type

# Types whose Python values lose something: sent as text and read here.
FROM_TEXT: Mapping[str, Callable[[str], Any]] = {
    "DATE": read_date, "TIMESTAMP": read_timestamp, "TIMESTAMP_S": read_timestamp, "TIMESTAMP_MS": read_timestamp,
    "TIMESTAMP_NS": read_timestamp, "TIMESTAMP WITH TIME ZONE": read_timestamp, "INTERVAL": read_interval,
}  # fmt: skip


class DuckDBDriver:
    """One DuckDB file."""

    dialect: DialectName = "duckdb"
    temp_tables = True
    endpoint: tuple[str, int] | None = None
    networks: NetworkPolicy | None = None

    def __init__(self, file: DatabaseFile, memory_mb: int) -> None:
        self._file = file
        self._memory_mb = memory_mb

    def open(self, limits: Limits) -> DuckDBSession:
        return DuckDBSession(self._connect(), limits)

    def catalogue(self, schemas: tuple[str, ...] = (), progress: Progress = silent) -> Catalogue:
        connection = self._connect()
        try:
            return read_catalogue(connection, schemas, progress)
        finally:
            connection.close()

    def examine(self) -> Examination:
        connection = self._connect()
        try:
            connection.execute("CREATE TABLE reactsql_write_test (n INTEGER)")
            connection.execute("DROP TABLE reactsql_write_test")
            refusal = None
        except duckdb.Error as error:
            refusal = _message(error)
        finally:
            connection.close()
        return Examination(duckdb.__version__, "", refusal)

    def _connect(self) -> duckdb.DuckDBPyConnection:
        path = self._file.resolve()
        try:
            return duckdb.connect(str(path), read_only=True, config=_configuration(self._memory_mb))
        except duckdb.Error as error:
            raise ConnectionFailedError(_why_not(path, str(error))) from error


def _configuration(memory_mb: int) -> dict[str, str | bool | int | float | list[str]]:
    """Every connection to one file must bring the same, or DuckDB refuses the second."""
    return {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "lock_configuration": "true",
        "memory_limit": f"{memory_mb}MB",
        "threads": str(min(4, os.cpu_count() or 1)),
        # Sorts and joins larger than memory go here, not beside the customer's file.
        "temp_directory": str(Path(tempfile.gettempdir()) / f"reactsql-duckdb-{os.getpid()}"),
        "max_temp_directory_size": "8GB",
    }


def _why_not(path: Path, message: str) -> str:
    if "lock" in message.lower():
        return f"{path.name} is being written by another process; DuckDB then lets nobody else read it. Ask a copy."
    if "different configuration" in message:
        return f"{path.name} is already open for writing in this process."
    first = message.splitlines()[0].replace(str(path), path.name)
    return f"{path.name} cannot be opened as a DuckDB database: {first}"


class DuckDBSession(Stoppable):
    """One connection to the shared instance, with its own temp tables."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits

    def query(self, sql: str, *, max_rows: int, max_bytes: int, seconds: float, sink: Sink | None = None) -> Rows:
        started = time.perf_counter()
        with self._run(seconds) as running:
            try:
                columns = self._describe(sql)
                self._connection.execute(_with_texts(sql, columns))
                source = iter(_reader(self._connection, columns), None)
                taken = take(source, max_rows=max_rows, max_bytes=max_bytes,
                             cell_bytes=self._limits.cell_bytes, check=running.check, sink=sink)  # fmt: skip
            except _FAILURES as error:
                raise running.failure(_message(error)) from error
            running.check()
        ms = (time.perf_counter() - started) * 1000
        return Rows(columns, taken.rows, bool(taken.cut_by), ms, taken.cut_by, taken.cut_cells)

    def create_temp_table(self, name: str, sql: str, *, seconds: float) -> None:
        quoted = '"' + name.replace('"', '""') + '"'
        with self._run(seconds) as running:
            try:
                self._describe(sql)
                self._connection.execute(f"CREATE TEMP TABLE {quoted} AS {sql}")
            except _FAILURES as error:
                raise running.failure(_message(error)) from error

    def close(self) -> None:
        self._connection.close()

    def _interrupt(self) -> None:
        self._connection.interrupt()

    def _describe(self, sql: str) -> tuple[ResultColumn, ...]:
        """The columns of `sql`, which must be one SELECT; nothing is run."""
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise ExecutionError("DuckDB does not read this as one SELECT; only that is allowed.")
        rows = self._connection.execute(f"DESCRIBE {sql}").fetchall()
        return tuple(ResultColumn(row[0], row[1], semantic_type(row[1], "duckdb")) for row in rows)


def _with_texts(sql: str, columns: tuple[ResultColumn, ...]) -> str:
    """`sql`, with the columns that need it cast to text by DuckDB itself; order and multiplicity stay."""
    casts = [_cast(f"c{n}", column.type) for n, column in enumerate(columns)]
    if all(cast == f"c{n}" for n, cast in enumerate(casts)):
        return sql
    names = ", ".join(f"c{n}" for n in range(len(columns)))
    return f"SELECT {', '.join(casts)} FROM {as_subquery(sql)} AS result({names})"


def _cast(name: str, type_name: str) -> str:
    if type_name in FROM_TEXT:
        return f"CAST({name} AS VARCHAR)"
    return f"to_json({name})" if "INTERVAL" in type_name else name


def _reader(connection: duckdb.DuckDBPyConnection, columns: tuple[ResultColumn, ...]) -> Callable[[], Row | None]:
    """A function that returns the next row, or None at the end."""
    reads = [(n, read) for n, column in enumerate(columns) if (read := _read_for(column.type))]

    def following() -> Row | None:
        row = connection.fetchone()
        if row is None or not reads:
            return row
        values = list(row)
        for n, read in reads:
            if values[n] is not None:
                values[n] = read(values[n])
        return tuple(values)

    return following


def _read_for(type_name: str) -> Callable[[Any], Any] | None:
    if type_name == "JSON" or ("INTERVAL" in type_name and type_name != "INTERVAL"):
        return read_json
    return _FROM_PYTHON.get(type_name) or FROM_TEXT.get(type_name)


def _shortest_single(value: float) -> float:
    """The shortest decimal that is this 32-bit number: 0.1, not 0.10000000149011612."""
    for digits in range(6, 9):
        near = float(f"{value:.{digits}g}")
        if struct.pack("f", near) == struct.pack("f", value):
            return near
    return value


_FROM_PYTHON: Mapping[str, Callable[[Any], Any]] = {"FLOAT": _shortest_single, "BIGNUM": int}
_FAILURES = (duckdb.Error, RuntimeError, UnicodeEncodeError, ValueError)


def _message(error: Exception) -> str:
    """DuckDB's words without the quoted line of a statement that is partly ours."""
    return str(error).split("\n\nLINE ")[0].strip()


def build(url: URL, *, file_root: Path | None, options: DriverOptions) -> DuckDBDriver:
    """The driver for `duckdb:///file`."""
    only_query_options(url, frozenset())
    return DuckDBDriver(database_file(url, file_root), options.duckdb_memory_mb)
