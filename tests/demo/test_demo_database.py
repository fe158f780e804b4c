"""The demo shop: the same rows from the same seed, whole in both databases, and never over somebody's own tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from connections.demo import rows
from connections.demo.notes import NOTES, QUESTIONS
from connections.demo.shop import Shop, make_shop
from connections.demo.write import SCHEMA, DemoNotWrittenError, holds_shop, write_shop

LAST_DAY = date(2026, 11, 29)
NewDatabase = Callable[..., str]
WRONG_TOTALS = """
    SELECT o.id FROM orders AS o JOIN order_lines AS l ON l.order_id = o.id
    GROUP BY o.id, o.total, o.shipping_fee
    HAVING ABS(SUM(ROUND(l.unit_price * l.quantity * (100 - COALESCE(l.discount_pct, 0)) / 100.0, 2))
               + o.shipping_fee - o.total) > 0.03
"""


@pytest.fixture(scope="module")
def shop() -> Shop:
    return make_shop(LAST_DAY)


def small(shop: Shop) -> Shop:
    """All tables, hardly any rows."""
    return {table: rows if table in ("regions", "categories") else [] for table, rows in shop.items()}


def rows_of(url: str, sql: str) -> list[tuple[object, ...]]:
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(address.database))) as connection:
            return connection.execute(sql).fetchall()
    plain = address.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        return connection.execute(sql.encode()).fetchall()


def test_it_is_as_large_as_promised(shop: Shop) -> None:
    assert 190_000 < sum(map(len, shop.values())) < 220_000
    assert all(shop.values())


def test_the_same_seed_and_day_give_the_same_shop(shop: Shop) -> None:
    assert make_shop(LAST_DAY) == shop
    assert make_shop(LAST_DAY, seed=2) != shop


def test_nothing_happens_after_the_last_day(shop: Shop) -> None:
    moments = [value for table in shop.values() for row in table for value in row if isinstance(value, date)]
    assert max(moment.isoformat()[:10] for moment in moments) <= LAST_DAY.isoformat()


def test_the_row_classes_name_the_columns_of_the_schema() -> None:
    classes = {"regions": rows.Region, "categories": rows.Category, "products": rows.Product, "orders": rows.Order,
               "employees": rows.Employee, "customers": rows.Customer, "order_lines": rows.OrderLine,
               "returns": rows.Return, "support_tickets": rows.SupportTicket,
               "web_sessions": rows.WebSession}  # fmt: skip
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        for table, row in classes.items():
            declared = connection.execute("SELECT name FROM pragma_table_info(?)", [table]).fetchall()
            assert [name for (name,) in declared] == list(row._fields), table


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_every_row_arrives_and_every_reference_holds(shop: Shop, dialect: str, new_database: NewDatabase) -> None:
    url = new_database(dialect, "")
    write_shop(shop, url)
    for table, written in shop.items():
        assert rows_of(url, f"SELECT COUNT(*) FROM {table}") == [(len(written),)], table
    if dialect == "sqlite":
        assert rows_of(url, "PRAGMA foreign_key_check") == []
    assert holds_shop(url)
    assert rows_of(url, WRONG_TOTALS) == []


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT COUNT(DISTINCT channel) > COUNT(DISTINCT LOWER(channel)) FROM orders", "letter case is mixed"),
        ("SELECT COUNT(*) > COUNT(colour) FROM products", "values are missing"),
        ("SELECT COUNT(DISTINCT LOWER(email)) < COUNT(email) FROM customers", "people registered twice"),
        ("SELECT SUM(reason_code IN ('SZ', 'DM')) > 0 FROM returns", "reasons are codes"),
        ("SELECT COUNT(*) = 17 FROM regions WHERE LOWER(country_code) = 'de'", "one country code is in lower case"),
        ("SELECT MAX(n) > 20 FROM (SELECT COUNT(*) AS n FROM orders GROUP BY customer_id)", "some buy often"),
        ("SELECT COUNT(*) > 0 FROM customers WHERE postal_code LIKE '0%'", "postal codes keep a leading zero"),
    ],
)
def test_it_is_messy_where_real_shops_are(shop_file: str, sql: str, why: str) -> None:
    assert rows_of(shop_file, sql) == [(1,)], why


@pytest.fixture(scope="module")
def shop_file(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.sqlite'}"
    write_shop(shop, url)
    return url


def test_notes_are_about_columns_that_exist() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        for name in NOTES:
            table, _, column = name.partition(".")
            found = {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", [table])}
            assert found, name
            assert not column or column in found, name
    assert all(question.endswith("?") for question in QUESTIONS)


def test_postgresql_keeps_the_notes_as_comments(shop: Shop, new_database: NewDatabase) -> None:
    url = new_database("postgresql", "")
    write_shop(small(shop), url)
    assert rows_of(url, "SELECT obj_description('returns'::regclass)") == [(NOTES["returns"],)]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_a_table_of_somebody_else_is_never_touched(shop: Shop, dialect: str, new_database: NewDatabase) -> None:
    url = new_database(dialect, "CREATE TABLE orders (number INTEGER); INSERT INTO orders VALUES (7);")
    with pytest.raises(DemoNotWrittenError, match="orders"):
        write_shop(small(shop), url, replace=True)
    assert rows_of(url, "SELECT number FROM orders") == [(7,)]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_an_earlier_demo_shop_is_replaced_only_when_asked(shop: Shop, dialect: str, new_database: NewDatabase) -> None:
    url = new_database(dialect, "")
    write_shop(small(shop), url)
    with pytest.raises(DemoNotWrittenError, match="--force"):
        write_shop(small(shop), url)
    write_shop({**small(shop), "regions": shop["regions"][:3]}, url, replace=True)
    assert rows_of(url, "SELECT COUNT(*) FROM regions") == [(3,)]


def test_an_interrupted_start_leaves_no_half_shop(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "demo.sqlite"
    broken = {**small(shop), "web_sessions": [("not", "a", "session")]}
    with pytest.raises(sqlite3.Error):
        write_shop(broken, f"sqlite:///{path}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql+pymysql://root@localhost/test", "for SQLite"),
        ("nonsense", "no database URL"),
        ("sqlite://", "for SQLite"),
        ("postgresql+psycopg://postgres:secret@127.0.0.1:1/none", "cannot be reached"),
    ],
)
def test_an_address_it_cannot_use_is_named(url: str, words: str) -> None:
    with pytest.raises(DemoNotWrittenError, match=words) as caught:
        holds_shop(url)
    assert "secret" not in str(caught.value)
