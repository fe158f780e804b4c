"""Looking at a whole graph before it is compiled: in which order, what each relation must give, and how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.dsl.operations.base import Need
from agents.dsl.relation import Relation


@dataclass(frozen=True)
class Plan:
    """`order` lists every relation after its inputs. `needs`, `uses` and `readers` are by `id(relation)`.

    `uses` counts how many operations read a relation (twice for one that joins it to itself); `readers` has one of
    them.
    """

    order: tuple[Relation, ...]
    needs: dict[int, Need]
    uses: dict[int, int]
    readers: dict[int, Relation]

    def only_reader(self, relation: Relation) -> Relation | None:
        return self.readers[id(relation)] if self.uses.get(id(relation)) == 1 else None


def plan(root: Relation, *, is_stored: Callable[[Relation], bool]) -> Plan:
    """Plan to compile all columns of `root`, in its order. What `is_stored` is not looked behind."""
    order = inputs_first(root, is_stored)
    needs = {id(root): Need(frozenset(root.columns), True)}
    uses: dict[int, int] = {}
    readers: dict[int, Relation] = {}
    for relation in reversed(order):
        if is_stored(relation):
            continue
        asked = relation.operation.needs(relation, needs[id(relation)])
        for source, need in zip(relation.inputs, asked, strict=True):
            before = needs.get(id(source), Need(frozenset()))
            needs[id(source)] = Need(before.columns | need.columns, before.ordered or need.ordered)
            uses[id(source)] = uses.get(id(source), 0) + 1
            readers[id(source)] = relation
    return Plan(order, needs, uses, readers)


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
