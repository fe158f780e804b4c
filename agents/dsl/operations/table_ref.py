from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from agents.dsl.arguments import TABLE_NAME, argument
from agents.dsl.names import listed, nearest_hint, quoted
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Origin, Relation, RelColumn, Scope
from agents.errors import UnknownTableError
from connections.catalogue import Catalogue, Table


@dataclass(frozen=True)
class TableRef(RelationOperation):
    """A table or view with all its columns. `table` is `name` or `schema.name`."""

    name: ClassVar[str] = "table_ref"
    example: ClassVar[str] = '{"table": "orders"}'

    table: str = argument(TABLE_NAME)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        table = self._find(scope.catalogue)
        columns = {
            column.name: RelColumn(
                column.name, column.type, column.semantic, column.nullable, Origin(table, column.name)
            )
            for column in table.columns
        }
        exact = self.table in (table.name, table.qualified)
        return Relation(
            operation=replace(self, table=table.qualified),
            handle=scope.handle,
            inputs=(),
            columns=columns,
            unique=tuple(frozenset(key) for key in (table.primary_key, *table.unique) if key),
            notes=() if exact else (f"read {quoted(self.table)} as {quoted(table.qualified)}",),
        )

    def _find(self, catalogue: Catalogue) -> Table:
        found = catalogue.find(self.table)
        if len(found) == 1:
            # Dots in names may make two tables look alike, which nothing later could tell apart.
            found = tuple(table for table in catalogue.tables if table.qualified == found[0].qualified)
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownTableError(
                f"The table {quoted(self.table)} may mean {listed(table.qualified for table in found)}; "
                f"write one of them exactly. Signature: {self.signature()}."
            )
        names = [name for table in catalogue.tables for name in {table.name, table.qualified}]
        raise UnknownTableError(
            f"There is no table {quoted(self.table)}.{nearest_hint(self.table, names)} "
            f"Tables: {listed(table.qualified for table in catalogue.tables)}. Signature: {self.signature()}."
        )

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        return ()

    def identity(self, relation: Relation) -> object:
        return [(column.name, column.type) for column in relation.columns.values()]
