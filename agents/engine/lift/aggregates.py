"""One aggregate call of SQL as an item of the `aggregate` operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from agents.engine.lift import tuple_counts
from agents.engine.lift.binding_order import nulls_of
from agents.engine.lift.calls import call_name
from agents.engine.lift.frame import Frame
from agents.engine.lift.naming import derived_name, named_after
from agents.engine.lift.program import Aggregate
from agents.engine.lift.query import Node, enclosed
from agents.engine.lift.subqueries import attach
from connections.catalogue import DialectName

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

Made = Callable[[Node], Node]  # from the aggregate's column to what the call stands for

_SAME = {
    "avg": "avg", "count": "count", "max": "max", "min": "min", "sum": "sum", "total": "sum", "median": "median",
    "stddev": "stddev", "stddev_samp": "stddev", "variance": "variance", "var_samp": "variance",
    "group_concat": "string_agg", "string_agg": "string_agg", "listagg": "string_agg", "any_value": "any_value",
    "bool_or": "max", "bool_and": "min", "every": "min",
}  # fmt: skip
_NUMERIC = frozenset({"sum", "avg", "median", "stddev", "variance"})
_SUMMABLE = frozenset({"integer", "decimal", "float", "boolean", "interval", "unknown"})
TRUTHS = frozenset({"bool_or", "bool_and", "every"})


def aggregate_of(
    planner: Planner, frame: Frame, call: Node, wanted: str, group: Sequence[str]
) -> tuple[Frame, Aggregate, Made]:
    """The item for `call` in each `group`, its argument derived where it is no column."""
    condition, call_only = _filter(call)
    name, arguments, distinct, order = _parts(planner, call_only)
    if name in ("count_if", "countif") and arguments and not distinct:  # no count: over nothing DuckDB says NULL
        name, arguments = "sum", [as_number(arguments[0])]
    fn = operation_of(name, planner.dialect)
    if not fn:
        raise planner.refuse(f"the aggregate {name}", call, "no operation computes it")
    ready: Node | None = None
    if condition is not None:
        frame, attached = attach(planner, frame, condition, "true")
        ready = frame.resolved(attached)
    if name == "count" and distinct and tuple_counts.values_of(arguments):
        frame, item = tuple_counts.counted(planner, frame, arguments, ready, group, wanted or "combinations")
        return frame, item, meaning(name)
    if order and not distinct:
        frame = _ordered(planner, frame, order, call)
    frame, column = _argument(planner, frame, name, fn, arguments, distinct)
    if order and distinct:
        frame = _ordered_by_itself(planner, frame, order, arguments[0], column, call)
    if name == "count" and distinct:
        fn, distinct = "count_distinct", False
    item = Aggregate(
        fn, column, wanted or _name_of(name, column), distinct, ready, _further(planner, fn, arguments[1:])
    )
    return frame, item, meaning(name)


def operation_of(name: str, dialect: DialectName) -> str:
    """The `fn` that computes the aggregate `name`, "" for none. MySQL's STDDEV is that of a population."""
    return "" if dialect == "mysql" and name in ("stddev", "variance") else _SAME.get(name, "")


def _filter(call: Node) -> tuple[Node | None, Node]:
    if isinstance(call, exp.Filter):
        return call.expression.this, call.this
    return None, call


def _parts(planner: Planner, call: Node) -> tuple[str, list[Node], bool, list[exp.Ordered]]:
    """The name, the arguments, whether they are DISTINCT, and the keys of ORDER BY among them."""
    if isinstance(call, exp.WithinGroup):
        return _percentile(planner, call)
    name = call_name(call)
    if isinstance(call, exp.GroupConcat):
        arguments = [call.this, *([call.args["separator"]] if call.args.get("separator") else [])]
    else:
        arguments = list(call.expressions)
    order: list[exp.Ordered] = []
    for position, argument in enumerate(arguments):
        if isinstance(argument, exp.Order):
            order += argument.expressions
            arguments[position] = argument.this
    if arguments and isinstance(arguments[0], exp.Distinct):
        return name, [*arguments[0].expressions, *arguments[1:]], True, order
    return name, arguments, False, order


def _ordered(planner: Planner, frame: Frame, order: list[exp.Ordered], call: Node) -> Frame:
    """ORDER BY inside an aggregate: texts are joined in the order of the relation."""
    if _is_sorted(planner, frame, order, call):
        return frame
    keys: list[list[str]] = []
    for term in order:
        frame, name = planner.column(frame, term.this)
        keys.append(_key(planner, term, name))
    return _sorted(planner, frame, order, keys)


def _ordered_by_itself(
    planner: Planner, frame: Frame, order: list[exp.Ordered], argument: Node, column: str, call: Node
) -> Frame:
    """Of equal texts one is left, so that nothing but the texts themselves, in `column`, can order them."""
    if order[0].this != argument:
        raise planner.refuse("DISTINCT texts in another order than their own", order[0])
    if _is_sorted(planner, frame, order[:1], call):
        return frame
    return _sorted(planner, frame, order[:1], [_key(planner, order[0], column)])


def _is_sorted(planner: Planner, frame: Frame, order: Sequence[exp.Ordered], call: Node) -> bool:
    """Whether another aggregate has asked for the same order. One of a derived table gives way to it."""
    if frame.relation.sorted_for not in ("", _written(order)):
        raise planner.refuse("aggregates in more than one order", call, "a relation has one order")
    return bool(frame.relation.sorted_for)


def _sorted(planner: Planner, frame: Frame, order: Sequence[exp.Ordered], keys: list[list[str]]) -> Frame:
    return frame.on(replace(planner.program.order(frame.relation, keys), sorted_for=_written(order)))


def _written(order: Sequence[exp.Ordered]) -> str:
    return ", ".join(term.sql() for term in order)


def _key(planner: Planner, term: exp.Ordered, column: str) -> list[str]:
    nulls = nulls_of(term, planner.dialect)
    return [column, "desc" if term.args.get("desc") else "asc", *([nulls] if nulls else [])]


def _percentile(planner: Planner, call: exp.WithinGroup) -> tuple[str, list[Node], bool, list[exp.Ordered]]:
    """The median is the percentile that the operations know."""
    inner = call.this
    share, keys = next(iter(inner.expressions), None), call.expression.expressions
    half = isinstance(share, exp.Literal) and not share.is_string and share.name.strip("0") == ".5"
    if call_name(inner) != "percentile_cont" or not half or len(keys) != 1:
        raise planner.refuse(f"the aggregate {call_name(inner)}", call, "no operation computes it")
    return "median", [keys[0].this], False, []


def _argument(
    planner: Planner, frame: Frame, name: str, fn: str, arguments: list[Node], distinct: bool
) -> tuple[Frame, str]:
    if name == "count" and not distinct and _counts_rows(arguments):
        return frame, "*"
    if not arguments or isinstance(arguments[0], exp.Star):
        raise planner.refuse(f"{name} without a column")
    if len(arguments) > 1 and fn != "string_agg":
        raise planner.refuse(f"{name} of several columns", arguments[0])
    frame, node = attach(planner, frame, arguments[0])
    node = as_number(node) if name in TRUTHS else summed(planner, frame, fn, node)
    frame, column = planner.column(frame, node, derived_name(frame.resolved(node)))
    if fn == "median":
        planner.warn_of_cut_median(frame, column)
    return frame, column


def summed(planner: Planner, frame: Frame, fn: str, node: Node) -> Node:
    """`node` as the aggregate `fn` takes it: SQLite and MySQL read numbers out of texts, which the language refuses.

    SQLite's sums of texts depend on how they are written (REAL for '12kg', and '1' is not '01' in SUM(DISTINCT …)), so
    there the text stays, only its type is hidden.
    """
    if fn not in _NUMERIC or planner.dialect not in ("sqlite", "mysql"):
        return node
    if planner.type_of(frame, node) in _SUMMABLE:
        return node
    if planner.dialect == "sqlite" and fn in ("sum", "avg"):
        return exp.Anonymous(this="likely", expressions=[node.copy()])
    return exp.Add(this=enclosed(node), expression=exp.Literal.number(0))


def _counts_rows(arguments: list[Node]) -> bool:
    return not arguments or isinstance(arguments[0], exp.Star | exp.Literal)


def as_number(node: Node) -> Node:
    """A truth value as 1, 0 or NULL."""
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    return exp.Case(
        ifs=[exp.If(this=node.copy(), true=one), exp.If(this=exp.Not(this=exp.paren(node)), true=zero)]
    )


def _further(planner: Planner, fn: str, arguments: list[Node]) -> dict[str, Any]:
    if fn != "string_agg" or not arguments:
        return {}
    separator = arguments[0].unnest()
    if not isinstance(separator, exp.Literal) or not separator.is_string:
        raise planner.refuse("a separator that is no text", separator)
    return {"separator": separator.name}


def meaning(name: str) -> Made:
    """What the aggregate `name` makes of its column, where that is not the column itself."""
    if name == "total":
        return lambda made: exp.Anonymous(this="coalesce", expressions=[made, exp.Literal.number("0.0")])
    if name in TRUTHS:
        return lambda made: exp.paren(exp.EQ(this=made, expression=exp.Literal.number(1)))
    return lambda made: made


def _name_of(name: str, column: str) -> str:
    return name if column == "*" else named_after(name, column)
