from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from agents.dsl.arguments import BOOLEAN, EXPRESSION, HANDLE, NAME, NEW_NAME, TEXT, argument, choice, list_of, record
from agents.dsl.expressions import Expression, parse_predicate
from agents.dsl.names import quoted
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Columns, Relation, RelColumn, Scope, collected
from agents.dsl.type_rules import aggregated, check_aggregate
from agents.errors import DuplicateColumnError, InvalidArgumentError

AGGREGATE_FUNCTIONS = (
    "count", "count_distinct", "sum", "avg", "min", "max", "median", "stddev", "variance", "string_agg",
)  # fmt: skip
# Any value of the group. Lifting needs it: SQLite and MySQL let a SELECT show columns that are neither grouped nor
# aggregated, and nothing else carries them without a second pass.
ANY_VALUE = "any_value"


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One aggregate: `fn` over `column` ("*" for all rows), of the rows for which `filter` is true."""

    fn: str = argument(choice(*AGGREGATE_FUNCTIONS, ANY_VALUE))
    column: str = argument(NAME)
    as_: str = argument(NEW_NAME)
    distinct: bool = argument(BOOLEAN, default=False)
    filter: str | None = argument(EXPRESSION, default=None)
    separator: str = argument(TEXT, default=",")


_SHAPE = '{"fn", "column", "as", "distinct"?, "filter"?, "separator"?}'


@dataclass(frozen=True)
class Aggregate(RelationOperation):
    """One row for each group: the `group_by` columns, then the aggregates. With no `group_by`, exactly one row.

    Each of `aggs` is `{"fn", "column", "as", "distinct"?, "filter"?}`; `filter` is an expression that chooses the rows.
    `fn`: count (`column` may be `*`), count_distinct, sum, avg, min, max, median, stddev and variance (of a sample),
    string_agg, which joins texts with `separator` (","), in the order of the relation where it has one (distinct texts
    only where it is sorted by them), and any_value, the value of any row of the group. The order is dropped.
    """

    name: ClassVar[str] = "aggregate"
    example: ClassVar[str] = (
        '{"rel": "o", "group_by": ["city"], "aggs": [{"fn": "sum", "column": "total", '
        '"as": "revenue"}]}'
    )

    rel: str = argument(HANDLE)
    group_by: tuple[str, ...] = argument(list_of(NAME), default=())
    aggs: tuple[Aggregation, ...] = argument(list_of(record(Aggregation, _SHAPE)), default=())

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        available = Columns(source)
        groups = [available[name] for name in self.group_by]
        if not groups and not self.aggs:
            raise InvalidArgumentError(
                f"An aggregate needs 'group_by' columns or 'aggs' ({_SHAPE}). Signature: {self.signature()}."
            )
        aggs, made, filters = [], [], []
        for agg in self.aggs:
            column = self._column(agg, available, scope)
            aggs.append(replace(agg, column=column.name if column else "*"))
            made.append(aggregated(agg.fn, column, scope.new_name(agg.as_, "The name of an aggregate")))
            filters += self._filter(agg, source, scope)
        columns = collected([*_once(groups, self.signature()), *made], f"Signature: {self.signature()}.")
        return Relation(
            operation=replace(self, group_by=tuple(column.name for column in groups), aggs=tuple(aggs)),
            handle=scope.handle,
            inputs=inputs,
            columns=columns,
            expressions=tuple(filters),
            unique=(frozenset(column.name for column in groups),),
            notes=(
                *available.notes,
                *(note for expression in filters for note in expression.notes),
                *(self._order_note(agg) for agg in aggs if source.ordered and agg.fn == "string_agg" and agg.distinct),
            ),
        )

    def _column(self, agg: Aggregation, available: Columns, scope: Scope) -> RelColumn | None:
        scope.require(f"aggregate {agg.fn}")
        if agg.distinct:
            scope.require(f"distinct {agg.fn}")
        if agg.fn == "string_agg" and agg.distinct and agg.separator != ",":
            scope.require("string_agg of distinct texts with a separator other than ','")
        if agg.fn == ANY_VALUE and (agg.distinct or agg.filter is not None):
            problem = "any_value takes neither 'distinct' nor 'filter'"
            raise InvalidArgumentError(f"{problem}. Signature: {self.signature()}.")
        if agg.column == "*" and "*" not in available.relation.columns:
            if agg.fn != "count" or agg.distinct:
                raise InvalidArgumentError(
                    f"The column * goes with count alone; {'distinct ' * agg.distinct}{agg.fn} needs a column. "
                    f"Signature: {self.signature()}."
                )
            return None
        column = available[agg.column]
        check_aggregate(agg.fn, column, scope.dialect, self.signature())
        return column

    def _order_note(self, agg: Aggregation) -> str:
        what = f"the distinct texts of {quoted(agg.as_)} are joined in the order of {quoted(self.rel)}"
        return f"{what} only if it is sorted by {quoted(agg.column)} first, otherwise in any order"

    def _filter(self, agg: Aggregation, source: Relation, scope: Scope) -> list[Expression]:
        if agg.filter is None:
            return []
        return [parse_predicate(agg.filter, source.columns, scope.dialect, argument="filter")]

    def filtered(self, relation: Relation, wanted: frozenset[str]) -> list[tuple[Aggregation, Expression | None]]:
        """Those of `aggs` whose result is `wanted`, each with its parsed filter."""
        parsed = iter(relation.expressions)
        pairs = [(agg, next(parsed) if agg.filter is not None else None) for agg in self.aggs]
        return [(agg, condition) for agg, condition in pairs if agg.as_ in wanted]

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        wanted = set(self.group_by)
        aggs = self.filtered(relation, asked.columns)
        for agg, condition in aggs:
            wanted |= {agg.column} & relation.inputs[0].columns.keys()
            wanted |= set(condition.columns if condition else ())
        return (Need(frozenset(wanted), any(agg.fn == "string_agg" for agg, _ in aggs)),)


def _once(groups: list[RelColumn], signature: str) -> list[RelColumn]:
    names = [column.name for column in groups]
    if len(set(names)) < len(names):
        raise DuplicateColumnError(f"'group_by' names a column twice: {', '.join(names)}. Signature: {signature}.")
    return groups
