"""Compiling leaves nothing behind: no relation, no expression and no engine outlives the run it belongs to."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable

from agents.dsl.expressions import Expression
from agents.dsl.relation import Relation
from agents.engine.block import Block, Source
from agents.engine.engine import Engine
from agents.engine.programs import open_door
from agents.engine.terms import Term
from connections.door import Door
from tests.engine.data import create_sql
from tests.engine.long_programs import sixty_operations_with_eight_joins

KINDS = (Relation, Expression, Engine, Block, Source, Term)


def test_nothing_of_a_compiled_program_is_kept(new_database: Callable[[str, str], str]) -> None:
    with open_door(new_database("sqlite", create_sql())) as door:
        _compile(door)
        before = _alive()
        for _ in range(20):
            _compile(door)
        assert _alive() == before


def _compile(door: Door) -> None:
    engine = Engine(door)
    for outcome in engine.run(sixty_operations_with_eight_joins()):
        assert outcome.ok, outcome.text
    assert engine.sql("z").startswith("WITH")


def _alive() -> Counter[str]:
    gc.collect()
    return Counter(type(item).__name__ for item in gc.get_objects() if isinstance(item, KINDS))
