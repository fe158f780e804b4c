"""A column in the wrong place is told with its right one, the way there, or the names that look like it."""

from __future__ import annotations

import pytest

from agents.engine.misplaced import column_hints, requalified
from connections.catalogue import Catalogue, Column, ForeignKey, Table


def table(name: str, *columns: str, **keys: tuple[str, str]) -> Table:
    """`keys` are column=(table, column)."""
    foreign = tuple(ForeignKey((own,), None, other, (target,)) for own, (other, target) in keys.items())
    return Table(name, columns=tuple(Column(column, "TEXT") for column in columns), foreign_keys=foreign)


SHOP = Catalogue(
    "sqlite",
    (
        table("regions", "id", "region"),
        table("customers", "id", "full_name", "region_id", region_id=("regions", "id")),
        table("orders", "id", "customer_id", "total", customer_id=("customers", "id")),
        table("web log", "visit id", "page"),
    ),
)

HINTS: list[tuple[str, list[str]]] = [
    ("SELECT total FROM orders", []),
    ("SELECT full_name FROM orders", [
        "full_name is a column of customers. To reach it: JOIN customers ON orders.customer_id = customers.id."]),
    ("SELECT region FROM orders", [
        "region is a column of regions. To reach it: JOIN customers ON orders.customer_id = customers.id "
        "JOIN regions ON customers.region_id = regions.id."]),
    ("SELECT o.full_name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id", [
        "full_name is a column of customers (here c)."]),
    ("SELECT page FROM orders", ['page is a column of "web log".']),
    ("SELECT totl FROM orders", ["No table has a column totl. Near: orders.total."]),
    ("SELECT total AS t FROM orders ORDER BY t", []),
    ("WITH x AS (SELECT total AS amount FROM orders) SELECT amount FROM x", []),
    ("SELECT ((", []),
    ("SELECT full_name FROM nowhere", []),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "hints"), HINTS, ids=[sql for sql, _ in HINTS])
def test_hints(sql: str, hints: list[str]) -> None:
    assert column_hints(sql, SHOP) == hints


def test_names_that_only_look_alike_can_be_left_out() -> None:
    assert column_hints("SELECT totl FROM orders", SHOP, similar=False) == []


REQUALIFIED: list[tuple[str, str, list[str]]] = [
    ("SELECT o.full_name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id",
     "SELECT c.full_name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id",
     ["read o.full_name as c.full_name"]),
    ("SELECT c.total /* c.total */, 'c.total' FROM orders JOIN customers c ON c.id = orders.customer_id",
     "SELECT orders.total /* c.total */, 'c.total' FROM orders JOIN customers c ON c.id = orders.customer_id",
     ["read c.total as orders.total"]),
    ("SELECT o.page FROM orders o, \"web log\"", 'SELECT "web log".page FROM orders o, "web log"',
     ['read o.page as "web log".page']),
    ("SELECT o.total FROM orders o", "SELECT o.total FROM orders o", []),
    ("SELECT o.nothing FROM orders o JOIN customers c ON 1 = 1",
     "SELECT o.nothing FROM orders o JOIN customers c ON 1 = 1", []),
    ("SELECT r.total FROM regions r, orders a, orders b", "SELECT r.total FROM regions r, orders a, orders b", []),
    ("SELECT o.region FROM orders o WHERE EXISTS (SELECT 1 FROM regions r)",
     "SELECT o.region FROM orders o WHERE EXISTS (SELECT 1 FROM regions r)", []),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "mended", "notes"), REQUALIFIED, ids=[case[0] for case in REQUALIFIED])
def test_a_wrong_alias_is_corrected_only_where_one_other_is_right(sql: str, mended: str, notes: list[str]) -> None:
    assert requalified(sql, SHOP) == (mended, notes)
