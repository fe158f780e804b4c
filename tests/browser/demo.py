"""What the scripted model says about the demo shop, for pictures of every page with real data behind them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.llm.scripted import Turn

MAIN_QUESTION = (
    "Which products lost us the most to returns in Germany last quarter, compared with the quarter before?"
)
QUARTERS = ("2026-04-01", "2026-07-01", "2026-10-01")


@dataclass(frozen=True)
class Asked:
    """One question with the replies to it, in order."""

    name: str
    question: str
    replies: tuple[Turn, ...]


def call(op: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args, **({"out": out} if out else {})}


def join(out: str, left: str, right: str, *on: tuple[str, str]) -> dict[str, Any]:
    return call("join_table", out, left=left, right=right, how="inner", on=[list(pair) for pair in on])


def reply(thought: str, *calls: dict[str, Any], pace: float = 0.0) -> Turn:
    usage = {"prompt_tokens": 9120, "completion_tokens": 240, "total_tokens": 9360}
    return Turn(f"<think>{thought}</think>\n{json.dumps(calls, ensure_ascii=False)}", pace=pace, usage=usage)


def final(text: str, **more: Any) -> Turn:
    return Turn(f"<think>The result says it.</think>\n{json.dumps({'final': text, **more}, ensure_ascii=False)}")


def _when(quarter: int) -> str:
    return f"returned_at >= '{QUARTERS[quarter]}' AND returned_at < '{QUARTERS[quarter + 1]}'"


FIRST_TURN = reply(
    "Returns point to order lines, which lead to the product, and through the order to the customer and the region. "
    "I start with the German regions and the returns of the two quarters.",
    call("table_ref", "t_returns", table="returns"), call("table_ref", "t_regions", table="regions"),
    call("filter_expr", "de_regions", rel="t_regions", predicate="country_code = 'Germany'"),
    call("filter_expr", "refunds", rel="t_returns", predicate="refund_amt > 0"),
    join("ret_lines", "refunds", "order_lines", ("order_line_id", "id")),
)  # fmt: skip

SECOND_TURN = reply(
    "“Germany” is stored as a country code, DE, once in lower case; the money column is refund_amount. I fix both, "
    "then join returns to lines, orders and German customers.",
    call("filter_expr", "de_regions", rel="t_regions", predicate="lower(country_code) = 'de'"),
    call("filter_expr", "recent", rel="t_returns",
         predicate=f"returned_at >= '{QUARTERS[0]}' AND returned_at < '{QUARTERS[2]}'"),
    call("table_ref", "t_lines", table="order_lines"), join("ret_lines", "recent", "t_lines", ("order_line_id", "id")),
    call("table_ref", "t_orders", table="orders"), join("ret_orders", "ret_lines", "t_orders", ("order_id", "id")),
    call("table_ref", "t_customers", table="customers"),
    join("de_customers", "t_customers", "de_regions", ("region_id", "id")),
)  # fmt: skip

THIRD_TURN = reply(
    "Now the German customers' returns, summed for each product and quarter.",
    join("de_returns", "ret_orders", "de_customers", ("customer_id", "id")),
    call("table_ref", "t_products", table="products"),
    call("select_columns", "goods", rel="t_products", columns=[{"column": "id", "as": "goods_id"}, "sku",
                                                               {"column": "name", "as": "product"}]),
    join("sold", "de_returns", "goods", ("product_id", "goods_id")),
    call("aggregate", "by_product", rel="sold", group_by=["sku", "product"],
         aggs=[{"fn": "sum", "column": "refund_amount", "as": "q2", "filter": _when(0)},
               {"fn": "sum", "column": "refund_amount", "as": "q3", "filter": _when(1)},
               {"fn": "count", "column": "*", "as": "returns"}]),
)  # fmt: skip

FOURTH_TURN = reply(
    "I round to cents, add the change and put the largest loss of the last quarter first.",
    call("derive_column", "q2", rel="by_product", name="refunds_q2", expr="round(q2, 2)"),
    call("derive_column", "q3", rel="q2", name="refunds_q3", expr="round(q3, 2)"),
    call("derive_column", "with_change", rel="q3", name="change",
         expr="round(coalesce(q3, 0) - coalesce(q2, 0), 2)"),
    call("select_columns", "chosen", rel="with_change",
         columns=["sku", "product", "returns", "refunds_q2", "refunds_q3", "change"]),
    call("order_by", "ranked", rel="chosen", keys=[["refunds_q3", "desc", "nulls_last"]]),
    call("execute", rel="ranked"),
)  # fmt: skip

BY_MONTH = reply(
    "Orders have a time; I count them by month.",
    call("table_ref", "t_orders", table="orders"),
    call("derive_column", "months", rel="t_orders", name="month", expr="strftime('%Y-%m', ordered_at)"),
    call("aggregate", "by_month", rel="months", group_by=["month"],
         aggs=[{"fn": "count", "column": "*", "as": "orders"}]),
    call("order_by", "in_order", rel="by_month", keys=[["month", "asc"]]), call("execute", rel="in_order"),
)  # fmt: skip

# A product of two large tables: the database is at work on it for as long as the picture takes.
HEAVY = reply(
    "I compare every visit with every order line, which is a lot.",
    call("table_ref", "visits", table="web_sessions"), call("table_ref", "lines", table="order_lines"),
    call("join_table", "pairs", left="visits", right="lines", how="cross", on=[]),
    call("aggregate", "by_source", rel="pairs", group_by=["source"],
         aggs=[{"fn": "avg", "column": "seconds", "as": "seconds"}, {"fn": "sum", "column": "quantity", "as": "sold"}]),
    call("execute", rel="by_source"),
    call("order_by", "ranked", rel="by_source", keys=[["sold", "desc"]]), call("execute", rel="ranked"),
)  # fmt: skip

THINKING = Turn(
    "<think>Returns point to order lines, which lead to the product, and through the order to the day of the sale. I "
    "count the days between both, keep those up to 14, and compare their number with what was sold of each product, "
    "because a product that sells much is also returned much. First I look at how the states are spelt.",
    chunk=4, pace=1.2,
)  # fmt: skip


def stories(database: Path) -> list[Asked]:
    """The answered questions first; the last one stays at work."""
    options = ["Sales after returns", "Margin", "Number of orders", "Sales, returns not taken off"]
    clarify = final("What makes a customer one of the best?", clarify={"options": options})
    answer = final(f"{_sentence(database)} The list has <execute_result_1>.")
    circles = reply("I look at the customers.", call("table_ref", "c", table="customer"))
    return [
        Asked("chart", "How many orders came in each month?", (BY_MONTH, final("All months: <execute_result_1>."))),
        Asked("failed", "Customer lifetime by first product", (circles, circles, circles)),
        Asked("clarify", "Who are our best customers this year?", (clarify,)),
        Asked("answered", MAIN_QUESTION, (FIRST_TURN, SECOND_TURN, THIRD_TURN, FOURTH_TURN, answer)),
        Asked("running", "Which visits lead to the largest baskets?", (FIRST_TURN, HEAVY)),
    ]  # fmt: skip


def _sentence(database: Path) -> str:
    """The answer in words, with the numbers of this day's demo data."""
    sql = """
        SELECT p.name, coalesce(sum(CASE WHEN r.returned_at < :middle THEN refund_amount END), 0),
               coalesce(sum(CASE WHEN r.returned_at >= :middle THEN refund_amount END), 0)
        FROM returns r JOIN order_lines l ON r.order_line_id = l.id JOIN orders o ON o.id = l.order_id
        JOIN customers c ON c.id = o.customer_id JOIN regions g ON g.id = c.region_id
        JOIN products p ON p.id = l.product_id
        WHERE lower(g.country_code) = 'de' AND r.returned_at >= :first AND r.returned_at < :last
        GROUP BY p.sku, p.name ORDER BY 3 DESC"""
    with sqlite3.connect(database) as shop:
        rows = shop.execute(sql, dict(zip(("first", "middle", "last"), QUARTERS, strict=True))).fetchall()
    before, after = sum(row[1] for row in rows), sum(row[2] for row in rows)
    name, first, last = rows[0]
    change = f"{abs(after / before - 1):.1%} {'more' if after > before else 'less'} than in Q2".replace("%", " %")
    return (
        f"Returns in Germany cost **€{after:,.2f}** in Q3 2026, **{change}**. "
        f"The **{name}** lost the most: **€{last:,.2f}**, after €{first:,.2f} the quarter before."
    )
