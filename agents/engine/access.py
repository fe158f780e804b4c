"""Running relations through the door: compiled, within size and time, with temp tables made when they are needed."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from agents.dsl.operations.aggregate import Aggregate, Aggregation
from agents.dsl.operations.base import RelationOperation
from agents.dsl.operations.materialize import Materialize
from agents.dsl.operations.table_ref import TableRef
from agents.dsl.relation import Relation, Scope
from agents.engine.block import Stored
from agents.engine.compiler import Compiler, Statement
from agents.engine.dialects import DIALECTS
from agents.engine.naming import Names
from agents.engine.outcomes import EngineSettings
from agents.engine.plan import inputs_first, plan
from agents.errors import LimitExceededError, StatementNotAllowedError
from connections.catalogue import Catalogue, DialectName
from connections.contracts import Rows

# From so many characters on, a statement may hold more words than the guard reads.
_LONG = 50_000
_SHORTER = "Use fewer or shorter expressions, or materialize an intermediate relation."


class Door(Protocol):
    """What the engine asks of `connections.door.Door`."""

    dialect: DialectName
    catalogue: Catalogue
    temp_tables: bool

    @property
    def temp_names(self) -> frozenset[str]: ...

    def query(
        self, sql: str, *, max_rows: int | None = None, seconds: float | None = None, purpose: str = "query"
    ) -> Rows: ...

    def materialize(self, name: str, sql: str, *, seconds: float | None = None) -> None: ...

    def rest(self) -> None: ...


class Access:
    """Everything that reaches the database goes through here."""

    def __init__(self, door: Door, settings: EngineSettings) -> None:
        self.door = door
        self.settings = settings
        self.dialect = DIALECTS[door.dialect]()
        self.compiler = Compiler(door.catalogue, self.dialect)
        self._stores: dict[int, Stored] = {}
        self._ready: dict[int, Relation] = {}  # nothing that these read is left to be stored
        self._written: tuple[Relation, str] | None = None  # the last statement: running and showing it ask twice

    def relate(self, operation: RelationOperation, inputs: tuple[Relation, ...], handle: str) -> Relation:
        """The relation that `operation` makes. Raises a ModelCorrectableError."""
        scope = Scope(self.door.catalogue, handle, self.dialect.unsupported, self.dialect.name_limit)
        return operation.derive(inputs, scope)

    def sql(self, relation: Relation) -> str:
        """One statement that gives `relation` in any session: it reads no temp table. Raises LimitExceededError."""
        if self._written is None or self._written[0] is not relation:
            self._written = (relation, self._within_size(self.compiler.compile(relation)).sql)
        return self._written[1]

    def shown_sql(self, relation: Relation) -> str:
        """`sql`, or where that is beyond the limits, the statement that reads the temp tables."""
        try:
            return self.sql(relation)
        except LimitExceededError:
            return self._within_size(self.compiler.compile(relation, self._stores)).sql

    def fetch(self, relation: Relation, *, max_rows: int, seconds: float, purpose: str) -> Rows:
        """Run `relation`, with what is materialised read from its temp tables.

        Raises LimitExceededError or a DatabaseError.
        """
        self.store_materialized(relation)
        if self._stores:
            sql = self._within_size(self.compiler.compile(relation, self._stores)).sql
        else:
            sql = self.sql(relation)
        try:
            return self.door.query(sql, max_rows=max_rows, seconds=seconds, purpose=purpose)
        except StatementNotAllowedError as error:
            if len(sql) < _LONG:
                raise
            raise LimitExceededError(f"{error} {_SHORTER}") from None

    def count(self, relation: Relation, *, seconds: float, purpose: str = "count") -> int:
        """How many rows `relation` has. Raises QueryTimeoutError."""
        counted = self.relate(Aggregate("", (), (Aggregation("count", "*", "rows"),)), (relation,), "counted")
        rows = self.fetch(counted, max_rows=1, seconds=seconds, purpose=purpose)
        return int(rows.rows[0][0])

    def store_materialized(self, root: Relation) -> None:
        """Make the temp tables that `root` reads and that are not there yet; only where a session may have some."""
        if not self.door.temp_tables:
            return
        for relation in inputs_first(root, lambda relation: id(relation) in self._ready):
            if self._is_storable(relation):
                (source,) = relation.inputs
                statement = self._within_size(self.compiler.compile_to_store(source, self._stores))
                name = self._temp_name(relation.handle)
                self.door.materialize(name, statement.sql, seconds=self.settings.seconds)
                self._stores[id(relation)] = Stored(name, None, statement.stored.columns, statement.stored.order)
            self._ready[id(relation)] = relation  # held, so that no other one gets its id

    def _is_storable(self, relation: Relation) -> bool:
        """Whether to make a temp table of it. What would lose a collation stays a step of each statement instead."""
        if not isinstance(relation.operation, Materialize) or id(relation) in self._stores:
            return False
        return not (self.dialect.tables_lose_collations and self._may_have_collation(relation))

    def _may_have_collation(self, root: Relation) -> bool:
        """Whether a column that `root` is made of may compare texts in a way of its own. The catalogue does not tell of
        views: theirs may where any table's do."""
        graph = plan(root, is_stored=lambda _: False)
        if any(_names_collation(expression.text) for relation in graph.order for expression in relation.expressions):
            return True
        read = [
            relation.columns[name]
            for relation in graph.order
            if isinstance(relation.operation, TableRef)
            for name in graph.needs[id(relation)].columns
        ]
        of_view = any(column.origin is not None and column.origin.table.kind == "view" for column in read)
        return any(_names_collation(column.type) for column in read) or (of_view and self._knows_collations)

    @cached_property
    def _knows_collations(self) -> bool:
        return any(_names_collation(column.type) for table in self.door.catalogue.tables for column in table.columns)

    def _temp_name(self, handle: str) -> str:
        made = {self.dialect.folded(name) for name in self.door.temp_names}
        return Names(self.dialect, self.compiler.tables.names | made).free(handle)

    def _within_size(self, statement: Statement) -> Statement:
        size = len(statement.sql.encode())
        if size > self.settings.sql_bytes:
            raise LimitExceededError(
                f"The SQL of this relation has {size:,} bytes; at most {self.settings.sql_bytes:,} are sent. {_SHORTER}"
            )
        return statement


def _names_collation(text: str) -> bool:
    return "COLLATE" in text.upper()
