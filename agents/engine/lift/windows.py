"""Window functions: each becomes a `window_column`, its arguments and keys derived where they are no columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from agents.engine.lift import interval_frames
from agents.engine.lift.aggregates import TRUTHS, as_number, meaning, operation_of, summed
from agents.engine.lift.binding_order import nulls_of
from agents.engine.lift.calls import call_name, has_window
from agents.engine.lift.frame import Frame
from agents.engine.lift.query import Node, column
from connections.allowed import WINDOWS

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

_SHIFTS = frozenset({"lag", "lead"})
_FRAMELESS = _SHIFTS | {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}
_OF_EQUALS = {"rank": "1", "dense_rank": "1", "percent_rank": "0.0", "cume_dist": "1.0"}
_ALL_ROWS = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def attach(planner: Planner, frame: Frame, node: Node, wanted: str) -> tuple[Frame, Node]:
    """`node` with its windows as columns; `wanted` names the column when the node is nothing but a window."""
    if not has_window(node):
        return frame, node
    node = node.copy()
    for window in list(node.find_all(exp.Window)):
        frame, made = _planned(planner, frame, window, wanted if window is node else "")
        if window is node:
            return frame, made
        window.replace(made)
    return frame, node


def _planned(planner: Planner, frame: Frame, window: exp.Window, wanted: str) -> tuple[Frame, Node]:
    key = ("window", window.sql())
    if key in frame.attached:
        return frame, frame.attached[key].copy()
    frame, fn, arguments = _call(planner, frame, window)
    frame, partition = _columns(planner, frame, window.args.get("partition_by") or [])
    partition = list(dict.fromkeys((*frame.carried_columns, *partition)))
    if partition:
        arguments["partition_by"] = partition
    framed = fn not in _FRAMELESS  # SQL takes a frame beside those, too, and does not look at it
    timed = interval_frames.in_seconds(planner, window) if framed else window
    frame, keys = _order(planner, frame, timed)
    if fn in _OF_EQUALS and not keys:  # in no order all rows have the same rank
        return frame, exp.Literal.number(_OF_EQUALS[fn])
    if keys:
        arguments["order_by"] = keys
    if framed and timed.args.get("spec") is not None:
        arguments["frame"] = _frame(planner, timed.args["spec"])
        _check_order(planner, window, arguments, frame.relation.ordered)
    name = frame.relation.free_name(wanted or fn)
    relation = planner.program.window(frame.relation, name, fn, arguments)
    source = planner.new_source("window")
    made = meaning(call_name(_bare(window)))(column(source, name))
    names = {**frame.names, (source, name): name}
    return replace(frame, relation=relation, names=names, attached={**frame.attached, key: made}), made


def _bare(window: exp.Window) -> Node:
    """The call without FILTER."""
    call: Node = window.this
    return call.this if isinstance(call, exp.Filter) else call


def _call(planner: Planner, frame: Frame, window: exp.Window) -> tuple[Frame, str, dict[str, Any]]:
    call = _bare(window)
    condition = window.this.expression.this if call is not window.this else None
    if isinstance(call, exp.IgnoreNulls | exp.RespectNulls):
        raise planner.refuse("IGNORE NULLS in a window", window)
    name, operands = call_name(call), list(call.expressions)
    if isinstance(call, exp.GroupConcat):
        operands = [call.this, *([call.args["separator"]] if call.args.get("separator") else [])]
    if operands and isinstance(operands[0], exp.Distinct):
        raise planner.refuse("DISTINCT in a window", window)
    if operands and isinstance(operands[0], exp.IgnoreNulls | exp.RespectNulls):
        raise planner.refuse("IGNORE NULLS in a window", window)
    if name in ("count_if", "countif") and condition is None and operands:
        condition, name, operands = operands[0], "count", []
    fn = name if name in WINDOWS - {"nth_value"} else operation_of(name, planner.dialect)
    if not fn or fn == "any_value":
        raise planner.refuse(f"the window function {name}", window, "no operation computes it")
    if name in TRUTHS and operands:
        operands[0] = as_number(operands[0])
    if any(isinstance(part, exp.Order) for part in operands):
        raise planner.refuse("ORDER BY inside a window's aggregate", window)
    if fn == "string_agg" and [part.name for part in operands[1:]] not in ([], [","]):
        raise planner.refuse("a window that joins texts with another separator than a comma", window)
    return _arguments(planner, frame, fn, operands, condition)


def _arguments(
    planner: Planner, frame: Frame, fn: str, operands: list[Node], condition: Node | None
) -> tuple[Frame, str, dict[str, Any]]:
    arguments: dict[str, Any] = {}
    if fn == "ntile":
        arguments["n"] = _number(planner, next(iter(operands), None))
        return frame, fn, arguments
    counted = exp.Star | exp.Literal if fn == "count" else exp.Star
    whole = not operands or isinstance(operands[0], counted)
    if whole and (fn != "count" or condition is None):
        if fn == "count":
            arguments["column"] = "*"
        return frame, fn, arguments
    value: Node = exp.Literal.number(1) if whole else summed(planner, frame, fn, operands[0])
    if condition is not None:
        value = exp.Case(ifs=[exp.If(this=condition, true=value)])
    frame, arguments["column"] = planner.column(frame, value)
    if fn == "median":
        planner.warn_of_cut_median(frame, arguments["column"])
    if fn in _SHIFTS and len(operands) > 1:
        arguments["offset"] = _number(planner, operands[1])
    if fn in _SHIFTS and len(operands) > 2:
        arguments["default"] = _constant(planner, operands[2])
    return frame, fn, arguments


def _columns(planner: Planner, frame: Frame, nodes: list[Node]) -> tuple[Frame, list[str]]:
    names: list[str] = []
    for node in nodes:
        frame, name = planner.column(frame, node)
        names.append(name)
    return frame, names


def _order(planner: Planner, frame: Frame, window: exp.Window) -> tuple[Frame, list[list[str]]]:
    keys: list[list[str]] = []
    order = window.args.get("order")
    for term in order.expressions if order is not None else []:
        if isinstance(term.this, exp.Literal | exp.Null):
            continue
        frame, name = planner.column(frame, term.this)
        nulls = nulls_of(term, planner.dialect)
        keys.append([name, "desc" if term.args.get("desc") else "asc", *([nulls] if nulls else [])])
    return frame, keys


def _frame(planner: Planner, spec: exp.WindowSpec) -> str:
    """The frame as SQL writes it."""
    if spec.args.get("exclude"):
        raise planner.refuse("EXCLUDE in a window frame", spec)
    start = _bound(planner, spec.args.get("start"), spec.args.get("start_side"))
    end = _bound(planner, spec.args.get("end"), spec.args.get("end_side"))
    kind = str(spec.args.get("kind") or "ROWS").upper()
    return f"{kind} BETWEEN {start} AND {end}" if end else f"{kind} {start}"


def _check_order(planner: Planner, window: exp.Window, arguments: dict[str, Any], ordered: bool) -> None:
    """Refuse a frame of which neither the window nor the relation's order says what is in it."""
    text = arguments["frame"]
    known = text == _ALL_ROWS or (ordered and text.startswith("ROWS"))
    if not (known or arguments.get("order_by")):
        raise planner.refuse("a window frame without ORDER BY", window, "the SQL leaves open which rows are in it")


def _bound(planner: Planner, value: Node | str | None, side: str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, exp.Expr) and not (isinstance(value, exp.Literal) and str(value.this).isdigit()):
        raise planner.refuse("a window frame that is not counted in whole numbers", value)
    text = value if isinstance(value, str) else str(value.this)
    return f"{text} {side or ''}".strip().upper()


def _number(planner: Planner, node: Node | None) -> int:
    if isinstance(node, exp.Literal) and str(node.this).isdigit():
        return int(node.this)
    raise planner.refuse("a window argument that is no number", node)


def _constant(planner: Planner, node: Node) -> int | float | str | None:
    negative = isinstance(node, exp.Neg)
    literal = node.this if negative else node
    if isinstance(node, exp.Null):
        return None
    if not isinstance(literal, exp.Literal):
        raise planner.refuse("a default in a window that is no constant", node)
    if literal.is_string:
        return str(literal.this)
    text = f"-{literal.this}" if negative else str(literal.this)
    return int(text) if text.lstrip("-").isdigit() else float(text)
