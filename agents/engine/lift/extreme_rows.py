"""SQLite's rule for bare columns: beside exactly one `min` or `max` they come from the row that holds it.

So the program looks for that row: the first of its group in the order of the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.frame import Frame
from agents.engine.lift.ordering import Keys, numbered
from agents.engine.lift.program import Aggregate, logical
from agents.engine.lift.relation import Relation

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def rows_of_extreme(
    planner: Planner, frame: Frame, group: Sequence[str], aggregates: Sequence[Aggregate], extreme: Aggregate
) -> tuple[Frame, Mapping[str, str]]:
    """`frame` with the row of the extreme of each group, and the columns that hold the aggregates, by their names."""
    keys: Keys = [[extreme.column, "desc"] if extreme.fn == "max" else [extreme.column, "asc", "nulls_last"]]
    if group:
        return _first_of_group(planner, frame, group, aggregates, extreme, keys)
    return _first_of_all(planner, frame, aggregates, keys)


def _first_of_group(
    planner: Planner,
    frame: Frame,
    group: Sequence[str],
    aggregates: Sequence[Aggregate],
    extreme: Aggregate,
    keys: Keys,
) -> tuple[Frame, Mapping[str, str]]:
    relation, columns = frame.relation, {extreme.name: extreme.column}
    for item in aggregates:
        if item is not extreme:
            relation, columns[item.name] = _over_group(planner, relation, group, item)
    relation, number = numbered(planner, relation, group, keys)
    first = planner.program.filter(relation, exp.EQ(this=logical(number), expression=exp.Literal.number(1)))
    return frame.on(replace(first, keys=first.keys | {frozenset(group)})), columns


def _over_group(planner: Planner, relation: Relation, group: Sequence[str], item: Aggregate) -> tuple[Relation, str]:
    if item.distinct or item.filter is not None or item.fn in ("count_distinct", "string_agg", "median", "any_value"):
        raise planner.refuse(f"{item.fn} beside a column of the row with the minimum or maximum")
    name = relation.free_name(item.name)
    arguments = {"column": item.column, "partition_by": list(group)}
    return planner.program.window(relation, name, item.fn, arguments), name


def _first_of_all(
    planner: Planner, frame: Frame, aggregates: Sequence[Aggregate], keys: Keys
) -> tuple[Frame, Mapping[str, str]]:
    """Without groups there is one row also over nothing, so the first row is joined to the aggregates."""
    program = planner.program
    total = program.aggregate(frame.relation, (), aggregates)
    top = program.limit(program.order(frame.relation, keys), 1)
    always = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    joined = program.join(total, top, "left", [], always)
    renamed = program.joined_names(total, top)
    names = {key: renamed[name] for key, name in frame.names.items()}
    return Frame(joined, names, frame.carried), {item.name: item.name for item in aggregates}
