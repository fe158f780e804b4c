"""What each database holds, read for real."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable

import pytest
from sqlalchemy.engine import make_url

from connections.catalogue import Catalogue, Column, ForeignKey, Table
from connections.door import Door
from connections.drivers import driver_for
from connections.errors import ConnectionFailedError
from tests.connections.servers import ask
from tests.databases import POSTGRES_URL

NewDatabase = Callable[..., str]

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, email VARCHAR(80), UNIQUE (email));
CREATE TABLE line (
  order_id INTEGER NOT NULL, position INTEGER NOT NULL, customer_id INTEGER, price DECIMAL(10, 2),
  PRIMARY KEY (order_id, position), FOREIGN KEY (customer_id) REFERENCES customer (id)
);
CREATE VIEW cheap AS SELECT order_id, price FROM line WHERE price < 5;
INSERT INTO customer VALUES (1, 'Ann', NULL), (2, 'Bob', 'b@x')
"""


def catalogue_of(url: str, *schemas: str) -> Catalogue:
    return driver_for(url).catalogue(schemas)


def one(catalogue: Catalogue, name: str) -> Table:
    (table,) = catalogue.find(name)
    return table


def test_tables_keys_and_views_are_read_alike_everywhere(new_database: NewDatabase, dialect: str) -> None:
    catalogue = catalogue_of(new_database(dialect, SHOP))
    assert [(table.name, table.kind) for table in catalogue.tables] == [
        ("cheap", "view"), ("customer", "table"), ("line", "table"),
    ]  # fmt: skip
    customer, line = one(catalogue, "customer"), one(catalogue, "line")
    assert (customer.primary_key, customer.unique) == (("id",), (("email",),))
    assert [column.nullable for column in customer.columns] == [False, False, True]
    assert (line.primary_key, line.unique) == (("order_id", "position"), ())
    assert line.foreign_keys == (ForeignKey(("customer_id",), customer.schema, "customer", ("id",)),)
    assert [(column.name, column.semantic) for column in line.columns] == [
        ("order_id", "integer"), ("position", "integer"), ("customer_id", "integer"), ("price", "decimal"),
    ]  # fmt: skip
    assert one(catalogue, "cheap").columns[1].semantic == "decimal"
    assert catalogue.server_version
    assert catalogue.warnings == ()


def test_a_column_of_sqlite_names_the_collation_by_which_it_compares_texts(new_database: NewDatabase) -> None:
    sql = """
    CREATE TABLE words (id INTEGER PRIMARY KEY, word VARCHAR(9) COLLATE NOCASE, "the end" TEXT COLLATE "RTRIM" NOT NULL,
      free COLLATE nocase, plain TEXT COLLATE BINARY);
    CREATE TABLE notes (note TEXT DEFAULT 'COLLATE NOCASE');
    """
    catalogue = catalogue_of(new_database("sqlite", sql))
    assert [(column.type, column.semantic) for column in one(catalogue, "words").columns] == [
        ("INTEGER", "integer"), ("VARCHAR(9) COLLATE NOCASE", "text"), ("TEXT COLLATE RTRIM", "text"),
        ("COLLATE nocase", "unknown"), ("TEXT", "text"),
    ]  # fmt: skip
    assert one(catalogue, "notes").columns[0].type == "TEXT"


def test_only_an_alias_of_the_rowid_is_a_primary_key_without_null_in_sqlite(new_database: NewDatabase) -> None:
    sql = """
        CREATE TABLE plain (id INTEGER PRIMARY KEY); CREATE TABLE texts (code TEXT PRIMARY KEY);
        CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (a, b)); INSERT INTO pairs VALUES (NULL, 1), (NULL, 1);
        CREATE TABLE strict (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
    """
    tables = catalogue_of(new_database("sqlite", sql)).tables
    told = {table.name: [column.nullable for column in table.columns] for table in tables}
    assert told == {"plain": [False], "texts": [True], "pairs": [True, True], "strict": [False, False]}


def test_a_catalogue_survives_being_stored_and_a_change_shows(new_database: NewDatabase, dialect: str) -> None:
    catalogue = catalogue_of(new_database(dialect, SHOP))
    stored = Catalogue.from_json(catalogue.to_json())
    assert stored == catalogue
    assert stored.fingerprint == catalogue.fingerprint
    assert catalogue_of(new_database(dialect, SHOP.replace("price <", "1 <"))).tables != ()
    renamed = catalogue_of(new_database(dialect, SHOP.replace("name VARCHAR", "full_name VARCHAR")))
    if dialect != "mysql":  # there the schema's name is part of it
        assert catalogue_of(new_database(dialect, SHOP)).fingerprint == catalogue.fingerprint
    assert renamed.fingerprint != catalogue.fingerprint


SQLITE = """
CREATE TABLE "we""ird 客 [x]" ("a ""b" TEXT, "c.d" INT);
CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE made (a INT, b INT GENERATED ALWAYS AS (a * 2) VIRTUAL, c INT GENERATED ALWAYS AS (a * 3) STORED);
CREATE UNIQUE INDEX one_active ON made (a) WHERE a > 0;
CREATE UNIQUE INDEX by_expression ON made (a + 1);
CREATE TABLE child (x INT REFERENCES keyed);
CREATE VIRTUAL TABLE notes USING fts5 (title, body);
INSERT INTO notes VALUES ('first', 'hello world');
CREATE VIEW broken AS SELECT missing FROM made;
CREATE VIEW works AS SELECT a + b AS total FROM made;
INSERT INTO made (a) VALUES (1), (2);
ANALYZE
"""


def test_sqlites_own_kinds_are_read(new_database: NewDatabase) -> None:
    url = new_database("sqlite", SQLITE)
    catalogue = catalogue_of(url)
    assert [table.name for table in catalogue.tables] == ["child", "keyed", "made", "notes", 'we"ird 客 [x]', "works"]
    made = one(catalogue, "made")
    assert [column.name for column in made.columns] == ["a", "b", "c"]
    assert (made.unique, made.row_estimate) == ((), 2)
    assert one(catalogue, "keyed").primary_key == ("k",)
    assert one(catalogue, "child").foreign_keys == (ForeignKey(("x",), None, "keyed", ("k",)),)
    assert [column.name for column in one(catalogue, "notes").columns] == ["title", "body"]
    assert [column.name for column in one(catalogue, 'we"ird 客 [x]').columns] == ['a "b', "c.d"]
    assert catalogue.warnings == ("broken cannot be read and is left out: no such column: missing",)


def test_a_full_text_table_can_be_asked(new_database: NewDatabase) -> None:
    driver = driver_for(new_database("sqlite", SQLITE))
    with Door(driver, driver.catalogue()) as door:
        assert door.query("SELECT title FROM notes WHERE body LIKE '%world%'").rows == (("first",),)


POSTGRES = """
CREATE SCHEMA "HR dept"; CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN cents AS numeric(12, 0) NOT NULL;
CREATE TABLE "HR dept".people (id int, feeling mood, pay cents, tags text[], span int4range, at timestamptz(3));
COMMENT ON TABLE "HR dept".people IS 'Who works here'; COMMENT ON COLUMN "HR dept".people.pay IS 'in cents';
CREATE UNIQUE INDEX ON "HR dept".people (id) INCLUDE (pay);
CREATE UNIQUE INDEX ON "HR dept".people (feeling) WHERE id > 3;
CREATE TABLE parts (id int, region text) PARTITION BY LIST (region);
CREATE TABLE parts_eu PARTITION OF parts FOR VALUES IN ('eu');
CREATE TABLE parts_us PARTITION OF parts FOR VALUES IN ('us');
INSERT INTO parts SELECT i, CASE WHEN i % 2 = 0 THEN 'eu' ELSE 'us' END FROM generate_series(1, 100) i;
CREATE MATERIALIZED VIEW summed AS SELECT region, COUNT(*) AS n FROM parts GROUP BY region;
CREATE TABLE gone (a int, b int, c int); ALTER TABLE gone DROP COLUMN b;
ANALYZE
"""


def test_postgresqls_own_kinds_are_read(new_database: NewDatabase) -> None:
    catalogue = catalogue_of(new_database("postgresql", POSTGRES))
    assert [(table.qualified, table.kind) for table in catalogue.tables] == [
        ("HR dept.people", "table"), ("public.gone", "table"), ("public.parts", "partitioned table"),
        ("public.summed", "materialized view"),
    ]  # fmt: skip
    people = one(catalogue, "HR dept.people")
    assert (people.comment, people.unique) == ("Who works here", (("id",),))
    assert people.columns[1:] == (
        Column("feeling", "mood", "enum", True, "one of: sad, ok"),
        Column("pay", "cents", "decimal", False, "in cents"),
        Column("tags", "text[]", "array"),
        Column("span", "int4range", "range"),
        Column("at", "timestamp(3) with time zone", "timestamptz"),
    )
    assert [column.name for column in one(catalogue, "gone").columns] == ["a", "c"]
    assert (one(catalogue, "parts").row_estimate, one(catalogue, "summed").row_estimate) == (100, 2)
    assert catalogue.default_schema == "public"


def test_chosen_schemas_are_read_and_missing_ones_told(new_database: NewDatabase) -> None:
    catalogue = catalogue_of(new_database("postgresql", POSTGRES), "HR dept", "nowhere")
    assert [table.qualified for table in catalogue.tables] == ["HR dept.people"]
    assert catalogue.warnings == ("The schema nowhere holds no tables, or does not exist.",)


def test_what_a_role_may_not_read_becomes_a_warning(new_database: NewDatabase) -> None:
    url = new_database("postgresql", POSTGRES)
    name = f"limited_{uuid.uuid4().hex[:8]}"
    ask(url, f"CREATE ROLE {name} LOGIN", f"GRANT SELECT ON parts TO {name}", f"GRANT SELECT (a) ON gone TO {name}")
    try:
        catalogue = catalogue_of(make_url(url).set(username=name).render_as_string(hide_password=False))
        assert {table.qualified: [c.name for c in table.columns] for table in catalogue.tables} == {
            "public.gone": ["a"],
            "public.parts": ["id", "region"],
        }
        assert catalogue.warnings == (
            "HR dept.people cannot be read by this role and is left out.",
            "public.summed cannot be read by this role and is left out.",
            "Columns that this role cannot read are left out: public.gone.c.",
        )
    finally:
        ask(url, f"DROP OWNED BY {name}")
        ask(POSTGRES_URL, f"DROP ROLE {name}")


MYSQL = """
CREATE TABLE people (id INT UNSIGNED PRIMARY KEY COMMENT 'number', feeling ENUM('sad', 'ok'), flags SET('a', 'b'),
  bits BIT(3), price DECIMAL(10, 2) UNSIGNED, born DATE, at DATETIME(3), took TIME, UNIQUE KEY (feeling, born))
  COMMENT 'Who works here';
CREATE TABLE base (a INT); CREATE VIEW broken AS SELECT a FROM base; CREATE VIEW works AS SELECT id FROM people;
DROP TABLE base
"""


def test_mysqls_own_kinds_are_read(new_database: NewDatabase) -> None:
    catalogue = catalogue_of(new_database("mysql", MYSQL))
    assert [(table.name, table.kind) for table in catalogue.tables] == [("people", "table"), ("works", "view")]
    people = one(catalogue, "people")
    assert (people.comment, people.unique, people.columns[0].comment) == (
        "Who works here", (("feeling", "born"),), "number",
    )  # fmt: skip
    assert [column.semantic for column in people.columns] == [
        "integer", "enum", "text", "integer", "decimal", "date", "timestamp", "time",
    ]  # fmt: skip
    assert people.columns[1].type == "enum('sad','ok')"
    assert len(catalogue.warnings) == 1
    assert "broken cannot be read" in catalogue.warnings[0]


DUCKDB = """
CREATE SCHEMA "HR dept"; CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE "HR dept".people (id INTEGER, feeling mood, s STRUCT(a INTEGER, b VARCHAR), l INTEGER[], m MAP(VARCHAR, INT));
COMMENT ON TABLE "HR dept".people IS 'Who works here'; COMMENT ON COLUMN "HR dept".people.id IS 'number';
CREATE TABLE base (a INT); CREATE VIEW broken AS SELECT a FROM base; DROP TABLE base;
CREATE VIEW works AS SELECT id, INTERVAL 1 MONTH AS gap FROM "HR dept".people
"""  # noqa: E501


def test_duckdbs_own_kinds_are_read(new_database: NewDatabase) -> None:
    catalogue = catalogue_of(new_database("duckdb", DUCKDB))
    assert [table.qualified for table in catalogue.tables] == ["HR dept.people", "main.works"]
    people = one(catalogue, "people")
    assert (people.comment, people.columns[0].comment, people.row_estimate) == ("Who works here", "number", 0)
    assert [column.semantic for column in people.columns] == ["integer", "enum", "struct", "array", "struct"]
    assert [column.semantic for column in one(catalogue, "works").columns] == ["integer", "interval"]
    assert "main.broken cannot be read" in catalogue.warnings[0]
    assert catalogue_of(new_database("duckdb", DUCKDB), "main").find("people") == ()


def test_a_damaged_file_is_told_in_plain_words(new_database: NewDatabase) -> None:
    url = new_database("sqlite", "CREATE TABLE good (a INT); CREATE TABLE bad (a INT)")
    with sqlite3.connect(str(make_url(url).database)) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute("UPDATE sqlite_master SET rootpage = 9999 WHERE name = 'bad'")
    connection.close()
    with pytest.raises(ConnectionFailedError, match="damaged: malformed database schema"):
        catalogue_of(url)
