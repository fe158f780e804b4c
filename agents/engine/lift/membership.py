"""IN, NOT IN, ANY and ALL with SQL's three-valued logic.

`x IN S` is true where x equals an element; else NULL where x is NULL or S holds a NULL, unless S is empty; else false.
So a match is found by joining the distinct elements, and where NULLs can matter the sizes of S are joined, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift import existence
from agents.engine.lift.correlation import equals_one, join_back, linked
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.program import Aggregate
from agents.engine.lift.query import Node, Query, Select, Source, Tail, column, columns_of

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

_LOWEST_DECIDES = ((exp.Any, (exp.GT, exp.GTE)), (exp.All, (exp.LT, exp.LTE)))
_HIGHEST_DECIDES = ((exp.Any, (exp.LT, exp.LTE)), (exp.All, (exp.GT, exp.GTE)))


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Columns with the number of elements and of those that are not NULL; NULL for no elements where correlated."""

    rows: Node
    values: Node
    correlated: bool

    @property
    def empty(self) -> Node:
        if self.correlated:
            return exp.Is(this=self.rows.copy(), expression=exp.Null())
        return exp.EQ(this=self.rows.copy(), expression=exp.Literal.number(0))

    @property
    def without_null(self) -> Node:
        return exp.EQ(this=self.rows.copy(), expression=self.values.copy())


def semi_join(planner: Planner, frame: Frame, operand: Node, query: Query) -> Frame:
    """The rows of `frame` whose `operand` is an element of `query`."""
    operands = _operands(planner, operand, query)
    if not _equal_one(planner, frame, operands, query):
        found = existence.semi_join(planner, frame, _rows_where(planner, operands, query, _equal))
        assert found is not None
        return found
    elements = _elements(planner, frame, query)
    return join_back(planner, frame, elements, "inner", list(zip(operands, elements.columns, strict=True)))[0]


def not_in(planner: Planner, frame: Frame, operand: Node, query: Query) -> tuple[Frame, Node]:
    """A condition that is true exactly where `operand NOT IN query` is true, and else false."""
    if _may_be_unknown(planner, frame, operand, query):
        return _no_row_like(planner, frame, operand, query)
    frame, _, outside = _outside(planner, frame, operand, query)
    return frame, outside


def _may_be_unknown(planner: Planner, frame: Frame, operand: Node, query: Query) -> bool:
    """Whether it is a row of values, any of which may be NULL."""
    operands = _operands(planner, operand, query)
    if len(operands) == 1:
        return False
    elements = _elements(planner, frame, query)
    found = [elements.relation.by_name[name].nullable for name in elements.columns]
    return any(found) or any(_nullable(frame, node) for node in operands)


def _no_row_like(planner: Planner, frame: Frame, operand: Node, query: Query) -> tuple[Frame, Node]:
    """`(a, b) NOT IN query` is true where each row of `query` differs for certain: in a value that both have."""
    rows = _rows_where(planner, _operands(planner, operand, query), query, _equal_or_null)
    return existence.flag(planner, frame, rows, "true", negated=True)


def _rows_where(
    planner: Planner, operands: Sequence[Node], query: Query, condition: Callable[[Node, Node], Node]
) -> Select:
    """The rows of `query` of which every value and the operand that belongs to it fulfil `condition`."""
    source = Source(planner.new_source("elements"), "elements", query.names, query)
    pairs = zip(operands, query.names, strict=True)
    conditions = tuple(condition(mine.copy(), column(source.id, name)) for mine, name in pairs)
    read = frozenset(key for node in operands for key in columns_of(node))
    return Select(source, conditions, None, (), (), (), False, (), Tail(), query.free | read)


def _equal(mine: Node, theirs: Node) -> Node:
    return exp.EQ(this=mine, expression=theirs)


def _equal_or_null(mine: Node, theirs: Node) -> Node:
    same: Node = _equal(mine.copy(), theirs)
    for side in (mine, theirs):
        same = exp.or_(same, exp.Is(this=side.copy(), expression=exp.Null()), copy=False)
    return exp.paren(same, copy=False)


def _equal_one(planner: Planner, frame: Frame, operands: Sequence[Node], query: Query) -> bool:
    """Whether each operand equals one element at most, so that a join with the distinct elements repeats no row."""
    types = (planner.types.output(query, position) for position in range(len(operands)))
    return all(equals_one(planner, frame, mine, theirs) for mine, theirs in zip(operands, types, strict=True))


def _outside(planner: Planner, frame: Frame, operand: Node, query: Query) -> tuple[Frame, Node, Node]:
    """Conditions: that `operand` equals no element, and that of `not_in`."""
    operands = _operands(planner, operand, query)
    elements = _elements(planner, frame, query)
    left_null = any(_nullable(frame, node) for node in operands)
    right_null = any(elements.relation.by_name[name].nullable for name in elements.columns)
    if len(operands) > 1 and (left_null or right_null):
        raise planner.refuse("NOT IN of row values that may be NULL as a value", operand)
    frame, missing = _missing(planner, frame, operands, query, elements)
    if not left_null and not right_null:
        return frame, missing, missing
    frame, sizes = _sizes(planner, frame, elements)
    parts = [missing.copy()]
    if left_null:
        parts.append(exp.Not(this=exp.Is(this=operands[0].copy(), expression=exp.Null())))
    if right_null:
        parts.append(sizes.without_null)
    return frame, missing, exp.paren(exp.or_(sizes.empty, exp.and_(*parts, copy=False), copy=False), copy=False)


def flag(planner: Planner, frame: Frame, operand: Node, query: Query, want: str) -> tuple[Frame, Node]:
    """`operand IN query` as an expression."""
    if want == "true":
        frame, missing = _missing(planner, frame, _operands(planner, operand, query), query)
        return frame, exp.Not(this=missing)
    frame, missing, outside = _outside(planner, frame, operand, query)
    if want == "false" or outside is missing:
        return frame, exp.Not(this=outside)
    inside = exp.Not(this=missing)
    return frame, _case([(inside, exp.true()), (outside, exp.false())], None)


def quantified(planner: Planner, frame: Frame, operand: Node, node: exp.Binary, want: str) -> tuple[Frame, Node]:
    """A comparison with ANY or ALL of a sub-query."""
    quantifier = node.expression
    query = planner.queries[quantifier.this.name]
    if isinstance(node, exp.EQ) and isinstance(quantifier, exp.Any):
        return flag(planner, frame, operand, query, want)
    if isinstance(node, exp.NEQ) and isinstance(quantifier, exp.All):
        if want == "true":
            return not_in(planner, frame, operand, query)
        frame, inside = flag(planner, frame, operand, query, "exact")
        return frame, exp.Not(this=exp.paren(inside, copy=False))
    frame, sizes, extremes = _extremes(planner, frame, query, _deciding(quantifier, node))
    sides = [type(node)(this=operand.copy(), expression=extreme) for extreme in extremes]
    # All elements are equal to x if the lowest and the highest are; one of them differs from x if any does.
    join = exp.and_ if isinstance(quantifier, exp.All) else exp.or_
    decided = join(*sides, copy=False)
    unknown = exp.or_(
        exp.Is(this=operand.copy(), expression=exp.Null()), exp.Not(this=exp.paren(sizes.without_null)), copy=False
    )
    if isinstance(quantifier, exp.Any):
        return frame, _case([(decided, exp.true()), (sizes.empty, exp.false()), (unknown, exp.null())], exp.false())
    failed = exp.Not(this=exp.paren(decided, copy=False))
    return frame, _case([(sizes.empty, exp.true()), (failed, exp.false()), (unknown, exp.null())], exp.true())


def _deciding(quantifier: Node, node: Node) -> tuple[str, ...]:
    for fn, table in (("min", _LOWEST_DECIDES), ("max", _HIGHEST_DECIDES)):
        if any(isinstance(quantifier, kind) and isinstance(node, signs) for kind, signs in table):
            return (fn,)
    return ("min", "max")


def _operands(planner: Planner, operand: Node, query: Query) -> list[Node]:
    operand = operand.unnest()
    operands = list(operand.expressions) if isinstance(operand, exp.Tuple) else [operand]
    if len(operands) != len(query.names):
        raise planner.refuse(f"IN of {len(operands)} values in {len(query.names)} columns", operand)
    return operands


def _elements(planner: Planner, frame: Frame, query: Query) -> Planned:
    """The distinct elements (for each combination of carried columns)."""
    names = query.names
    query, link = linked(planner, frame, query)
    planned = planner.rows(query, link)
    return planner.distinct(planned, names)


def _missing(
    planner: Planner, frame: Frame, operands: Sequence[Node], query: Query, elements: Planned | None = None
) -> tuple[Frame, Node]:
    """The condition that `operands` equal no element. `elements` are those of `query`, where they are planned."""
    if not _equal_one(planner, frame, operands, query):
        rows = _rows_where(planner, operands, query, _equal)
        return existence.flag(planner, frame, rows, "true", negated=True)
    elements = elements or _elements(planner, frame, query)
    also = list(zip(operands, elements.columns, strict=True))
    frame, names = join_back(planner, frame, elements, "left", also)
    source = planner.new_source("match")
    found = elements.columns[0]
    frame = replace(frame, names={**frame.names, (source, found): names[found]})
    return frame, exp.Is(this=column(source, found), expression=exp.Null())


def _sizes(planner: Planner, frame: Frame, elements: Planned) -> tuple[Frame, _Sizes]:
    frame, sizes, _ = _statistics(planner, frame, elements, ())
    return frame, sizes


def _extremes(
    planner: Planner, frame: Frame, query: Query, functions: Sequence[str]
) -> tuple[Frame, _Sizes, list[Node]]:
    query, link = linked(planner, frame, query)
    return _statistics(planner, frame, planner.rows(query, link), functions)


def _statistics(
    planner: Planner, frame: Frame, elements: Planned, functions: Sequence[str]
) -> tuple[Frame, _Sizes, list[Node]]:
    group = list(dict.fromkeys(item.column for item in elements.carried))
    value = elements.columns[0]
    aggregates = [Aggregate("count", "*", "elements"), Aggregate("count", value, "elements_not_null")]
    aggregates += [Aggregate(fn, value, f"{fn}_element") for fn in functions]
    counted = planner.program.aggregate(elements.relation, group, aggregates)
    how = "left" if group else "cross"
    frame, names = join_back(planner, frame, Planned(counted, (), elements.carried), how)
    source = planner.new_source("sizes")
    mapped = {(source, item.name): names[item.name] for item in aggregates}
    made: list[Node] = [column(source, item.name) for item in aggregates]
    frame = replace(frame, names={**frame.names, **mapped})
    return frame, _Sizes(made[0], made[1], bool(group)), made[2:]


def _nullable(frame: Frame, node: Node) -> bool:
    if isinstance(node, exp.Literal):
        return False
    found = frame.column(node)
    return found is None or frame.relation.by_name[found].nullable


def _case(branches: Sequence[tuple[Node, Node]], default: Node | None) -> Node:
    return exp.Case(ifs=[exp.If(this=test, true=value) for test, value in branches], default=default)
