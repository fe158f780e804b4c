"""GROUP BY with ROLLUP, CUBE or GROUPING SETS: one grouped SELECT for each set of keys, put together by UNION ALL.

In each, a key that is not of its set is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import prod

from sqlglot import exp

from agents.engine.lift.calls import has_window, is_aggregate
from agents.engine.lift.query import Node, Output, Query, Select, SetQuery, Tail
from connections.catalogue import DialectName

Keys = tuple[Node, ...]
Bind = Callable[[Node], Node]

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)
_MOST = 64
_NEVER = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))


class TooManySetsError(ValueError):
    """More sets of keys than anybody reads."""


def has_sets(group: exp.Group) -> bool:
    return any(group.args.get(part) for part in ("rollup", "cube", "grouping_sets")) or any(
        isinstance(key, _SETS) for key in group.expressions
    )


def single_keys(group: exp.Group) -> list[Node]:
    """The keys that stand outside of sets; a list in parentheses is no key of its own."""
    keys = [key for key in group.expressions if not isinstance(key, _SETS)]
    return [part for key in keys for part in (key.expressions if isinstance(key, exp.Tuple) else [key])]


def key_sets(group: exp.Group, bind: Bind) -> list[Keys]:
    """The sets of keys that `group` names, those with the most keys first. Raises TooManySetsError."""
    plain = [bind(key) for key in single_keys(group)]
    marks = [mark for part in ("rollup", "cube", "grouping_sets") for mark in group.args.get(part) or []]
    if any(not mark.expressions for mark in marks):  # MySQL's GROUP BY a, b WITH ROLLUP
        factors = [_rolled([(key,) for key in plain])]
    else:
        marks += [key for key in group.expressions if isinstance(key, _SETS)]
        factors = [[tuple(plain)], *(_sets_of(mark, bind) for mark in marks)]
    if prod(map(len, factors)) > _MOST:
        raise TooManySetsError
    return sorted((_joined(parts) for parts in product(*factors)), key=len, reverse=True)


def united(select: Select, sets: Sequence[Keys], dialect: DialectName) -> Query | None:
    """`select` over each of `sets`; None where what it computes from all rows (a window, a limit key) is in the way."""
    nodes = [*(output.node for output in select.outputs), *select.having]
    keys = [key.key for key in select.tail.order]
    if any(map(has_window, nodes)) or select.distinct or select.distinct_on or select.qualify:
        return None
    if not all(isinstance(key, int) for key in keys):
        return None
    every = tuple(dict.fromkeys(key for keys in sets for key in keys))
    arms = [_arm(select, keys, set(every) - set(keys), dialect) for keys in sets]
    if len(sets) > 2 and not set(every) <= {*sets[0], *sets[1]}:
        # Of NULL alone a union takes columns for texts or numbers, so a first arm without rows gives their types.
        arms.insert(0, _arm(replace(select, having=(_NEVER,)), every, set(), dialect))
    query: Query = arms[0]
    for arm in arms[1:]:
        query = SetQuery("union_all", query, arm, Tail(), free=select.free)
    return replace(query, tail=select.tail)


def _arm(select: Select, keys: Keys, others: set[Node], dialect: DialectName) -> Select:
    def over(node: Node) -> Node:
        return _without(node, others, dialect)

    outputs = tuple(Output(over(output.node), output.name) for output in select.outputs)
    return replace(select, groups=keys, outputs=outputs, having=tuple(map(over, select.having)), tail=Tail())


def _without(node: Node, others: set[Node], dialect: DialectName) -> Node:
    """`node` with NULL for the keys in `others`, but not inside of aggregates."""
    if node in others:
        return exp.Null()
    if is_aggregate(node, dialect):
        return node.copy()
    node = node.copy()
    for child in list(node.iter_expressions()):
        child.replace(_without(child, others, dialect))
    return node


def _sets_of(mark: Node, bind: Bind) -> list[Keys]:
    parts = [_bound(part, bind) for part in mark.expressions if not isinstance(part, _SETS)]
    if isinstance(mark, exp.Rollup):
        return _rolled(parts)
    if isinstance(mark, exp.Cube):
        if 2 ** len(parts) > _MOST:
            raise TooManySetsError
        sizes = range(len(parts), -1, -1)
        return [_joined(chosen) for size in sizes for chosen in combinations(parts, size)]
    nested = [found for part in mark.expressions if isinstance(part, _SETS) for found in _sets_of(part, bind)]
    return [*parts, *nested]


def _rolled(parts: Sequence[Keys]) -> list[Keys]:
    return [_joined(parts[:size]) for size in range(len(parts), -1, -1)]


def _bound(part: Node, bind: Bind) -> Keys:
    items = part.expressions if isinstance(part, exp.Tuple) else [part.unnest()]
    return tuple(bind(item) for item in items)


def _joined(parts: Iterator[Keys] | Sequence[Keys]) -> Keys:
    return tuple(dict.fromkeys(key for part in parts for key in part))
