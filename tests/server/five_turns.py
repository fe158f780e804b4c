"""A small shop and what a scripted model says about it: five turns with two mended errors, a probe and two results."""

from __future__ import annotations

import json
from typing import Any

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
INSERT INTO customers VALUES (1, 'Ann', 'DE'), (2, 'Bob', 'DE'), (3, 'Cid', 'FR');
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total NUMERIC(10, 2));
INSERT INTO orders VALUES (1, 1, 10.5), (2, 1, 20), (3, 2, 5), (4, 3, 100);
CREATE TABLE many (n INTEGER);
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 5000)
INSERT INTO many SELECT n FROM counted;
"""


def calls(thought: str, *batch: dict[str, Any]) -> str:
    return f"<think>{thought}</think>{json.dumps(batch)}"


def op(name: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": name, "args": args, **({"out": out} if out else {})}


FIVE_TURNS = [
    calls("Look at both tables.", op("table_ref", "o", table="orders"), op("table_ref", "c", table="custmers")),
    calls("Its name differs.", op("table_ref", "c", table="customers"), op("probe_values", rel="c", column="country")),
    calls("All orders.", op("filter_expr", "paid", rel="o", predicate="totl > 0"), op("execute", rel="o")),
    calls(
        "The column is total. Join, keep Germany, sum.",
        op("execute", rel="o"),
        op("join_table", "j", left="o", right="c", how="inner", on=[["customer_id", "id"]]),
        op("filter_expr", "de", rel="j", predicate="country = 'DE'"),
        op("aggregate", "sums", rel="de", group_by=["name"], aggs=[{"fn": "sum", "column": "total", "as": "sales"}]),
        op("materialize", "kept", rel="sums"),
        op("execute", rel="kept"),
    ),
    '<think>Done.</think>{"final": "Per customer: <execute_result_2>."}',
]
