"""Looking at a whole graph before it is compiled: in which order, what each relation must give, and how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.dsl.operations.base import Need
from agents.dsl.relation import Relation


@dataclass(frozen=True)
class Plan:
    """`order` lists every relation after its inputs. `needs` and `uses` are by `id(relation)`.

    `uses` counts how many operations read a relation (twice for one that joins it to itself).
    """

    order: tuple[Relation, ...]
    needs: dict[int, Need]
    uses: dict[int, int]


def plan(root: Relation, *, is_stored: Callable[[Relation], bool]) -> Plan:
    """Plan to compile all columns of `root`, in its order. What `is_stored` is not looked behind."""
    order = inputs_first(root, is_stored)
    needs = {id(root): Need(frozenset(root.columns), True)}
    uses: dict[int, int] = {}
    for relation in reversed(order):
        if is_stored(relation):
            continue
        asked = relation.operation.needs(relation, needs[id(relation)])
        for source, need in zip(relation.inputs, asked, strict=True):
            before = needs.get(id(source), Need(frozenset()))
            needs[id(source)] = Need(before.columns | need.columns, before.ordered or need.ordered)
            uses[id(source)] = uses.get(id(source), 0) + 1
    return Plan(order, needs, uses)


def inputs_first(root: Relation, is_stored: Callable[[Relation], bool]) -> tuple[Relation, ...]:
    """`root` and all it is built from, each relation after its inputs. Without recursion: a chain may be long."""
    done: dict[int, Relation] = {}
    waiting = [(root, False)]
    while waiting:
        relation, seen = waiting.pop()
        if id(relation) in done:
            continue
        if seen or is_stored(relation):
            done[id(relation)] = relation
            continue
        waiting.append((relation, True))
        waiting += [(source, False) for source in reversed(relation.inputs)]
    return tuple(done.values())
