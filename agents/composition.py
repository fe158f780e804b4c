"""Putting the pure parts together: a workbench over a door, and the database behind a URL.

What is stored with Django is opened by `runner.py`; this is for commands and tests, which need no migration, server or
worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agents.contracts import ModelClient, RunSettings, Workbench
from agents.engine.engine import Engine
from agents.engine.outcomes import EngineSettings
from agents.llm.budget import Budget, BudgetLimits, Spent
from agents.traces.journal import MemoryJournal
from connections.catalogue import Catalogue
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for


def workbench(
    door: Door,
    model: ModelClient,
    journal: MemoryJournal,
    *,
    settings: RunSettings | None = None,
    limits: BudgetLimits | None = None,
    seconds_before: float = 0.0,
    leave_thread: Callable[[], None] = lambda: None,
) -> Workbench:
    """Everything a strategy may use. `seconds_before` is the time that earlier attempts of a resumed run took;
    `leave_thread` is called at the end of every further thread that works for the run."""
    chosen = settings or RunSettings()
    engine_settings = EngineSettings(
        paper_mode=chosen.paper_mode,
        max_rows=door.limits.rows,
        seconds=door.limits.seconds,
        send_values=chosen.send_values,
    )
    engine = Engine(door, settings=engine_settings)
    return Workbench(
        engine=engine,
        catalogue=door.catalogue,
        model=model,
        journal=journal,
        budget=Budget(limits, before=Spent(seconds=seconds_before)),
        settings=chosen,
        leave_thread=leave_thread,
    )


@contextmanager
def door_to(url: str, catalogue: Catalogue | None = None, limits: Limits | None = None) -> Iterator[Door]:
    """A door to the database at a SQLAlchemy URL, whose catalogue is read unless it is given. Raises
    ConnectionFailedError."""
    driver = driver_for(url)
    with Door(driver, catalogue or driver.catalogue(), limits) as door:
        yield door
