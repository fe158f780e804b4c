"""One file a dialect: only its differences, and an open list of what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping

from agents.engine.dialects.base import Dialect
from agents.engine.dialects.duckdb import DuckDB
from agents.engine.dialects.mysql import MySQL
from agents.engine.dialects.postgresql import PostgreSQL
from agents.engine.dialects.sqlite import SQLite
from connections.catalogue import DialectName

__all__ = ["DIALECTS", "Dialect"]

DIALECTS: Mapping[DialectName, type[Dialect]] = {
    dialect.name: dialect for dialect in (SQLite, DuckDB, PostgreSQL, MySQL)
}
