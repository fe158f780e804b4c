"""GROUP BY: keys by position, by alias or as expressions; sets of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from agents.engine.lift.binding_order import ordinal
from agents.engine.lift.calls import has_aggregate
from agents.engine.lift.grouping_sets import TooManySetsError, has_sets, key_sets, single_keys, united
from agents.engine.lift.query import Node, Query, Select
from agents.engine.lift.refusals import refuse
from agents.engine.lift.scope import Scope

if TYPE_CHECKING:
    from agents.engine.lift.binding import Binder
    from agents.engine.lift.binding_sources import Ctes

_WHAT = "GROUPING SETS, ROLLUP or CUBE"


class GroupBinder:
    """Binds the GROUP BY of one SELECT whose list is `outputs`."""

    def __init__(self, binder: Binder, scope: Scope, ctes: Ctes, outputs: tuple[Node, ...]) -> None:
        self.binder, self.scope, self.ctes, self.outputs = binder, scope, ctes, outputs

    def keys(self, group: exp.Group | None) -> tuple[Node, ...] | None:
        """All keys, of whichever set; None without GROUP BY."""
        if group is None:
            return None
        if group.args.get("totals"):
            raise refuse("WITH TOTALS", group, self.binder.text)
        if group.args.get("all"):
            return tuple(node for node in self.outputs if not has_aggregate(node, self.binder.dialect))
        if not has_sets(group):
            return tuple(dict.fromkeys(map(self._key, single_keys(group))))
        try:
            sets = key_sets(group, self._key)
        except TooManySetsError:
            raise refuse(_WHAT, group, self.binder.text, "it makes too many sets of keys") from None
        return tuple(dict.fromkeys(key for keys in sets for key in keys))

    def united(self, select: Select, group: exp.Group | None) -> Query:
        """`select` for each set of keys, or as it is where there is but one."""
        if group is None or not has_sets(group):
            return select
        query = united(select, key_sets(group, self._key), self.binder.dialect)
        if query is None:
            why = "with a window, DISTINCT, QUALIFY or a sort key that is no output it cannot be a UNION ALL"
            raise refuse(_WHAT, group, self.binder.text, why)
        return query

    def _key(self, key: Node) -> Node:
        position = ordinal(key, len(self.outputs))
        if position is not None:
            return self.outputs[position].copy()
        return self.binder.expression(key, self.scope, self.ctes).unnest()
