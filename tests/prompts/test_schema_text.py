"""What the model is told of a database: everything where it fits, else what matters, and the rest by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agents.prompts.layouts import brief, create_table
from agents.prompts.ranking import rank, words
from agents.prompts.schema_text import schema_text, tokens_in
from connections.catalogue import Catalogue, Column, ForeignKey, Table

CUSTOMERS = Table(
    "customers",
    columns=(
        Column("id", "INTEGER", "integer"),
        Column("name", "TEXT", "text", comment="as on\nthe invoice"),
        Column("Home City", "TEXT", "text"),
        Column("age", "INTEGER", "integer"),
    ),
    primary_key=("id",),
    unique=(("name",),),
    comment="who buys",
)
ORDERS = Table(
    "orders",
    columns=(Column("id", "INTEGER"), Column("customer_id", "INTEGER"), Column("order", "TEXT")),
    primary_key=("id",),
    foreign_keys=(ForeignKey(("customer_id",), None, "customers", ("id",)),),
)
LINES = Table(
    "order_lines",
    columns=(Column("order_id", "INTEGER"), Column("no", "INTEGER"), Column("amount", "NUMERIC(10, 2)")),
    primary_key=("order_id", "no"),
    foreign_keys=(ForeignKey(("order_id",), None, "orders", ("id",)),),
)
SHOP = Catalogue(
    "sqlite",
    (CUSTOMERS, ORDERS, LINES),
    notes={"": "Amounts are in euros.", "orders": "Cancelled ones, too.", "order_lines.amount": "net"},
)

BRIEF = """\
Amounts are in euros.

customers: who buys
  id INTEGER, key
  name TEXT: as on the invoice
  Home City TEXT
  age INTEGER
  unique (name)

orders: Cancelled ones, too.
  id INTEGER, key
  customer_id INTEGER -> customers.id
  order TEXT

order_lines
  order_id INTEGER -> orders.id
  no INTEGER
  amount NUMERIC(10, 2): net
  key (order_id, no)"""

DDL = """\
Amounts are in euros.

CREATE TABLE customers ( -- who buys
  id INTEGER PRIMARY KEY,
  name TEXT, -- as on the invoice; e.g. 'O''Hara', 'Ana'
  "Home City" TEXT,
  age INTEGER -- e.g. 30, 41
);

CREATE TABLE orders ( -- Cancelled ones, too.
  id INTEGER PRIMARY KEY,
  customer_id INTEGER,
  "order" TEXT,
  FOREIGN KEY (customer_id) REFERENCES customers (id)
);

CREATE TABLE order_lines (
  order_id INTEGER,
  no INTEGER,
  amount NUMERIC(10, 2), -- net
  PRIMARY KEY (order_id, no),
  FOREIGN KEY (order_id) REFERENCES orders (id)
);"""


def examples(table: Table) -> Mapping[str, Sequence[str]]:
    return {"id": ["1", "2"], "age": ["30", "41"], "name": ["'O''Hara'", "'Ana'"]} if table is CUSTOMERS else {}


def test_a_small_schema_is_shown_in_full() -> None:
    shown = schema_text(SHOP, "anything", budget=10_000, layout=brief)
    assert shown.text == BRIEF
    assert shown.shown == ("customers", "orders", "order_lines")
    assert shown.folded == ()


def test_as_sql_it_carries_quoted_names_and_example_values() -> None:
    assert schema_text(SHOP, "anything", budget=10_000, layout=create_table, examples=examples).text == DDL


def test_what_fits_is_the_same_for_every_question() -> None:
    first, second = (schema_text(SHOP, question, budget=10_000, layout=brief) for question in ("orders?", "customers?"))
    assert first == second


@pytest.mark.parametrize(
    ("dialect", "name", "written"),
    [
        ("postgresql", "Name", '"Name"'),
        ("postgresql", "name", "name"),
        ("sqlite", "Name", "Name"),
        ("mysql", "group", "`group`"),
        ("duckdb", 'a"b', '"a""b"'),
        ("sqlite", "1st", '"1st"'),
    ],
)
def test_names_are_quoted_where_the_dialect_needs_it(dialect: Any, name: str, written: str) -> None:
    catalogue = Catalogue(dialect, (Table("t", columns=(Column(name, "TEXT"),)),))
    assert f"  {written} TEXT" in schema_text(catalogue, "", budget=1000, layout=create_table).text


def test_only_tables_outside_the_default_schema_carry_theirs() -> None:
    tables = (Table("a", "public", columns=(Column("x", "int"),)), Table("b", "sales", columns=(Column("x", "int"),)))
    text = schema_text(Catalogue("postgresql", tables, "public"), "", budget=1000, layout=brief).text
    assert text == "a\n  x int\n\nsales.b\n  x int"


def test_long_and_broken_values_stay_on_one_short_line() -> None:
    table = Table("t", columns=(Column("x", "TEXT"),))
    text = create_table(table, Catalogue("sqlite", (table,)), {"x": ["a\n" * 100]})
    assert len(text.splitlines()) == 3
    assert max(map(len, text.splitlines())) < 70


def test_words_are_found_in_names() -> None:
    assert words("OrderLines_2 categories XMLAddresses") == ["order", "line", "2", "category", "xml", "address"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How many customers are there?", "customers"),
        ("the total amount", "order_lines"),
        ("invoices by name", "customers"),
        ("list all costumers", "customers"),
        ("cancelled?", "orders"),
    ],
)
def test_the_table_that_the_question_speaks_of_comes_first(question: str, first: str) -> None:
    assert rank(SHOP, question)[0].name == first


def test_known_values_help_to_rank() -> None:
    assert rank(SHOP, "everything about Lisbon", {"orders": ["Lisbon"]})[0].name == "orders"


def large(count: int) -> Catalogue:
    """Many tables that the question does not name, one that it does, and its neighbour."""
    filler = tuple(
        Table(f"{_name(n)}_register", columns=tuple(Column(f"{_name(n + k)}_code", "VARCHAR(20)") for k in range(8)))
        for n in range(count)
    )
    owner = Table("vessels", columns=(Column("id", "INTEGER"), Column("harbour", "TEXT")), primary_key=("id",))
    trips = Table(
        "xq17",
        columns=(Column("vessel_id", "INTEGER"), Column("tons", "INTEGER")),
        foreign_keys=(ForeignKey(("vessel_id",), None, "vessels", ("id",)),),
    )
    return Catalogue("postgresql", (*filler[: count // 2], owner, *filler[count // 2 :], trips))


def _name(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "".join(letters[(number // 26**place + 7 * place) % 26] for place in range(4))


def test_five_thousand_tables_fit_the_budget() -> None:
    shown = schema_text(large(5000), "How many vessels lie in the harbour?", budget=6000, layout=brief)
    assert tokens_in(shown.text) <= 6000
    assert {"vessels", "xq17"} <= set(shown.shown)
    left = 5002 - len(shown.shown) - len(shown.folded)
    assert f"and {left:,} more whose names are not listed" in shown.text
    assert all(name in shown.text for name in shown.folded)


def test_the_tail_is_listed_by_name() -> None:
    shown = schema_text(large(120), "vessels in the harbour", budget=3000, layout=brief)
    assert shown.folded
    assert all(name in shown.text for name in shown.folded)


def test_look_alike_tables_are_shown_by_one_of_them() -> None:
    days = tuple(
        Table(f"events_2024{n:04}", columns=(Column("at", "TIMESTAMP"), Column("kind", "TEXT"))) for n in range(400)
    )
    shown = schema_text(Catalogue("postgresql", (*days, CUSTOMERS)), "events by kind", budget=400, layout=brief)
    assert set(shown.shown) == {"events_20240399", "customers"}
    assert "the same columns: events_20240000" in shown.text
    assert "(399 tables)" in shown.text
    assert len(shown.folded) == 399, "one who sees the first and the last knows those between"


def test_examples_are_asked_only_for_tables_that_are_shown() -> None:
    asked: list[str] = []

    def ask(table: Table) -> Mapping[str, Sequence[str]]:
        asked.append(table.name)
        return {}

    shown = schema_text(large(2000), "vessels", budget=1500, layout=create_table, examples=ask)
    assert set(shown.shown) <= set(asked)
    assert len(asked) <= len(shown.shown) + 5
