"""What is bought in the demo shop, and what comes back: orders, their lines, returns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate
from random import Random

from connections.demo.goods import CENT
from connections.demo.people import at
from connections.demo.rows import Customer, Employee, Order, OrderLine, Product, Return
from connections.demo.words import RETURN_NOTES, SHELVES

ORDERS = 25_000
SEASON = (0.85, 0.8, 0.9, 1.0, 1.1, 1.05, 0.9, 0.85, 1.0, 1.05, 1.35, 1.5)  # January to December
WEEK = (1.05, 1.0, 0.95, 0.95, 0.9, 0.95, 1.25)  # Monday to Sunday
CHANNELS = ("web", "Web", "app", "phone", "store"), (54, 3, 26, 9, 8)
PAYMENTS = ("CC", "PP", "INV", "DD"), (38, 30, 22, 10)
# as typed, how often, days on the road
CARRIERS = (("DHL", 44, 2), ("dhl", 4, 2), ("DPD", 22, 2.6), ("GLS", 16, 3.4), ("PostNL", 9, 2.2), ("Post NL", 1, 2))
DISCOUNT_CODES = ("WELCOME10", "welcome10", "SUMMER", "FRIENDS", "BLACK20")
Way = tuple[str, str | None, datetime | None, datetime | None]
STOCKED = 400  # drawn at once, because one draw at a time costs most of the generator's time


class Trade:
    """Draws orders one after the other; `orders` and `lines` grow together."""

    def __init__(
        self, rng: Random, customers: Sequence[Customer], products: Sequence[Product], sellers: Sequence[Employee],
        since: date, until: date,
    ) -> None:  # fmt: skip
        self._rng = rng
        self._since, self._until = since, until
        self._customers = sorted(customers, key=lambda customer: customer.registered_at)
        self._registered = [customer.registered_at for customer in self._customers]
        self._loyalty = list(accumulate(rng.paretovariate(1.4) for _ in self._customers))
        self._products = products
        self._popularity = list(accumulate(1 / (3 + rank) ** 0.75 for rank in _shuffled(rng, len(products))))
        self._shelf: list[Product] = []
        self._sellers = sellers
        self.orders: list[Order] = []
        self.lines: list[OrderLine] = []

    def run(self) -> Trade:
        days = [self._since + timedelta(days=n) for n in range((self._until - self._since).days + 1)]
        drawn = self._rng.choices(days, [_demand(day, self._since, self._until) for day in days], k=ORDERS)
        for moment in sorted(at(self._rng, day) for day in drawn):
            self._order(len(self.orders) + 1, moment)
        return self

    def _order(self, number: int, moment: datetime) -> None:
        rng = self._rng
        channel = rng.choices(*CHANNELS)[0]
        sold_by_hand = channel in ("phone", "store")
        lines = list(self._order_lines(number, moment))
        fee = Decimal("0.00") if channel == "store" or rng.random() < 0.3 else Decimal("4.90")
        status, carrier, shipped, delivered = _way(rng, channel, moment, self._until)
        self.lines += lines
        self.orders.append(Order(
            id=number, order_no=f"{moment:%y}-{number:06}", customer_id=self._buyer(moment).id,
            employee_id=rng.choice(self._sellers).id if sold_by_hand else None, ordered_at=moment, channel=channel,
            status=status, payment_code=rng.choices(*PAYMENTS)[0], carrier=carrier,
            discount_code=rng.choice(DISCOUNT_CODES) if any(line.discount_pct for line in lines) else None,
            shipping_fee=fee, total=sum((paid(line) for line in lines), fee),
            shipped_at=shipped, delivered_at=delivered,
        ))  # fmt: skip

    def _order_lines(self, order: int, moment: datetime) -> Iterator[OrderLine]:
        rng = self._rng
        is_cheaper = rng.random() < (0.6 if _is_sale(moment.date()) else 0.12)
        discount = rng.choice((5, 10, 10, 15, 20, 30)) if is_cheaper else None
        first = len(self.lines) + 1
        for place in range(rng.choices(range(1, 9), (30, 26, 17, 11, 7, 5, 3, 1))[0]):
            bought = self._product(moment.date())
            quantity = rng.choices((1, 2, 3, 4, 10), (80, 12, 4, 3, 1))[0]
            # Prices have gone up by about 3 % a year; what was paid stays as it was.
            years_ago = (self._until - moment.date()).days // 365
            price = (bought.price * (100 - 3 * years_ago) / 100).quantize(CENT)
            yield OrderLine(first + place, order, place + 1, bought.id, quantity, price, discount)

    def _buyer(self, moment: datetime) -> Customer:
        """Somebody who was registered by then; a few buy often, most buy once or twice."""
        known = max(1, bisect_right(self._registered, moment))
        place = bisect_right(self._loyalty, self._rng.random() * self._loyalty[known - 1])
        return self._customers[min(place, known - 1)]

    def _product(self, day: date) -> Product:
        while True:
            if not self._shelf:
                self._shelf = self._rng.choices(self._products, cum_weights=self._popularity, k=STOCKED)
            drawn = self._shelf.pop()
            if drawn.launched_on <= day and (drawn.discontinued_on is None or day <= drawn.discontinued_on):
                return drawn


def returns(rng: Random, trade: Trade, products: Sequence[Product], leaves: Sequence[int], until: date) -> list[Return]:
    share = {leaf: shelf.returned for leaf, shelf in zip(leaves, SHELVES, strict=True)}
    category = {product.id: product.category_id for product in products}
    rows: list[Return] = []
    for line in trade.lines:
        delivered = trade.orders[line.order_id - 1].delivered_at
        if delivered is not None and rng.random() < share[category[line.product_id]]:
            day = delivered.date() + timedelta(days=min(90, 1 + int(rng.expovariate(1 / 9))))
            if day <= until:
                rows.append(_return(rng, len(rows) + 1, line, day, until))
    return rows


def _return(rng: Random, number: int, line: OrderLine, day: date, until: date) -> Return:
    quantity = rng.randint(1, line.quantity)
    is_recent = (until - day).days < 10
    status = rng.choices(("refunded", "exchanged", "refused", "open"), (30, 6, 2, 40 if is_recent else 1))[0]
    back = {"refunded": (paid(line) * quantity / line.quantity).quantize(CENT), "open": None}
    reason = rng.choices((*RETURN_NOTES, None), (30, 12, 22, 5, 23, 8))[0]
    note = rng.choice(RETURN_NOTES[reason]) if reason and rng.random() < 0.3 else None
    return Return(number, line.id, day, quantity, back.get(status, Decimal("0.00")), reason, status, note)


def paid(line: OrderLine) -> Decimal:
    """Euro for the whole line after its discount, rounded to the cent."""
    return (line.unit_price * line.quantity * (100 - (line.discount_pct or 0)) / 100).quantize(CENT, ROUND_HALF_UP)


def _way(rng: Random, channel: str, moment: datetime, until: date) -> Way:
    """Status, carrier, when shipped, when delivered: as far as the order has come by the end of `until`."""
    if rng.random() < 0.04:
        return "cancelled", None, None, None
    if channel == "store":
        return "delivered", None, moment, moment
    carrier, _, days = rng.choices(CARRIERS, [often for _, often, _ in CARRIERS])[0]
    shipped = moment + timedelta(hours=4 + rng.expovariate(1 / 22))
    late = rng.random() < 0.08
    delivered = shipped + timedelta(days=days * rng.uniform(0.5, 1.6) + (rng.uniform(3, 14) if late else 0))
    end = datetime.combine(until, datetime.max.time())
    if shipped > end:
        return rng.choice(("open", "paid")), None, None, None
    if delivered > end or rng.random() < 0.004:
        return "shipped", carrier, shipped.replace(microsecond=0), None
    return "delivered", carrier, shipped.replace(microsecond=0), delivered.replace(microsecond=0)


def _demand(day: date, since: date, until: date) -> float:
    growth = 1 + 0.6 * (day - since).days / (until - since).days
    return growth * SEASON[day.month - 1] * WEEK[day.weekday()] * (2.4 if _is_sale(day) else 1)


def _is_sale(day: date) -> bool:
    """The week of the last Friday of November."""
    return day.month == 11 and 22 <= day.day <= 29


def _shuffled(rng: Random, size: int) -> list[int]:
    ranks = list(range(size))
    rng.shuffle(ranks)
    return ranks
