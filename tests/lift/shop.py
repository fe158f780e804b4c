"""A small shop to lift over: its catalogue as each dialect would report it, and the SQL that fills it.

Every awkward thing is on purpose: NULL keys, a key that points nowhere, ties, an empty table.
"""

from __future__ import annotations

from connections.catalogue import Catalogue, Column, DialectName, SemanticType, Table

TABLES = """
CREATE TABLE regions (id INTEGER PRIMARY KEY, name VARCHAR(30) NOT NULL, target INTEGER);
INSERT INTO regions VALUES (1, 'North', 900), (2, 'South', NULL), (3, 'East', 400), (4, 'West', 0);
CREATE TABLE staff (id INTEGER PRIMARY KEY, name VARCHAR(30) NOT NULL, region_id INTEGER, boss_id INTEGER,
  wage INTEGER);
INSERT INTO staff VALUES (1, 'Ada', 1, NULL, 70), (2, 'Ben', 1, 1, 50), (3, 'Cem', 2, 1, 50), (4, 'Dot', NULL, 3, 30),
  (5, 'Eli', 9, 3, NULL), (6, 'Fay', 3, 2, 30);
CREATE TABLE sales (id INTEGER PRIMARY KEY, staff_id INTEGER, day DATE NOT NULL, kind VARCHAR(10), amount INTEGER);
INSERT INTO sales VALUES (1, 1, '2024-01-05', 'shop', 120), (2, 1, '2024-01-09', 'web', 80),
  (3, 2, '2024-02-01', 'web', 80),
  (4, NULL, '2024-02-01', 'shop', 20), (5, 3, '2024-02-11', NULL, 300), (6, 3, '2024-03-01', 'web', NULL),
  (7, 6, '2024-03-01', 'shop', 10), (8, 7, '2024-03-02', 'web', 80);
CREATE TABLE marks (staff_id INTEGER, level VARCHAR(10) NOT NULL);
INSERT INTO marks VALUES (1, 'gold'), (NULL, 'none'), (3, 'gold'), (3, 'gold'), (5, 'iron');
CREATE TABLE blank (id INTEGER PRIMARY KEY, note VARCHAR(10));
"""

_COLUMNS: dict[str, str] = {
    "regions": "id! name! target", "staff": "id! name! region_id boss_id wage",
    "sales": "id! staff_id day! kind amount", "marks": "staff_id level!", "blank": "id! note",
}  # fmt: skip
_SEMANTIC: dict[str, SemanticType] = {"name": "text", "kind": "text", "level": "text", "note": "text", "day": "date"}


def catalogue(dialect: DialectName = "sqlite") -> Catalogue:
    """The shop as a catalogue, for tests that need no database."""
    return Catalogue(dialect, tuple(_table(name, words.split()) for name, words in _COLUMNS.items()))


def _table(name: str, words: list[str]) -> Table:
    columns = tuple(_column(word.rstrip("!"), word.endswith("!")) for word in words)
    return Table(name, columns=columns, primary_key=("id",) if columns[0].name == "id" else ())


def _column(name: str, required: bool) -> Column:
    semantic = _SEMANTIC.get(name, "integer")
    return Column(name, {"text": "VARCHAR(30)", "date": "DATE"}.get(semantic, "INTEGER"), semantic, not required)
