"""Aggregates without GROUP BY in correlated sub-queries: they have a row for each outer row, also over nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agents.engine.lift.correlation import Domain, join_back
from agents.engine.lift.frame import Frame, Planned

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def completed(planner: Planner, frame: Frame, domain: Domain) -> Frame:
    """The aggregates in `frame`, grouped by what `domain` carries, with a row of NULLs for what has none."""
    outer = domain.frame
    joined, names = join_back(planner, outer, Planned(frame.relation, (), frame.carried), "left")
    made = {key: names[name] for key, name in frame.names.items() if key not in outer.names and name in names}
    fields = joined.relation.by_name
    carried = tuple(replace(item, null_safe=fields[item.column].nullable) for item in outer.carried)
    return Frame(joined.relation, {**outer.names, **made}, carried)
