"""One thread with an event loop for all model calls of a process.

Waiting costs no thread there, and a cancelled task closes its connection at once, whatever it was waiting for: that
is how a stop reaches the provider. Callers stay ordinary threads.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Hashable
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_gates: dict[tuple[Hashable, int], asyncio.Semaphore] = {}  # touched in the loop's thread only


def gate(place: Hashable, most: int) -> asyncio.Semaphore:
    """What lets at most `most` requests to `place` through at a time. To be called and used on the loop."""
    return _gates.setdefault((place, most), asyncio.Semaphore(most))


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run `work` on the loop. Cancelling the future cancels it; safe from any thread but the loop's own."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


_creation = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    with _creation:
        return _started_loop(os.getpid())


@cache
def _started_loop(process: int) -> asyncio.AbstractEventLoop:
    """The loop of this process: one that was inherited over a fork has no thread that runs it."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop
