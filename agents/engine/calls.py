"""Aggregates and windows as terms, and what aggregates need that a dialect has no function for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from agents.dsl.expressions import Expression
from agents.dsl.operations.aggregate import Aggregation
from agents.dsl.operations.window_column import IN_TURN, RANKING, SHIFTING, Bound, Frame, WindowColumn
from agents.engine.block import Block, OrderTerm
from agents.engine.dialects import Dialect
from agents.engine.dialects.base import AggregateCall
from agents.engine.terms import Term, is_same, loose, made, written
from connections.catalogue import SemanticType

Filtered = tuple[Aggregation, Expression | None]

_WHOLE = Frame("rows", Bound("preceding"), Bound("following"))


def aggregate_term(
    agg: Aggregation,
    condition: Expression | None,
    block: Block,
    dialect: Dialect,
    *,
    helpers: Mapping[str, tuple[str, ...]],
    semantic: SemanticType,
    alone: bool = False,
) -> Term:
    """`agg`, of values of the type `semantic`, over the columns of `block`; `helpers` names the columns that
    `add_helper_columns` made for it.

    `alone`: nothing beside it makes the SELECT a grouping one.
    """
    if agg.as_ in helpers:
        return _emulated(agg.fn, *(block.columns[name] for name in helpers[agg.as_]))
    column = block.columns.get(agg.column)
    fn = dialect.alone.get(agg.fn, agg.fn) if alone else agg.fn
    sorts = agg.fn == "string_agg" and dialect.ordered_aggregates
    order = [key for key in block.order if sorts and not key.term.constant]  # DuckDB refuses to sort by a constant
    if agg.distinct:  # equal texts are one, so that only the text itself can say where it goes
        order = [key for key in order[:1] if column is not None and is_same(key.term, column)]
    parts = [column, written(condition, block.columns) if condition else None]

    def build(nodes: Sequence[exp.Expr]) -> exp.Expr:
        given = iter(nodes)
        value, test = (next(given) if part is not None else None for part in parts)
        keys = [key for term, node in zip(order, given, strict=True) for key in _sorted_by(term, node, dialect)]
        return dialect.aggregate(AggregateCall(fn, value, agg.distinct, test, agg.separator, tuple(keys), semantic))

    return made(build, *(part for part in parts if part is not None), *(key.term for key in order), aggregate=True)


def _sorted_by(key: OrderTerm, node: exp.Expr, dialect: Dialect) -> list[exp.Ordered]:
    return dialect.ordered(node, key.descending, key.nulls)


# ---- Windows ---------------------------------------------------------------------------------------------------------


def window_term(operation: WindowColumn, semantic: SemanticType, block: Block, dialect: Dialect) -> Term:
    arguments = [block.columns[operation.column]] if operation.column in block.columns and operation.column else []
    partition = [block.columns[name] for name in operation.partition_by]
    order = [OrderTerm(block.columns[key.column], key.descending, key.nulls) for key in operation.order_by]
    frame = operation.frame
    if operation.follows_order and block.order:
        order = list(block.order)
        frame = frame or (_WHOLE if operation.fn in IN_TURN else None)
    literals = _literals(operation, dialect)
    ranks = operation.fn in (*RANKING, *SHIFTING)

    def build(arguments: Sequence[exp.Expr]) -> exp.Expr:
        return dialect.window_function(operation.fn, [*arguments, *(one.copy() for one in literals)], semantic)

    term = over(build, arguments, partition, order, dialect, frame=frame, ranks=ranks)
    if operation.default is None or dialect.shift_defaults:
        return term
    one = made(lambda parts: exp.Literal.number(1))
    reached = over(build, [one], partition, order, dialect, ranks=ranks)
    default = dialect.literal(operation.default)
    return made(lambda parts: _or_default(parts[0], parts[1], default.copy()), reached, term)


def _or_default(reached: exp.Expr, value: exp.Expr, default: exp.Expr) -> exp.Expr:
    """`value`, or `default` where there is no row to take it from; a NULL of a row that is there stays NULL."""
    is_there = exp.Not(this=exp.Is(this=reached, expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=is_there, true=value)], default=default)


def over(
    call: Callable[[Sequence[exp.Expr]], exp.Expr],
    arguments: Sequence[Term],
    partition: Sequence[Term],
    order: Sequence[OrderTerm],
    dialect: Dialect,
    *,
    frame: Frame | None = None,
    ranks: bool = False,
) -> Term:
    """`call(arguments) OVER (PARTITION BY partition ORDER BY order frame)`."""
    first, second = len(arguments), len(arguments) + len(partition)

    def build(nodes: Sequence[exp.Expr]) -> exp.Expr:
        keys = [
            key for term, node in zip(order, nodes[second:], strict=True) for key in _sorted_by(term, node, dialect)
        ]
        return dialect.over(call(nodes[:first]), nodes[first:second], keys, frame, ranks)

    return made(build, *arguments, *partition, *(key.term for key in order), window=True)


def _literals(operation: WindowColumn, dialect: Dialect) -> list[exp.Expr]:
    if operation.fn == "ntile":
        return [dialect.literal(operation.n)]
    if operation.fn not in SHIFTING or (operation.offset is None and operation.default is None):
        return []
    offset = [dialect.literal(1 if operation.offset is None else operation.offset)]
    if operation.default is None or not dialect.shift_defaults:
        return offset
    return [*offset, dialect.literal(operation.default)]


# ---- Aggregates that a dialect lacks ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Helped:
    """`names` gives, by the aggregate's result column, the columns that its emulation reads."""

    block: Block
    names: dict[str, tuple[str, ...]]


def add_helper_columns(
    aggs: Sequence[Filtered],
    group_by: Sequence[str],
    block: Block,
    dialect: Dialect,
    step: Callable[[Block], Block],
) -> Helped:
    """Give every row what an aggregate without a function of its own needs, in a step before the grouping.

    median: the row's place among the values of its group, and how many there are. stddev and variance: the group's
    mean; sums of squared distances from it are exact where sums of squares would cancel out.
    """
    missing = [(agg, condition) for agg, condition in aggs if agg.fn in dialect.emulated]
    if not missing:
        return Helped(block, {})
    keys = [block.columns[name] for name in group_by]
    if not block.takes_window([*block.columns.values()]):
        block = step(block)
        keys = [block.columns[name] for name in group_by]
    names = {}
    for agg, condition in missing:
        columns = _helpers(agg, condition, keys, block, dialect)
        names[agg.as_] = tuple(_add(block, f"{agg.as_}_{what}", term) for what, term in columns.items())
    return Helped(step(block), names)


def _helpers(
    agg: Aggregation, condition: Expression | None, keys: Sequence[Term], block: Block, dialect: Dialect
) -> dict[str, Term]:
    value = block.columns[agg.column]
    if condition is not None:
        value = made(_case, written(condition, block.columns), value)
    if agg.fn != "median":
        return {"value": value, "mean": over(_call("AVG"), [value], keys, [], dialect)}
    is_null = made(lambda parts: exp.Is(this=parts[0], expression=exp.Null()), value)
    place = over(_call("ROW_NUMBER"), [], [*keys, is_null], [OrderTerm(value, False, "")], dialect, ranks=True)
    return {"value": value, "place": place, "count": over(_call("COUNT"), [value], keys, [], dialect)}


def _emulated(fn: str, value: Term, *others: Term) -> Term:
    build = {"median": _median, "variance": _variance, "stddev": _stddev}[fn]
    return made(build, value, *others, aggregate=True)


def _median(parts: Sequence[exp.Expr]) -> exp.Expr:
    """The mean of the one or two values in the middle: those whose doubled place is from count to count + 2."""
    value, place, count = parts
    doubled = exp.Mul(this=place, expression=exp.Literal.number(2))
    above = exp.Add(this=count.copy(), expression=exp.Literal.number(2))
    middle = exp.Case(ifs=[exp.If(this=exp.Between(this=doubled, low=count, high=above), true=value)])
    return exp.Anonymous(this="AVG", expressions=[middle])


def _variance(parts: Sequence[exp.Expr]) -> exp.Expr:
    """Dividing by zero gives NULL, as a sample of one value should."""
    value, mean = parts
    distance = exp.Paren(this=exp.Sub(this=value, expression=mean))
    squares = exp.Anonymous(this="SUM", expressions=[exp.Mul(this=distance, expression=distance.copy())])
    fewer = exp.Sub(this=_call("COUNT")([value.copy()]), expression=exp.Literal.number(1))
    return exp.Paren(this=exp.Div(this=squares, expression=exp.Paren(this=fewer)))


def _stddev(parts: Sequence[exp.Expr]) -> exp.Expr:
    return exp.Anonymous(this="SQRT", expressions=[loose(_variance(parts))])


def _case(parts: Sequence[exp.Expr]) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=loose(parts[0]), true=loose(parts[1]))])


def _call(name: str) -> Callable[[Sequence[exp.Expr]], exp.Expr]:
    return lambda parts: exp.Anonymous(this=name, expressions=list(parts))


def _add(block: Block, name: str, term: Term) -> str:
    """Add a column under a name that is still free, and return the name."""
    free, count = name, 1
    while free in block.columns:
        count += 1
        free = f"{name}_{count}"
    block.columns[free] = term
    return free
