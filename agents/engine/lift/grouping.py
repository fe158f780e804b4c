"""GROUP BY: keys and arguments are derived, aggregates computed, and what follows reads the grouped relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.aggregates import aggregate_of
from agents.engine.lift.calls import aggregates_of, is_windowed
from agents.engine.lift.extreme_rows import rows_of_extreme
from agents.engine.lift.frame import Frame
from agents.engine.lift.naming import numbered_name
from agents.engine.lift.program import Aggregate
from agents.engine.lift.query import ColumnKey, Node, Select, column, columns_of, subqueries_of
from agents.engine.lift.scalar import or_zero
from agents.engine.lift.subqueries import attach

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


class Grouping:
    """The grouping of one SELECT: `plan` the relation, then `rewrite` the expressions that stand above it."""

    def __init__(self, planner: Planner, select: Select) -> None:
        self.planner, self.select = planner, select
        self.above = [
            *(output.node for output in select.outputs), *select.having, *select.qualify, *select.distinct_on,
            *(key.key for key in select.tail.order if isinstance(key.key, exp.Expr)),
        ]  # fmt: skip
        self.calls = list(dict.fromkeys(call for node in self.above for call in aggregates_of(node, planner.dialect)))
        self.needed = select.groups is not None or bool(self.calls)
        self.counts: list[Node] = []  # columns of the grouped relation that stand for 0 over nothing
        self._source = planner.new_source("group")
        self._known: dict[Node, Node] = {}
        self._taken: set[str] = set()

    def rewrite(self, node: Node) -> Node:
        """`node` with group keys and aggregates as columns of the grouped relation."""
        if not self.needed:
            return node

        def known(part: Node) -> Node:
            found = None if is_windowed(part) else self._known.get(part)
            return found.copy() if found is not None else part

        return node.transform(known)

    @property
    def is_total(self) -> bool:
        """Whether it makes one row of all rows, also of none."""
        return self.needed and not self.select.groups

    def fill_counts(self) -> None:
        """What counts is 0 where the grouped relation has a row of NULLs for nothing."""
        self._known = {node: or_zero(made, self.counts) for node, made in self._known.items()}

    def plan(self, frame: Frame) -> Frame:
        if not self.needed:
            return frame
        frame, keys = self._keys(frame)
        group = list(dict.fromkeys((*frame.carried_columns, *keys.values())))
        self._taken = {name.casefold() for name in group}
        names: dict[ColumnKey, str] = {key: name for key, name in frame.names.items() if name in group}
        bare = list(dict.fromkeys(self._bare(frame, names)))
        self._taken |= {frame.names[key].casefold() for key in bare}
        frame, aggregates = self._aggregates(frame, group)
        if not group and not aggregates:
            aggregates = [Aggregate("count", "*", self._free("row_count"))]  # GROUP BY (): one row, whatever it shows
        for key, name in keys.items():
            names[self._source, name] = name
            self._known.setdefault(key, column(self._source, name))
        extreme = self._extreme(frame, bare, group, aggregates)
        if extreme is not None:
            frame, columns = rows_of_extreme(self.planner, frame, group, aggregates, extreme)
            made = {(self._source, name): found for name, found in columns.items()}
            return replace(frame, names={**frame.names, **names, **made}, attached={})
        names |= {(self._source, item.name): item.name for item in aggregates}
        names |= {key: frame.names[key] for key in bare}
        group, aggregates = self._carry_bare(frame, bare, group, aggregates)
        return Frame(self.planner.program.aggregate(frame.relation, group, aggregates), names, frame.carried)

    def _aggregates(self, frame: Frame, group: list[str]) -> tuple[Frame, list[Aggregate]]:
        aggregates: list[Aggregate] = []
        for call in self.calls:
            frame, item, made = aggregate_of(self.planner, frame, call, self._wanted(call), group)
            item = replace(item, name=self._free(item.name))
            aggregates.append(item)
            if item.fn in ("count", "count_distinct"):
                self.counts.append(column(self._source, item.name))
            self._known[call] = made(column(self._source, item.name))
        return frame, aggregates

    def _keys(self, frame: Frame) -> tuple[Frame, dict[Node, str]]:
        keys: dict[Node, str] = {}
        for node in self.select.groups or ():
            frame, ready = attach(self.planner, frame, node)
            named = next((o.name for o in self.select.outputs if o.node == node), "")
            frame, keys[node] = self.planner.column(frame, ready, named)
        return frame, keys

    def _wanted(self, call: Node) -> str:
        """The name of an aggregate: that of the output that is nothing else."""
        return next((output.name for output in self.select.outputs if output.node == call), "")

    def _free(self, wanted: str) -> str:
        name, number = wanted, 1
        while name.casefold() in self._taken:
            number += 1
            name = numbered_name(wanted, number)
        self._taken.add(name.casefold())
        return name

    def _bare(self, frame: Frame, names: dict[ColumnKey, str]) -> Iterator[ColumnKey]:
        """Columns above the grouping that no key and no aggregate covers, also those that sub-queries read."""
        for node in self.above:
            for part in self._outside(node):
                reads = list(columns_of(part)) if isinstance(part, exp.Column) else []
                for query in subqueries_of(part):
                    reads += self.planner.queries[query].free
                yield from (key for key in reads if key in frame.names and key not in names)

    def _outside(self, node: Node) -> Iterator[Node]:
        """The columns and sub-queries in `node` that no group key and no aggregate covers."""
        keys = set(self.select.groups or ())
        aggregates = set(self.calls)
        stack = [node]
        while stack:
            part = stack.pop()
            if part in keys or (part in aggregates and not is_windowed(part)):
                continue
            if isinstance(part, exp.Column | exp.Placeholder):
                yield part
            else:
                stack += list(part.iter_expressions())

    def _carry_bare(
        self, frame: Frame, bare: list[ColumnKey], group: list[str], aggregates: list[Aggregate]
    ) -> tuple[list[str], list[Aggregate]]:
        """SQLite and MySQL take bare columns from a row of the group; elsewhere the keys must determine them."""
        dialect = self.planner.dialect
        determined = frame.relation.closure(group)
        for key in bare:
            name = frame.names[key]
            if name in group or any(item.name == name for item in aggregates):
                continue
            if dialect in ("postgresql", "duckdb"):
                if name not in determined:
                    raise self.planner.refuse(f"the column {key[1]}, which is neither grouped nor aggregated")
                group = [*group, name]
                continue
            if name not in determined:
                self._ambiguous(key[1])
            aggregates = [*aggregates, Aggregate("any_value", name, name)]
        return group, aggregates

    def _extreme(
        self, frame: Frame, bare: list[ColumnKey], group: list[str], aggregates: list[Aggregate]
    ) -> Aggregate | None:
        """The minimum or maximum whose row SQLite takes bare columns from, when these depend on it."""
        found = [item for item in aggregates if item.fn in ("min", "max")]
        determined = frame.relation.closure(group)
        if self.planner.dialect != "sqlite" or len(found) != 1 or all(frame.names[key] in determined for key in bare):
            return None
        return found[0] if found[0].filter is None else None

    def _ambiguous(self, name: str) -> None:
        problem = f"the column {name} is neither grouped nor aggregated, so the SQL leaves open which value it shows"
        if self.planner.strict:
            raise self.planner.refuse("an ambiguous column", None, problem)
        self.planner.warn(f"{problem[0].upper()}{problem[1:]}; the program takes any value of the group.")
