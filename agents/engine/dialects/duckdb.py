from __future__ import annotations

from typing import ClassVar

from agents.engine.dialects.base import Dialect
from connections.catalogue import DialectName


class DuckDB(Dialect):
    name: ClassVar[DialectName] = "duckdb"
    name_limit = 255
    text_type = "VARCHAR"
    joins_not_exists = True
