"""COUNT(DISTINCT a, b): rows are numbered within each combination of values, and the first ones counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.frame import Frame
from agents.engine.lift.ordering import numbered
from agents.engine.lift.program import Aggregate, logical
from agents.engine.lift.query import Node, all_of
from agents.engine.lift.subqueries import attach

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def values_of(arguments: Sequence[Node]) -> list[Node]:
    """The values that are counted together, if there are several: `a, b` or the row `(a, b)`."""
    row = arguments[0] if len(arguments) == 1 else None
    found = row.expressions if isinstance(row, exp.Tuple) else arguments
    return list(found) if len(found) > 1 else []


def counted(
    planner: Planner, frame: Frame, arguments: Sequence[Node], condition: Node | None, group: Sequence[str], name: str
) -> tuple[Frame, Aggregate]:
    """The rows of the first of each combination. `a, b` counts where none is NULL, a row of values always."""
    columns: list[str] = []
    for value in values_of(arguments):
        frame, ready = attach(planner, frame, value)
        frame, column = planner.column(frame, ready)
        columns.append(column)
    tests: list[Node] = []
    if len(arguments) > 1:
        tests += [exp.Not(this=exp.Is(this=logical(column), expression=exp.Null())) for column in columns]
    if condition is not None:
        one = exp.Literal.number(1)
        frame, flag = planner.column(frame, exp.Case(ifs=[exp.If(this=condition, true=one)]), "counted")
        columns.append(flag)
        tests.append(exp.EQ(this=logical(flag), expression=one.copy()))
    relation, number = numbered(planner, frame.relation, list(dict.fromkeys([*group, *columns])), [])
    tests.append(exp.EQ(this=logical(number), expression=exp.Literal.number(1)))
    return frame.on(relation), Aggregate("count", "*", name, filter=all_of(tests))
