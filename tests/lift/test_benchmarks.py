"""Lifting on benchmark data that lies outside the repository, in the folder that BENCH_DIR names."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack

import pytest

from agents.engine.lift import lift
from agents.engine.lift.batch import Doors, compiled, is_equal
from agents.errors import DatabaseError, ModelCorrectableError
from bench.lifting import gold
from tests.databases import missing
from tests.lift.mutations import broken

MUTANTS = 200


@pytest.fixture(autouse=True)
def _bench_dir() -> None:
    if not os.environ.get("BENCH_DIR"):
        missing("BENCH_DIR does not name the folder of benchmark sets")


@pytest.mark.bench
def test_gold_queries_broken_in_one_place_are_not_equal() -> None:
    """The rows of the mutant's program are held against those of the original. A mutant that gives the same rows in the
    database itself proves nothing and does not count."""
    doors, tried, unnoticed = Doors(20), 0, []
    with ExitStack() as stack:
        for number, line in enumerate(gold("spider_train", stack)):
            mutant = broken(line["sql"], "sqlite", number) if number % 7 == 0 else None
            if mutant is None or tried == MUTANTS:
                continue
            try:
                if _rows(line["url"], line["sql"]) == _rows(line["url"], mutant):
                    continue
                door = doors.door(line["url"])
                lifted = lift(mutant, door.catalogue, door.dialect)
                statement, failure = compiled(lifted, door)
                got = door.query(statement) if failure is None else None
            except (sqlite3.Error, ModelCorrectableError, DatabaseError):
                continue  # the mutant is no valid SQL
            if got is None:
                continue
            tried += 1
            if is_equal(door.query(line["sql"]), got, lift(line["sql"], door.catalogue, door.dialect)):
                unnoticed.append((line["sql"], mutant))
    doors.close()
    assert tried == MUTANTS
    assert unnoticed == []


@pytest.mark.bench
@pytest.mark.parametrize(("name", "least"), [("bird_superhero", 98.0), ("archer_train", 97.0)])
def test_the_small_sets_come_out_equal(name: str, least: float) -> None:
    doors, verdicts = Doors(30), []
    with ExitStack() as stack:
        for line in gold(name, stack):
            door = doors.door(line["url"])
            lifted = lift(line["sql"], door.catalogue, door.dialect)
            statement, failure = compiled(lifted, door)
            verdicts.append(failure is None and is_equal(door.query(line["sql"]), door.query(statement), lifted))
    doors.close()
    assert 100 * sum(verdicts) / len(verdicts) >= least


def _rows(url: str, sql: str) -> list[str]:
    """The rows as plain SQLite gives them, in no order."""
    connection = sqlite3.connect(f"file:{url.removeprefix('sqlite:///')}?mode=ro", uri=True)
    try:
        return sorted(map(repr, connection.execute(sql).fetchall()))
    finally:
        connection.close()
