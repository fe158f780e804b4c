"""SELECT without FROM, and VALUES: rows that come from no table.

The operations start from a table, so one row is made of any table by counting none of its rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agents.engine.lift.correlation import Link
from agents.engine.lift.frame import Frame, Planned
from agents.engine.lift.program import Aggregate
from agents.engine.lift.query import Constants

if TYPE_CHECKING:
    from agents.engine.lift.planner import Planner


def one_row(planner: Planner) -> Frame:
    """A relation of exactly one row, even where every table is empty."""
    if planner.one_row is not None:
        return planner.one_row
    tables = planner.program.catalogue.tables
    if not tables:
        raise planner.refuse("SELECT without FROM", None, "the database has no table to start from")
    program = planner.program
    nothing = program.limit(replace(program.table(tables[0]), label="nothing"), 0)
    row = program.aggregate(nothing, (), [Aggregate("count", "*", "row_count")], "one_row")
    planner.one_row = Frame(replace(row, label="row"))
    return planner.one_row


def plan_rows(planner: Planner, query: Constants, link: Link | None) -> Planned:
    """VALUES: one row after another, put together."""
    if link is not None:
        raise planner.refuse("VALUES that reads a column of the query around it")
    made: Planned | None = None
    for cells in query.rows:
        frame = one_row(planner)
        columns: list[str] = []
        for cell, name in zip(cells, query.names, strict=True):
            frame, column = planner.column(frame, cell, name)
            columns.append(column)
        row = planner.project(Planned(frame.relation, tuple(columns)), query.names)
        if made is None:
            made = row
        else:
            both = planner.program.set_operation(made.relation, row.relation, "union_all", "constants")
            made = Planned(both, made.columns)
    assert made is not None, "VALUES has at least one row"
    return made
