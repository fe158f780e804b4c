from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from agents.engine.dialects.base import AggregateCall, Dialect
from agents.engine.terms import loose
from connections.catalogue import DialectName

_NO_FUNCTION = "SQLite has no such function"


class SQLite(Dialect):
    """SQLite 3.35 or newer (materialised steps); FILTER and windows are older."""

    name: ClassVar[DialectName] = "sqlite"
    unsupported = {
        "distinct median": "apply distinct first, then median.",
        "distinct stddev": "apply distinct first, then stddev.",
        "distinct variance": "apply distinct first, then variance.",
        "window count_distinct": "SQLite allows DISTINCT in no window call; aggregate and join instead.",
        "window median": f"{_NO_FUNCTION}; aggregate (median) and join instead.",
        "window stddev": f"{_NO_FUNCTION}; aggregate (stddev) and join instead.",
        "window variance": f"{_NO_FUNCTION}; aggregate (variance) and join instead.",
        "string_agg of distinct texts with a separator other than ','": "apply distinct first, then string_agg.",
    }
    emulated = frozenset({"median", "stddev", "variance"})
    # Names are not limited; this keeps them readable.
    name_limit = 255
    # A double-quoted word that is no column would silently become a text; with its table in front it is an error.
    qualifies_base_columns = True
    ordered_aggregates = False
    tables_lose_collations = True
    enforces_types = False
    alone = {"any_value": "min"}
    position = "INSTR"

    def bears(self, name: str) -> bool:
        """A column of a step that is called TRUE or FALSE gets another name from SQLite."""
        return name.lower() not in ("true", "false")

    def over_argument(self, fn: str, argument: exp.Expr) -> exp.Expr:
        """A bare column is any value of its group, as SQLite defines it."""
        return argument if fn == "any_value" else super().over_argument(fn, argument)

    def string_agg(self, call: AggregateCall) -> exp.Expr:
        """GROUP_CONCAT takes DISTINCT only with one argument. Rows come in the order of the step below."""
        assert call.column is not None
        value = loose(call.column)
        if call.distinct:
            return exp.Anonymous(this="GROUP_CONCAT", expressions=[exp.Distinct(expressions=[value])])
        return exp.Anonymous(this="GROUP_CONCAT", expressions=[value, self.literal(call.separator)])
