"""How the demo shop's customers get in touch: support tickets and web sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from random import Random

from connections.demo.people import at
from connections.demo.rows import Customer, Employee, Order, Product, SupportTicket, WebSession
from connections.demo.words import TICKET_SUBJECTS

VISITS = 72_000  # sessions without an order, on top of one for each order placed on the web or in the app
ACCOUNT_TICKETS = 1_500
AGENTS_KEPT = 0.9  # share of tickets that somebody took on
DEVICES = ("mobile", "Mobile", "desktop", "tablet", None), (52, 3, 36, 7, 2)
SOURCES = ("organic", "paid search", "direct", "newsletter", "social", "Affiliate", None), (33, 22, 19, 11, 8, 4, 3)
PAGES = ("/", "/sale", "/new", "/c/tents", "/c/running-shoes", "/c/coffee", "/guide/sizes", "/help/returns")


def tickets(rng: Random, orders: Sequence[Order], customers: Sequence[Customer], agents: Sequence[Employee],
            until: date) -> list[SupportTicket]:  # fmt: skip
    """Late parcels make people write; the oldest ticket has the lowest number."""
    asked = list(_about_orders(rng, orders, until))
    for customer in rng.sample(customers, ACCOUNT_TICKETS):
        gone = (datetime.combine(until, datetime.min.time()) - customer.registered_at).days
        if gone > 0:
            day = customer.registered_at.date() + timedelta(days=rng.randrange(gone))
            asked.append((at(rng, day), customer.id, None, "account"))
    asked.sort(key=lambda ticket: ticket[0])
    return [_ticket(rng, number, agents, until, *ticket) for number, ticket in enumerate(asked, start=1)]


def _about_orders(rng: Random, orders: Sequence[Order], until: date) -> Iterator[tuple[datetime, int, int | None, str]]:
    for order in orders:
        days = (order.delivered_at - order.ordered_at).days if order.delivered_at else 6
        if rng.random() < min(0.85, 0.14 + 0.06 * max(0, days - 3)):
            opened = order.ordered_at + timedelta(hours=rng.expovariate(1 / (24 * (2 + days))))
            if opened.date() <= until:
                topics, weights = ("delivery", "return", "payment", "product"), (10 + 8 * max(0, days - 3), 14, 8, 12)
                topic = rng.choices(topics, weights)[0]
                yield opened.replace(microsecond=0), order.customer_id, order.id, topic


def _ticket(rng: Random, number: int, agents: Sequence[Employee], until: date, opened: datetime, customer: int,
            order: int | None, topic: str) -> SupportTicket:  # fmt: skip
    hours = rng.expovariate(1 / 30)
    closed: datetime | None = (opened + timedelta(hours=hours)).replace(microsecond=0)
    if closed is not None and (closed.date() > until or rng.random() < 0.02):
        closed = None
    happy = (5, 5, 4, 4, 3) if hours < 24 else (5, 4, 3, 2, 1)
    spelled = topic.capitalize() if rng.random() < 0.06 else topic
    return SupportTicket(
        id=number,
        customer_id=customer if rng.random() < 0.97 else None,
        order_id=order if rng.random() < 0.9 else None,
        employee_id=rng.choice(agents).id if rng.random() < AGENTS_KEPT else None,
        opened_at=opened,
        closed_at=closed,
        channel=rng.choices(("email", "chat", "phone"), (50, 30, 20))[0],
        topic=spelled if rng.random() < 0.95 else None,
        priority=rng.choices(("P1", "P2", "P3", "P4"), (4, 16, 55, 25))[0],
        satisfaction=rng.choice(happy) if closed and rng.random() < 0.4 else None,
        subject=rng.choice(TICKET_SUBJECTS[topic]) if rng.random() < 0.9 else None,
    )


def sessions(rng: Random, orders: Sequence[Order], customers: Sequence[Customer], products: Sequence[Product],
             since: date, until: date) -> list[WebSession]:  # fmt: skip
    visits = [(order.ordered_at - timedelta(minutes=rng.randrange(2, 50)), order.customer_id, order.id)
              for order in orders if order.channel in ("web", "Web", "app")]  # fmt: skip
    days = (until - since).days + 1
    drawn: list[tuple[datetime, int | None, int | None]] = [*visits]
    for _ in range(VISITS):
        moment = at(rng, since + timedelta(days=int(days * rng.random() ** 0.85)))
        drawn.append((moment, rng.choice(customers).id if rng.random() < 0.28 else None, None))
    drawn.sort(key=lambda visit: visit[0])
    return [_session(rng, number, products, *visit) for number, visit in enumerate(drawn, start=1)]


def _session(rng: Random, number: int, products: Sequence[Product], started: datetime, customer: int | None,
             order: int | None) -> WebSession:  # fmt: skip
    bounced = order is None and rng.random() < 0.38
    pages = 1 if bounced else 2 + int(rng.expovariate(1 / (9 if order else 4)))
    return WebSession(
        id=number,
        customer_id=customer,
        order_id=order,
        started_at=started,
        seconds=None if bounced else int(pages * rng.uniform(15, 70)),
        pages=pages,
        device=rng.choices(*DEVICES)[0],
        source=rng.choices(*SOURCES)[0],
        landing_page=f"/p/{rng.choice(products).sku}" if rng.random() < 0.4 else rng.choice(PAGES),
    )
