"""Decoys lead astray who trusts names; what was there before is not touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.engine.programs import open_door
from agents.errors import ConnectionFailedError
from agents.evaluation.decoys import LEVELS, Level, with_decoys
from agents.evaluation.records import Record

SHOP = """
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT);
CREATE TABLE visits (person_id INTEGER REFERENCES people (id), day TEXT, PRIMARY KEY (person_id, day)) WITHOUT ROWID;
INSERT INTO people VALUES (1, 'Ada', 'Bern'), (2, 'Ben', 'Rome'), (3, 'Cem', 'Oslo');
INSERT INTO visits VALUES (1, '2024-01-01'), (1, '2024-01-02'), (2, '2024-01-01'), (3, '2024-01-03');
"""


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def rows(url: str, sql: str) -> list[tuple[object, ...]]:
    with open_door(url) as door:
        return [tuple(row) for row in door.query(sql).rows]


def on_a_copy(shop: str, level: Level, folder: Path) -> str:
    (record,) = with_decoys([Record("q", shop, "?")], level, folder)
    return record.url


@pytest.mark.parametrize(
    ("level", "added"),
    [
        ("L1", {"people_details"}),
        ("L2", {"people_details", "people_info", "visits_info", "visits_people_link"}),
        ("L3", {"people_details", "people_info", "visits_info", "visits_people_link", "people_current",
                "visits_current"}),
    ],
)  # fmt: skip
def test_each_level_adds_to_the_one_before(shop: str, level: Level, added: set[str], tmp_path: Path) -> None:
    with open_door(on_a_copy(shop, level, tmp_path)) as door:
        assert {table.name for table in door.catalogue.tables} == {"people", "visits"} | added


@pytest.mark.parametrize("level", LEVELS)
def test_the_tables_that_were_there_stay_as_they_are(shop: str, level: Level, tmp_path: Path) -> None:
    copy = on_a_copy(shop, level, tmp_path)
    for sql in ("SELECT * FROM people ORDER BY id", "SELECT * FROM visits ORDER BY 1, 2"):
        assert rows(copy, sql) == rows(shop, sql)
    assert len(rows(shop, "SELECT name FROM people")) == 3


def test_the_decoys_are_wrong_in_their_own_ways(shop: str, tmp_path: Path) -> None:
    copy = on_a_copy(shop, "L3", tmp_path)
    assert rows(copy, "SELECT town FROM people_details WHERE id = 1") == [("Ada",)]
    assert rows(copy, "SELECT COUNT(*), COUNT(DISTINCT id) FROM people_current") == [(4, 3)]
    assert rows(copy, "SELECT COUNT(*) FROM visits_current WHERE person_id IS NULL") == [(1,)]
    assert rows(copy, "SELECT COUNT(*) FROM visits_people_link") == [(3,)]


def test_a_copy_is_made_once(shop: str, tmp_path: Path) -> None:
    first = on_a_copy(shop, "L2", tmp_path)
    made = Path(first.removeprefix("sqlite:///")).stat().st_mtime_ns
    assert on_a_copy(shop, "L2", tmp_path) == first
    assert Path(first.removeprefix("sqlite:///")).stat().st_mtime_ns == made


def test_other_databases_are_refused_in_words(new_database: Callable[[str, str], str], tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailedError, match="Only SQLite files"):
        on_a_copy(new_database("duckdb", "CREATE TABLE t (a INTEGER)"), "L1", tmp_path)
