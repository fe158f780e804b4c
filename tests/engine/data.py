"""A tiny shop for the engine's tests: NULL keys, repeated rows, a table with no rows, dates and
decimals that are exact in binary, too."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

Rows = list[tuple[Any, ...]]

TABLES: dict[str, tuple[tuple[str, ...], Rows]] = {
    "customers": (
        ("id", "name", "country"),
        [(1, "ann", "pt"), (2, "bob", "de"), (3, "cleo", None), (4, "dan", "pt"), (5, "eve", "us")],
    ),
    "orders": (
        ("id", "customer", "status", "total"),
        [
            (10, 1, "paid", 30), (11, 1, "open", 12), (12, 2, "paid", 30), (13, None, "paid", 7), (14, 4, "open", None),
            (15, 4, "paid", 45), (16, 2, "void", 0), (17, 9, "paid", 12),
        ],
    ),
    "tags": (
        ("order_id", "tag"),
        [(10, "new"), (10, "new"), (12, "gift"), (12, None), (15, "new"), (17, "gift"), (None, "new"), (15, "sale")],
    ),
    "empty_log": (("id", "note"), []),
    "visits": (
        ("customer", "day", "spent", "page"),
        [
            (1, date(2024, 2, 29), Fraction("12.50"), "home"), (1, date(2024, 1, 1), None, "paid"),
            (2, date(1969, 12, 31), Fraction("0.25"), None), (None, date(1999, 12, 31), Fraction("100.75"), "home"),
            (4, None, Fraction("7.50"), ""), (1, date(2024, 2, 29), Fraction("12.50"), "home"),
        ],
    ),
}  # fmt: skip

CREATE = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, country VARCHAR(20));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, status VARCHAR(20) NOT NULL, total INTEGER);
CREATE TABLE tags (order_id INTEGER, tag VARCHAR(20));
CREATE TABLE empty_log (id INTEGER, note VARCHAR(20));
CREATE TABLE visits (customer INTEGER, day DATE, spent DECIMAL(10, 2), page VARCHAR(20));
"""


def create_sql() -> str:
    """Statements that make the shop in any of the four databases."""
    inserts = [f"INSERT INTO {name} VALUES {', '.join(map(_row, rows))};" for name, (_, rows) in TABLES.items() if rows]
    return CREATE + "\n".join(inserts)


def _row(row: tuple[Any, ...]) -> str:
    return f"({', '.join(map(_cell, row))})"


def _cell(cell: Any) -> str:
    if cell is None:
        return "NULL"
    return f"'{cell}'" if isinstance(cell, str | date) else str(float(cell) if isinstance(cell, Fraction) else cell)
