"""The demo shop as rows: the same seed and last day always give the same shop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from connections.demo import contact, goods, people
from connections.demo.trade import Trade, returns

YEARS = 3
Shop = Mapping[str, Sequence[tuple[Any, ...]]]


def make_shop(until: date, seed: int = 1) -> Shop:
    """Rows by table, each table after those that it refers to; about 200,000 in all, over three years up to `until`."""
    since = until - timedelta(days=365 * YEARS)

    def rng(subject: str) -> Random:
        """A stream for each subject, so that a change to one does not move the others."""
        return Random(f"{seed} {subject}")

    regions, categories = goods.regions(), goods.categories()
    leaves = [category for category in categories if category.parent_id is not None]
    products = goods.products(rng("products"), leaves, until)
    employees = people.employees(rng("employees"), regions, until)
    customers = people.customers(rng("customers"), regions, since, until)
    sellers = [one for one in employees if one.job_title == "Sales assistant"]
    agents = [one for one in employees if one.job_title.endswith("support agent") or one.job_title == "Support agent"]
    trade = Trade(rng("orders"), customers, products, sellers, since, until).run()
    return {
        "regions": regions,
        "categories": categories,
        "products": products,
        "employees": employees,
        "customers": customers,
        "orders": trade.orders,
        "order_lines": trade.lines,
        "returns": returns(rng("returns"), trade, products, [leaf.id for leaf in leaves], until),
        "support_tickets": contact.tickets(rng("tickets"), trade.orders, customers, agents, until),
        "web_sessions": contact.sessions(rng("sessions"), trade.orders, customers, products, since, until),
    }
