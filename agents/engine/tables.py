"""The tables of a catalogue as statements name them."""

from __future__ import annotations

from agents.engine.block import Stored
from agents.engine.dialects import Dialect
from connections.catalogue import Catalogue


class Tables:
    """`names` are all table names in the dialect's folded form: no step may take one of them."""

    def __init__(self, catalogue: Catalogue, dialect: Dialect) -> None:
        self.names = frozenset(dialect.folded(table.name) for table in catalogue.tables)
        self._catalogue = catalogue
        self._tables = {table.qualified: table for table in catalogue.tables}

    def stored(self, name: str) -> Stored:
        """The table that a `table_ref` found, by its qualified name: looked up as others write names, it might mean a
        table with a dot in its own. Its schema is written where the bare name would mean something else."""
        table = self._tables[name]
        system = self._catalogue.dialect == "postgresql" and table.name.startswith("pg_")
        schema = table.schema if system or table.schema != self._catalogue.default_schema else None
        return Stored(table.name, schema, {column.name: column.name for column in table.columns}, is_table=True)
