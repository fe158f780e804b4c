"""Texts that are equal without being the same: SQLite's collations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.engine.lift import lift
from agents.engine.lift.batch import compiled, is_equal
from agents.engine.programs import open_door
from agents.errors import CannotLiftError
from connections.door import Door
from tests.databases import scratch

PEOPLE = """
CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(20));
INSERT INTO people VALUES (1, 'Ana'), (2, 'ana'), (3, 'Bo'), (4, NULL), (5, 'ABC');
"""
WORDS = """
CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT COLLATE NOCASE);
INSERT INTO words VALUES (1, 'abc'), (2, 'ABC'), (3, 'ANA'), (4, NULL), (5, 'bo');
CREATE TABLE loose (word TEXT COLLATE NOCASE);
INSERT INTO loose VALUES ('abc'), ('ABC');
"""


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with scratch("sqlite", PEOPLE + WORDS, tmp_path_factory.mktemp("words")) as url, open_door(url) as door:
        yield door


def is_lifted_right(door: Door, sql: str) -> bool:
    lifted = lift(sql, door.catalogue, door.dialect)
    statement, failure = compiled(lifted, door)
    assert failure is None
    return is_equal(door.query(sql), door.query(statement), lifted)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p.id, w.id FROM people p JOIN words w ON p.name = w.word",
        "SELECT p.id, w.id FROM people p JOIN words w ON w.word = p.name",
        "SELECT p.id, w.id FROM people p, words w WHERE w.word = p.name",
        "SELECT p.id, w.id FROM people p LEFT JOIN words w ON w.word = p.name",
        "SELECT p.id, w.id FROM people p RIGHT JOIN words w ON p.name = w.word",
        "SELECT p.id, w.id FROM people p FULL JOIN words w ON w.word = p.name",
        "SELECT word, COUNT(*) FROM words w JOIN people p ON w.word = p.name GROUP BY w.id",
        "SELECT id, (SELECT COUNT(*) FROM people p WHERE p.name > w.word) AS n FROM words w",
        "SELECT id, (SELECT MAX(p.id || w.word) FROM people p WHERE p.id < LENGTH(w.word)) AS m FROM words w",
        "SELECT a.id FROM words a WHERE EXISTS (SELECT 1 FROM words b WHERE b.word = a.word AND b.id <> a.id)",
        "SELECT id, word IN (SELECT word FROM words WHERE id > 1) AS f FROM words",
    ],
)
def test_sqlite_compares_by_the_collation_of_the_column_in_front(sqlite: Door, sql: str) -> None:
    assert is_lifted_right(sqlite, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p.id FROM people p WHERE EXISTS (SELECT 1 FROM words w WHERE w.word = p.name)",
        "SELECT id, word IN (SELECT name FROM people) AS f FROM words",
        "SELECT id FROM people WHERE name IN (SELECT word FROM words)",
        "SELECT (SELECT COUNT(*) FROM people p WHERE p.name > w.word) AS n FROM loose w",
    ],
)
def test_a_sub_query_whose_collations_would_be_mixed_is_refused(sqlite: Door, sql: str) -> None:
    with pytest.raises(CannotLiftError, match="another collation"):
        lift(sql, sqlite.catalogue, "sqlite")
