"""From a relation to one SQL statement: a flat WITH chain of as few steps as the meaning allows.

Read `lowering.py` next: one method an operation. Each either joins the block (the SELECT in the making) of its input,
or has that block finished as a step of the chain and starts a new one over it. `block.py` holds the rules for which.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from agents.dsl.relation import Relation
from agents.engine.block import Stored
from agents.engine.dialects import Dialect
from agents.engine.lowering import Lowering, Stores
from agents.engine.naming import physical_names
from agents.engine.select import write_select
from agents.engine.steps import Steps
from agents.engine.tables import Tables
from connections.catalogue import Catalogue


@dataclass(frozen=True)
class Statement:
    """A statement whose columns are, by position, those of the relation.

    `stored` says under which names its rows can be read again when they are kept in a table.
    """

    sql: str
    stored: Stored


class Compiler:
    """Compiles relations over one catalogue. The same graph always gives the same bytes."""

    def __init__(self, catalogue: Catalogue, dialect: Dialect) -> None:
        self.dialect = dialect
        self.tables = Tables(catalogue, dialect)

    def compile(self, root: Relation, stores: Stores | None = None) -> Statement:
        """One SELECT of all columns of `root` in its order. `stores` are temp tables by the `id` of their relation.

        Raises LimitExceededError.
        """
        work = Lowering(root, self.tables, self.dialect, stores or {})
        block = work.run()
        # Outside, two columns may have names that the database would confuse inside.
        names = {
            name: name if self.dialect.bears(name) else inner
            for name, inner in physical_names(root.columns, self.dialect).items()
        }
        outputs = [(block.columns[name], names[name]) for name in root.columns]
        query = write_select(block, outputs, self.dialect, ordered=True)
        return self._finish(work.steps, query, Stored("", None, names))

    def compile_to_store(self, root: Relation, stores: Stores | None = None) -> Statement:
        """One SELECT whose rows can be kept: distinct column names, and the keys of its order among the columns."""
        work = Lowering(root, self.tables, self.dialect, stores or {})
        stored = work.steps.close(work.run(), root.handle, ordered=True)
        return self._finish(work.steps, work.steps.finished.pop().this, stored)

    def _finish(self, steps: Steps, query: exp.Query, stored: Stored) -> Statement:
        if steps.finished:
            query.set("with_", exp.With(expressions=steps.finished))
        return Statement(self.dialect.statement(query), stored)
