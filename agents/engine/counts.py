"""Rows in and out of every step: counted in one statement, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from agents.dsl.operations.aggregate import Aggregate, Aggregation
from agents.dsl.operations.derive_column import DeriveColumn
from agents.dsl.operations.materialize import Materialize
from agents.dsl.operations.order_by import OrderBy
from agents.dsl.operations.select_columns import Renamed, SelectColumns
from agents.dsl.operations.set_operation import SetOperation
from agents.dsl.operations.window_column import WindowColumn
from agents.dsl.relation import Relation
from agents.engine.access import Access
from agents.errors import CORRECTABLE

_SAME_COUNT = (SelectColumns, DeriveColumn, WindowColumn, OrderBy, Materialize)


class Counts:
    """Remembers what was counted: a relation never changes, and neither should a trace that shows it."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._known: dict[int, tuple[Relation, int]] = {}

    def known(self, relation: Relation) -> int | None:
        """The number of rows, if it was counted before or follows from the operation."""
        source = _counted_instead(relation)
        if isinstance(source.operation, Aggregate) and not source.operation.group_by:
            return 1
        found = self._known.get(id(source))
        return found[1] if found else None

    def note(self, relation: Relation, count: int) -> None:
        source = _counted_instead(relation)
        self._known[id(source)] = (source, count)

    def count(self, relations: Sequence[Relation], seconds: float) -> list[int | None]:
        """The number of rows of each; None for all that were not known when the time was up."""
        sources = {id(source): source for source in map(_counted_instead, relations) if self.known(source) is None}
        if sources and seconds > 0:
            self._count_together(list(sources.values()), seconds)
        return [self.known(relation) for relation in relations]

    def _count_together(self, relations: Sequence[Relation], seconds: float) -> None:
        try:
            combined = self._numbered(0, relations[0])
            for number, relation in enumerate(relations[1:], start=1):
                both = (combined, self._numbered(number, relation))
                combined = self._access.relate(SetOperation("", "", "union_all"), both, "counts")
            rows = self._access.fetch(combined, max_rows=len(relations), seconds=seconds, purpose="count")
        except CORRECTABLE:
            return
        for number, count in rows.rows:
            self.note(relations[int(number)], int(count))

    def _numbered(self, number: int, relation: Relation) -> Relation:
        counted = self._access.relate(
            Aggregate("", (), (Aggregation("count", "*", "rows"),)), (relation,), f"count_{relation.handle}"[:60]
        )
        numbered = self._access.relate(DeriveColumn("", "number", str(number)), (counted,), counted.handle)
        names = ("number", "rows")
        return self._access.relate(
            SelectColumns("", tuple(Renamed(name, name) for name in names)), (numbered,), counted.handle
        )


def _counted_instead(relation: Relation) -> Relation:
    """The relation further up that has as many rows."""
    while isinstance(relation.operation, _SAME_COUNT):
        (relation,) = relation.inputs
    return relation
