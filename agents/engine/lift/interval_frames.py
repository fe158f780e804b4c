"""Frames such as RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW: counted in seconds, which are numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner

_LENGTH = re.compile(r"\s*(\d+)\s*([A-Z]+?)S?\s*")
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3_600, "DAY": 86_400, "WEEK": 604_800}


def in_seconds(planner: Planner, window: exp.Window) -> exp.Window:
    """`window`, ordered by seconds where its frame is counted in intervals of a fixed length."""
    spec, order = window.args.get("spec"), window.args.get("order")
    sides = [side for part in ("start", "end") if isinstance(side := spec and spec.args.get(part), exp.Interval)]
    if not sides:
        return window
    if planner.dialect not in ("postgresql", "duckdb") or order is None or len(order.expressions) != 1:
        raise planner.refuse("a window frame that is not counted in whole numbers", window)
    window = window.copy()
    for part in ("start", "end"):
        side = window.args["spec"].args.get(part)
        if isinstance(side, exp.Interval):
            window.args["spec"].set(part, exp.Literal.number(_length(planner, side)))
    key = window.args["order"].expressions[0]
    key.set("this", _seconds_of(planner, key.this))
    return window


def _length(planner: Planner, interval: exp.Interval) -> int:
    found = _LENGTH.fullmatch(f"{interval.name} {interval.args.get('unit') or ''}".upper())
    if found is None or found[2] not in _SECONDS:
        raise planner.refuse("a window frame in months or years, which differ in length", interval)
    return int(found[1]) * _SECONDS[found[2]]


def _seconds_of(planner: Planner, key: exp.Expr) -> exp.Expr:
    if planner.dialect == "duckdb":
        return exp.Anonymous(this="epoch", expressions=[key.copy()])
    return exp.Extract(this=exp.Var(this="epoch"), expression=key.copy())
