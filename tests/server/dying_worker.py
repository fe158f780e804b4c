"""A worker that is killed at an exact place, many times over: `python -m tests.server.dying_worker`.

It loads everything once, then forks for each line "RUN POSITION" of its input. The child works on the run as a worker
does, and ends itself by SIGKILL right after the event at POSITION was saved; 0 lets it finish. A POSITION that ends in
"-" kills before the event is saved. Says how each child ended.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from typing import Any
from uuid import UUID


def main() -> None:
    import django

    django.setup()
    from agents import runner
    from agents.llm.client import preload

    preload()
    print("ready", flush=True)
    for line in sys.stdin:
        run_id, place = line.split()
        child = os.fork()
        if child == 0:
            _die_at(runner, int(place.rstrip("-")), before=place.endswith("-"))
            _count_patiently(runner)
            runner.run_one(UUID(run_id))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _die_at(runner: Any, position: int, *, before: bool) -> None:
    keep = runner.RunInWork._keep

    def keep_and_die(self: Any, event: Any) -> None:
        if before and event.position == position:
            os.kill(os.getpid(), signal.SIGKILL)
        keep(self, event)
        if event.position == position:
            os.kill(os.getpid(), signal.SIGKILL)

    runner.RunInWork._keep = keep_and_die


def _count_patiently(runner: Any) -> None:
    """A count that a busy machine cuts short is left out of what the model is told, and two traces would differ."""
    usual = runner.run_settings
    runner.run_settings = lambda **options: replace(usual(**options), count_ms=60_000)


if __name__ == "__main__":
    main()
