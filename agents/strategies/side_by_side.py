"""Several model calls of one run at once, each in a thread: all that they do is wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from agents.contracts import Workbench


def side_by_side(bench: Workbench, acts: Sequence[Callable[[], None]]) -> list[Future[None]]:
    """Do all of `acts` and return when the last one has ended. What one of them raised stands in its future."""

    def act_and_leave(act: Callable[[], None]) -> None:
        try:
            act()
        finally:
            bench.leave_thread()

    with ThreadPoolExecutor(max_workers=len(acts)) as pool:
        return [pool.submit(act_and_leave, act) for act in acts]
