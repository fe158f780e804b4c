"""What the demo shop sells, and where: regions, categories, products."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import count, product
from random import Random

from connections.demo.rows import Category, Product, Region
from connections.demo.words import COLOURS, REGIONS, SERIES, SHELVES, Shelf

CENT = Decimal("0.01")


def regions() -> list[Region]:
    found = (line.split("|") for line in REGIONS)
    return [
        Region(number, code, name, "de" if code == "DE-WEB" else code[:2])
        for number, (code, name, _cities, _digits) in enumerate(found, start=1)
    ]


def categories() -> list[Category]:
    """The main categories first, then the leaves in the order of `SHELVES`."""
    parents = list(dict.fromkeys(shelf.parent for shelf in SHELVES))
    numbers = {name: number for number, name in enumerate(parents, start=1)}
    leaves = (Category(len(parents) + n, numbers[shelf.parent], shelf.name) for n, shelf in enumerate(SHELVES, start=1))
    return [Category(number, None, name) for name, number in numbers.items()] + list(leaves)


def products(rng: Random, leaves: list[Category], until: date) -> list[Product]:
    numbers = count(1)
    return [
        row for shelf, leaf in zip(SHELVES, leaves, strict=True) for row in _shelf(rng, shelf, leaf.id, numbers, until)
    ]


def _shelf(rng: Random, shelf: Shelf, category: int, numbers: Iterator[int], until: date) -> Iterator[Product]:
    """About 45 products: some series of each noun, in every variant."""
    choices = list(product(shelf.nouns, rng.sample(SERIES, 6 + rng.randrange(3))))
    sold = [(noun, series, variant) for noun, series in choices for variant in shelf.variants]
    for place, (noun, series, variant) in enumerate(rng.sample(sold, min(len(sold), 45)), start=1):
        price = _price(rng, *shelf.prices)
        launched = until - timedelta(days=rng.randrange(30, 2600))
        yield Product(
            id=next(numbers),
            sku=f"{shelf.prefix}-{series[:3].upper()}-{place:02}",
            name=f"{series} {noun}" + (f", {variant}" if variant else ""),
            category_id=category,
            colour=rng.choice(COLOURS) if rng.random() < 0.7 else None,
            price=price,
            cost=(price * rng.randrange(38, 68) / 100).quantize(CENT) if rng.random() < 0.93 else None,
            weight_g=int(shelf.grams * rng.uniform(0.6, 1.5)) if rng.random() < 0.88 else None,
            stock=0 if rng.random() < 0.06 else int(rng.expovariate(1 / 60)),
            launched_on=launched,
            discontinued_on=_discontinued(rng, launched, until),
        )


def _price(rng: Random, low: int, high: int) -> Decimal:
    """Many cheap, few dear, and ending as prices do."""
    euros = low + int((high - low) * rng.betavariate(1.3, 3))
    return Decimal(euros) + rng.choice([Decimal("0.00"), Decimal("-0.01"), Decimal("-0.05"), Decimal("0.50")])


def _discontinued(rng: Random, launched: date, until: date) -> date | None:
    day = launched + timedelta(days=rng.randrange(500, 2000))
    return day if day < until and rng.random() < 0.4 else None
