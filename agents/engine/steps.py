"""The flat WITH chain of one statement: finished steps, their names, and reading from them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from agents.dsl.operations.order_by import OrderKey
from agents.engine.block import Block, Source, Stored
from agents.engine.dialects import Dialect
from agents.engine.naming import Names, physical_names
from agents.engine.select import write_select
from agents.engine.terms import Ref, Term, Writer, made

MAX_STEPS = 250
# A step that only joins and filters is worked out anew by each of its readers, as they then read only the rows that
# they need; but not when tables would be read more often than this.
MAX_READS = 12

# What a step selects when only the number of its rows matters.
ONE: Term = made(lambda parts: exp.Literal.number(1))


class Steps:
    """Collects the steps of a statement in order."""

    def __init__(self, dialect: Dialect, reserved: frozenset[str]) -> None:
        self.dialect = dialect
        self.names = Names(dialect, reserved)
        self.finished: list[exp.CTE] = []
        self._sources = 0
        self._reads: dict[str, int] = {}  # of steps that may be worked out anew: how many tables that reads

    def read(self, stored: Stored, handle: str, wanted: Iterable[str]) -> Block:
        """A new block over `stored`; `handle` names it in FROM if it is a table."""
        self._sources += 1
        return Block.over(Source(self._sources, stored, handle if stored.is_table else stored.name), wanted)

    def close(
        self,
        block: Block,
        handle: str,
        *,
        ordered: bool,
        materialized: bool = False,
        sorted_inside: bool = False,
        readers: int = 1,
    ) -> Stored:
        """Make `block` a step named by `handle`. `ordered` keeps the keys of its order as columns for later; with
        `sorted_inside` the step itself is sorted, for a reader that takes rows as they come."""
        physical = physical_names(block.columns, self.dialect)
        outputs = [(block.columns[name], physical[name]) for name in block.columns]
        keys = self._keys(block, physical, outputs) if ordered and block.group != [] else ()
        query = write_select(block, outputs or [(ONE, "one")], self.dialect, ordered=sorted_inside)
        volatile = any(term.volatile for term in (*block.columns.values(), *block.where, *block.having))
        if block.sealed or (volatile and not self.dialect.materialized_steps):
            query = self.dialect.fenced(query)
        name = self.names.free(handle)
        anew = self._anew(block, name, readers) and not materialized
        self.finished.append(
            exp.CTE(
                this=query,
                alias=exp.TableAlias(this=Writer(self.dialect).identifier(name)),
                materialized=self._hint(once=materialized or volatile, anew=anew),
            )
        )
        return Stored(name, None, physical, keys)

    def _hint(self, *, once: bool, anew: bool) -> bool | None:
        """True for AS MATERIALIZED, False for AS NOT MATERIALIZED, None for neither."""
        return once if (once or anew) and self.dialect.materialized_steps else None

    def _anew(self, block: Block, name: str, readers: int) -> bool:
        """Whether each of several readers should work the step out for itself."""
        places = [source.stored for source in block.sources]
        if not block.row_wise or not all(place.is_table or place.name in self._reads for place in places):
            return False
        reads = sum(1 if place.is_table else self._reads[place.name] for place in places) * readers
        if reads <= MAX_READS:
            self._reads[name] = reads
        return readers > 1 and reads <= MAX_READS

    def _keys(self, block: Block, physical: dict[str, str], outputs: list[tuple[Term, str]]) -> tuple[OrderKey, ...]:
        """Order keys as columns of the step: those already there by their names, the others under new ones."""
        known = {id(term): name for term, name in outputs}
        taken = Names(self.dialect, frozenset(self.dialect.folded(name) for name in physical.values()))
        keys: list[OrderKey] = []
        for key in block.order:
            if key.term.constant:
                continue
            name = known.get(id(key.term)) or _same_column(key.term, outputs)
            if name is None:
                name = taken.free(key.term.column if isinstance(key.term, Ref) else "order")
                outputs.append((key.term, name))
            keys.append(OrderKey(name, key.descending, key.nulls))
        return tuple(keys)


def _same_column(term: Term, outputs: list[tuple[Term, str]]) -> str | None:
    """The name under which the column that `term` reads is among the outputs already."""
    if not isinstance(term, Ref):
        return None
    place = (term.source, term.column)
    return next((n for other, n in outputs if isinstance(other, Ref) and (other.source, other.column) == place), None)
