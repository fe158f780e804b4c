"""Lifting where types differ: texts beside numbers and dates, intervals, decimals, numbers in other bases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.engine.lift import lift
from agents.engine.lift.batch import compiled, is_equal
from agents.engine.programs import open_door
from agents.errors import CannotLiftError
from connections.catalogue import DialectName
from connections.door import Door
from tests.databases import DIALECTS, scratch
from tests.lift.shop import catalogue

TABLES = """
CREATE TABLE dept (id INTEGER PRIMARY KEY, name VARCHAR(20), opened DATE);
INSERT INTO dept VALUES (1, 'Sales', '2020-01-01'), (2, 'Legal', '2021-05-05'), (3, NULL, NULL), (4, 'New', NULL);
CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(20), dept_id INTEGER, pay INTEGER, active BOOLEAN);
INSERT INTO emp VALUES (1, 'Ana', 1, 50, TRUE), (2, 'Bo', 1, 41, FALSE), (3, 'Cy', 2, 30, TRUE),
  (4, NULL, NULL, 20, NULL);
CREATE TABLE code (txt VARCHAR(12), val INTEGER);
INSERT INTO code VALUES ('1', 1), ('01', 2), ('2', 2), (NULL, 3), ('x', NULL), ('3', 9), ('10', 10);
CREATE TABLE loose (id INTEGER PRIMARY KEY, amt VARCHAR(10), place VARCHAR(5));
INSERT INTO loose VALUES (1, '$1,200', '1'), (2, '35', '01'), (3, '', '1'), (4, NULL, NULL), (5, '12kg', 'x');
CREATE TABLE moments (id INTEGER PRIMARY KEY, taken TIMESTAMP);
INSERT INTO moments VALUES (1, '2024-01-31 12:30:00'), (2, '2024-03-01 00:00:00');
"""
ONLY_SQLITE = """
CREATE TABLE films (id INTEGER PRIMARY KEY, made DATE); INSERT INTO films VALUES (1, 2), (2, 2020), (3, NULL), (4, 4);
"""

LENIENT: tuple[DialectName, ...] = ("sqlite", "mysql")
STRICT: tuple[DialectName, ...] = ("duckdb", "postgresql")

# A number equals several texts.
SEVERAL = [
    "SELECT id FROM dept WHERE id IN (SELECT txt FROM code)",
    "SELECT id FROM dept WHERE id + 0 IN (SELECT txt FROM code)",
    "SELECT id FROM dept WHERE 1 IN (SELECT txt FROM code)",
    "SELECT id FROM dept WHERE id NOT IN (SELECT txt FROM code)",
    "SELECT id FROM dept WHERE id NOT IN (SELECT txt FROM code WHERE txt IS NOT NULL)",
    "SELECT id, id IN (SELECT txt FROM code) AS f, id NOT IN (SELECT txt FROM code) AS g FROM dept",
    "SELECT id FROM dept WHERE id > 3 OR id IN (SELECT txt FROM code)",
    "SELECT id FROM dept WHERE (id, id) IN (SELECT txt, val FROM code)",
    "SELECT id FROM dept d WHERE EXISTS (SELECT 1 FROM code c WHERE c.txt = d.id)",
    "SELECT id FROM dept d WHERE NOT EXISTS (SELECT 1 FROM code c WHERE c.txt = d.id)",
    "SELECT id, EXISTS (SELECT 1 FROM code c WHERE c.txt = d.id) AS f FROM dept d",
    "SELECT id, (SELECT COUNT(*) FROM code c WHERE c.txt = d.id) AS n FROM dept d",
    "SELECT id, (SELECT SUM(val) FROM code c WHERE c.txt = d.id) AS n FROM dept d",
    "SELECT id, (SELECT val FROM code c WHERE c.txt = d.id ORDER BY val DESC LIMIT 1) AS v FROM dept d",
    "SELECT id FROM dept d WHERE id = (SELECT MIN(val) FROM code c WHERE c.txt = d.id)",
    "SELECT id FROM dept d WHERE id IN (SELECT t.word FROM (SELECT txt AS word FROM code) t)",
    "WITH words AS (SELECT TRIM(txt) AS word FROM code) SELECT id FROM dept WHERE id IN (SELECT word FROM words)",
    "SELECT txt FROM code WHERE txt IN (SELECT id FROM dept)",
    "SELECT txt, (SELECT COUNT(*) FROM dept d WHERE d.id = c.txt) AS n FROM code c",
]
# Numbers are read out of texts.
READ = [
    "SELECT SUM(amt) * 2 / 5, AVG(amt), SUM(DISTINCT place), AVG(DISTINCT place) FROM loose",
    "SELECT SUM(amt) / COUNT(*) FROM loose WHERE id = 3",
    "SELECT AVG(NULLIF(amt, '')), SUM(REPLACE(REPLACE(amt, '$', ''), ',', '')) FROM loose",
    "SELECT AVG(t.y), SUM(t.y) FROM (SELECT SUBSTR(txt, 1, 1) AS y FROM code) t",
    "SELECT SUM(COALESCE(amt, '7')), AVG(CASE WHEN id > 1 THEN amt ELSE '9' END) FROM loose",
    "SELECT id, AVG(amt) OVER () AS a, SUM(place) OVER (ORDER BY id) AS s FROM loose",
    "SELECT AVG(t.p) FROM (SELECT LAG(place) OVER (ORDER BY id) AS p FROM loose) t",
    "SELECT AVG(t.w) FROM (SELECT dept_id, MAX(name) AS w FROM emp GROUP BY dept_id) t",
    "SELECT SUM(active), AVG(pay > 35) FROM emp",
    "SELECT REPLACE(name, CHAR(97), CHAR(44, 65)) FROM emp",
    "SELECT id FROM dept WHERE opened > 0",
]
INTERVALS = ["1 day 02:30:00", "1.5 days", "2h", "1 year 2 days", "-3 hours"]
POSTGRESQL_S = ["1 month ago", "P1M", "- 1 day", ".5 day", "1 day 3.5"]
STATEMENTS: list[tuple[tuple[DialectName, ...], str]] = [
    *((LENIENT, sql) for sql in (*SEVERAL, *READ)),
    (("mysql",), "SELECT id FROM dept WHERE opened IN (SELECT '2020-1-1' UNION ALL SELECT '2020-01-01')"),
    (("mysql",), "SELECT id, (SELECT AVG(pay) * 3 FROM emp) AS v FROM dept"),
    (("mysql",), "SELECT id, (SELECT ROUND(AVG(pay), 6) FROM emp WHERE id <> 4) AS v FROM dept"),
    (("mysql",), "SELECT id, (SELECT ROUND(SUM(pay) / 7, 8) FROM emp e WHERE e.dept_id = d.id) AS v FROM dept d"),
    (("mysql",), "SELECT id, (SELECT COALESCE(SUM(pay), 0) / 7 FROM emp e WHERE e.dept_id = d.id) AS v FROM dept d"),
    (("mysql",), "SELECT d.id FROM dept d STRAIGHT_JOIN emp e ON e.dept_id = d.id"),
    (("mysql",), "SELECT STRAIGHT_JOIN d.id FROM dept d FORCE INDEX (PRIMARY) JOIN emp e USE INDEX () ON e.id = d.id"),
    (("mysql",), "SELECT taken + INTERVAL '1 2' DAY_HOUR, taken + INTERVAL '1:30' MINUTE_SECOND FROM moments"),
    (("mysql",), "SELECT 0x41, HEX(0x1F + 1), 0b11 + 0, x'41' FROM dept WHERE id < 0x03"),
    (("sqlite",), "SELECT f.id, e.id FROM films f JOIN emp e ON f.made = e.id"),
    (("sqlite",), "SELECT f.id, e.id FROM films f LEFT JOIN emp e ON f.made = e.id AND e.pay > 20"),
    (("sqlite",), "SELECT id FROM films WHERE made IN (SELECT id FROM emp)"),
    (("sqlite",), "SELECT id, made NOT IN (SELECT id FROM emp) AS f FROM films WHERE made > 0"),
    (("sqlite",), "SELECT SUM(made), AVG(made), SUM(made) / 4 FROM films"),
    (("sqlite",), "SELECT 0x1F + 1, -0xff, id FROM dept WHERE id < 0x03"),
    (("sqlite",), "SELECT id, TOTAL(pay) OVER (ORDER BY id) AS t, GROUP_CONCAT(name) OVER (ORDER BY id) AS g FROM emp"),
    (DIALECTS, "SELECT id FROM dept WHERE id IN (SELECT val FROM code)"),
    (("sqlite", "postgresql", "duckdb"), "SELECT id FROM dept WHERE id IN (VALUES (1), (3))"),
    (("sqlite", "postgresql", "duckdb"), "SELECT id, id NOT IN (VALUES (1), (3)) AS f FROM dept"),
    (("sqlite", "postgresql"), "SELECT id, RANK() OVER (ORDER BY pay ROWS UNBOUNDED PRECEDING) AS r FROM emp"),
    (
        ("sqlite", "postgresql"),
        "SELECT id, LAG(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS p FROM emp",
    ),
    (
        ("sqlite", "postgresql", "duckdb"),
        "SELECT id, RANK() OVER (PARTITION BY pay) + 1 AS r, CUME_DIST() OVER () AS c, PERCENT_RANK() OVER () FROM emp",
    ),
    *((STRICT, f"SELECT taken + INTERVAL '{text}' FROM moments") for text in INTERVALS),
    *((("postgresql",), f"SELECT taken + INTERVAL '{text}' FROM moments") for text in POSTGRESQL_S),
    (STRICT, "SELECT INTERVAL '1 day' later, taken - INTERVAL '36 hours' AS earlier FROM moments"),
    (STRICT, "SELECT taken + INTERVAL '2' DAY, taken + INTERVAL '1' MONTH + INTERVAL '1 year 2 days' FROM moments"),
    (("postgresql",), "SELECT taken + INTERVAL '1.5' DAY, taken + INTERVAL '1 02:30' DAY TO MINUTE FROM moments"),
    (("duckdb",), "SELECT taken + INTERVAL 3 DAYS, taken + INTERVAL '3' WEEKS FROM moments"),
    (STRICT, "SELECT id, SUM(id) OVER (ORDER BY taken RANGE INTERVAL '40 days' PRECEDING) FROM moments"),
    (STRICT, "SELECT string_agg(name, ',' ORDER BY id DESC), string_agg(name, '-' ORDER BY id DESC) FROM emp"),
    (STRICT, "SELECT string_agg(name, ',' ORDER BY pay + 1), string_agg(UPPER(name), ',' ORDER BY pay + 1) FROM emp"),
    (STRICT, "SELECT string_agg(t.name, ',' ORDER BY t.pay) FROM (SELECT name, pay FROM emp ORDER BY name DESC) t"),
    (("mysql",), "SELECT GROUP_CONCAT(name ORDER BY id DESC), GROUP_CONCAT(pay ORDER BY id DESC) FROM emp"),
    (STRICT, "SELECT id, string_agg(name, ',') OVER (ORDER BY id) AS g, bool_and(pay > 40) OVER () AS b FROM emp"),
    (STRICT, "SELECT id, stddev_samp(pay) OVER (ORDER BY id) AS s FROM emp"),
    (("duckdb",), "SELECT id, COUNT_IF(pay > 40) OVER (ORDER BY id) AS n FROM emp"),
    (("duckdb",), "SELECT name FROM emp UNION ALL SELECT id FROM emp"),
    (("postgresql",), "SELECT '2024-01-01' AS d UNION ALL SELECT opened FROM dept"),
]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Door]]:
    opened: dict[str, Door] = {}
    made = [
        scratch(name, TABLES + ONLY_SQLITE * (name == "sqlite"), tmp_path_factory.mktemp(name)) for name in DIALECTS
    ]
    for dialect, database in zip(DIALECTS, made, strict=True):
        opened[dialect] = open_door(database.__enter__())
    yield opened
    for door, database in zip(opened.values(), made, strict=True):
        door.close()
        database.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("dialect", "sql"), [(dialect, sql) for dialects, sql in STATEMENTS for dialect in dialects]
)
def test_the_program_returns_what_the_sql_returns(doors: dict[str, Door], dialect: DialectName, sql: str) -> None:
    door = doors[dialect]
    lifted = lift(sql, door.catalogue, dialect)
    statement, failure = compiled(lifted, door)
    assert failure is None
    wanted, got = door.query(sql), door.query(statement)
    assert is_equal(wanted, got, lifted), f"{statement}\nwanted {wanted.rows}\ngot {got.rows}"


@pytest.mark.parametrize("sql", ["SELECT 0x1F + 1", "SELECT 0b101 + 0o17 + 1_000"])
def test_numbers_in_other_bases_stay_numbers(sql: str) -> None:
    """What PostgreSQL reads from version 16 on."""
    assert sql.removeprefix("SELECT ") in str(lift(sql, catalogue("postgresql"), "postgresql").program)


def test_optimiser_hints_are_left_out_unless_they_change_the_meaning() -> None:
    sql = "SELECT /*+ {} */ id FROM staff"
    assert lift(sql.format("BKA(staff) MAX_EXECUTION_TIME(9)"), catalogue("mysql"), "mysql").program
    with pytest.raises(CannotLiftError, match="SET_VAR"):
        lift(sql.format("SET_VAR(sql_mode = '')"), catalogue("mysql"), "mysql")


@pytest.mark.parametrize("call", ["STDDEV(wage)", "VARIANCE(wage)"])
def test_a_deviation_of_a_population_is_no_sample_s_in_a_window(call: str) -> None:
    with pytest.raises(CannotLiftError, match="window function"):
        lift(f"SELECT {call} OVER () FROM staff", catalogue("mysql"), "mysql")
