"""At most so many requests of one web process use the product's database at once; further ones wait their turn.

Without it, three hundred pages that reconnect together would ask PostgreSQL for three hundred connections, and most
would be refused.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

AT_ONCE = 24

_turnstiles: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def turn() -> asyncio.Semaphore:
    """Used as `async with turn():` around what reaches the database."""
    return _turnstiles.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
