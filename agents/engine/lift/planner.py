"""From a bound query to operations: the order of SQL's clauses, one line each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.engine.lift import constants, set_operations, windows
from agents.engine.lift.conditions import where
from agents.engine.lift.correlation import Domain, Keys, Link
from agents.engine.lift.frame import Carried, Frame, Planned
from agents.engine.lift.from_clause import FromPlanner
from agents.engine.lift.grouping import Grouping
from agents.engine.lift.naming import derived_name, numbered_name
from agents.engine.lift.ordering import arrange, distinct_on, distinct_rows, sort_keys
from agents.engine.lift.program import Program
from agents.engine.lift.query import Bound, Constants, Node, Output, Query, Select, SetQuery, SortKey
from agents.engine.lift.refusals import refuse
from agents.engine.lift.relation import Relation
from agents.engine.lift.semantics import Types
from agents.engine.lift.subqueries import attach
from agents.engine.lift.totals import completed
from agents.errors import LimitExceededError
from connections.catalogue import DialectName, SemanticType, Table

_WIDE = 60


@dataclass(frozen=True, slots=True)
class Body:
    """A SELECT up to its output list: expressions over `frame`."""

    frame: Frame
    outputs: tuple[Output, ...]
    order: tuple[SortKey, ...]
    distinct_on: tuple[Node, ...] = ()


class Planner:
    """Plans one statement into `program`."""

    def __init__(self, bound: Bound, program: Program, *, text: str, strict: bool, deadline: float) -> None:
        self.queries, self.program, self.text, self.strict = dict(bound.queries), program, text, strict
        self.warnings = list(bound.warnings)
        self.types = Types(program.dialect)
        self.tables: dict[Table, Relation] = {}
        self._planned: dict[Query, Planned] = {}
        self.one_row: Frame | None = None
        self._deadline = deadline
        self._ids = 0

    @property
    def dialect(self) -> DialectName:
        return self.program.dialect

    def statement(self, query: Query) -> None:
        planned = self.rows(query, ordered=True)
        columns = list(zip(planned.columns, query.names, strict=True))
        self.program.execute(self.program.select(planned.relation, columns, "answer"))

    def rows(self, query: Query, link: Link | None = None, *, ordered: bool = False, label: str = "") -> Planned:
        """All rows of `query`; with `ordered`, in its order also where no limit needs it."""
        if link is None and query in self._planned:
            return self._planned[query]
        if time.monotonic() > self._deadline:
            raise LimitExceededError("Lifting this SQL takes too long; split it into smaller queries.")
        if isinstance(query, SetQuery):
            planned = set_operations.plan(self, query, link, ordered=ordered)
        elif isinstance(query, Constants):
            planned = constants.plan_rows(self, query, link)
        else:
            planned = self._select(query, link, ordered=ordered)
        if len(planned.relation.fields) > _WIDE > len(planned.columns):
            planned = self.project(planned, query.names)  # joins of joins would carry more and more columns along
        if label:
            planned = replace(planned, relation=self.program.rename(planned.relation, label))
        if link is None:
            self._planned[query] = planned
        return planned

    def grouped(self, select: Select, link: Link | None) -> tuple[Frame, Grouping]:
        """FROM, WHERE and GROUP BY."""
        pool = list(select.where)
        frame = FromPlanner(self, pool, link).plan(select.source)
        frame = where(self, frame, pool)
        frame = self._carry(frame, link)
        grouping = Grouping(self, select)
        return grouping.plan(frame), grouping

    def body(self, select: Select, link: Link | None) -> Body:
        """FROM, WHERE, GROUP BY, HAVING, the sub-queries and windows of the SELECT list, QUALIFY."""
        frame, grouping = self.grouped(select, link)
        if isinstance(link, Domain) and grouping.is_total:
            frame = completed(self, frame, link)
            grouping.fill_counts()
        frame = where(self, frame, [grouping.rewrite(part) for part in select.having])
        made: list[Output] = []
        for output in select.outputs:
            frame, node = self.value(frame, grouping.rewrite(output.node), output.name)
            made.append(Output(node, output.name))
        order: list[SortKey] = []
        for key in select.tail.order:
            if not isinstance(key.key, int):
                frame, node = self.value(frame, grouping.rewrite(key.key), "")
                key = replace(key, key=node)
            order.append(key)
        on: list[Node] = []
        for part in select.distinct_on:
            frame, node = self.value(frame, grouping.rewrite(part), "")
            on.append(node)
        for part in select.qualify:
            frame, node = self.value(frame, grouping.rewrite(part), "")
            frame = where(self, frame, [node])
        return Body(frame, tuple(made), tuple(order), tuple(on))

    def attach(self, frame: Frame, node: Node) -> tuple[Frame, Node]:
        """`node` with its sub-queries joined."""
        return attach(self, frame, node)

    def value(self, frame: Frame, node: Node, name: str) -> tuple[Frame, Node]:
        """`node` with its sub-queries joined and its windows computed."""
        frame, node = attach(self, frame, node)
        return windows.attach(self, frame, node, name)

    def column(self, frame: Frame, node: Node, name: str = "") -> tuple[Frame, str]:
        """The logical column that holds `node`, derived (as `name` where that is free) unless it is one already."""
        found = frame.column(node)
        if found is not None:
            return frame, found
        tree = frame.resolved(node.unnest())
        free = frame.relation.free_name(name or derived_name(tree))
        return frame.on(self.program.derive(frame.relation, free, tree)), free

    def type_of(self, frame: Frame, node: Node) -> SemanticType:
        """The type of `node`, as far as it can be told."""
        return self.program.type_of(frame.relation, frame.resolved(node))

    def new_source(self, what: str) -> str:
        """A source id for columns that planning itself makes."""
        self._ids += 1
        return f"{what}##{self._ids}"

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def warn_of_cut_median(self, frame: Frame, column: str) -> None:
        """Of decimals, DuckDB's own median cuts the half between two values; the operation keeps it."""
        if self.dialect == "duckdb" and frame.relation.by_name[column].semantic == "decimal":
            self.warn("DuckDB cuts a median of decimals to the digits of the column; the program keeps one digit more.")

    def _carry(self, frame: Frame, link: Link | None) -> Frame:
        if not isinstance(link, Keys):
            return frame
        for pair in link.pairs:
            frame, name = self.column(frame, pair.inner)
            frame = replace(frame, carried=(*frame.carried, Carried(pair.outer, name, pair.null_safe)))
        return frame

    def _select(self, select: Select, link: Link | None, *, ordered: bool) -> Planned:
        body = self.body(select, link)
        if select.distinct_on:
            return distinct_on(self, body, select)
        frame, columns = self.outputs(body.frame, body.outputs)
        keys: list[list[str]] = []
        if ordered or select.tail.cuts:
            frame, keys = sort_keys(self, frame, columns, body.order)
        planned = Planned(frame.relation, columns, frame.carried)
        if select.distinct:
            planned, keys = distinct_rows(self, planned, keys, select.names)
        return arrange(self, planned, keys, select.tail)

    def outputs(self, frame: Frame, outputs: Sequence[Output]) -> tuple[Frame, tuple[str, ...]]:
        """The logical columns of the outputs."""
        columns: list[str] = []
        for output in outputs:
            frame, name = self.column(frame, output.node, output.name)
            columns.append(name)
        return frame, tuple(columns)

    def distinct(self, planned: Planned, names: Sequence[str]) -> Planned:
        """The distinct combinations of carried columns and outputs, and nothing else: what a semi-join reads."""
        planned = self.project(planned, names)
        return replace(planned, relation=self.program.distinct(planned.relation))

    def project(self, planned: Planned, names: Sequence[str]) -> Planned:
        """`planned` with nothing but the carried columns and the outputs, these under `names`."""
        taken = {name.casefold() for name in names}
        pairs: list[tuple[str, str]] = []
        carried: list[Carried] = []
        for item in planned.carried:
            new, number = item.column, 1
            while new.casefold() in taken:
                number += 1
                new = numbered_name(item.column, number)
            taken.add(new.casefold())
            pairs.append((item.column, new))
            carried.append(replace(item, column=new))
        pairs += zip(planned.columns, names, strict=True)
        return Planned(self.program.select(planned.relation, pairs), tuple(names), tuple(carried))

    def refuse(self, construct: str, node: Node | None = None, why: str = "") -> Exception:
        return refuse(construct, node, self.text, why)
