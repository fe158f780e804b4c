"""Doors to the databases that records name by their addresses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from agents.composition import door_to
from agents.evaluation.records import Record
from connections.catalogue import Catalogue
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for

Doors = Callable[[Record], AbstractContextManager[Door]]
"""Opens the database of a record for one question. Raises a DatabaseError."""


class AddressedDoors:
    """The catalogue of each address is read once. Safe to use from several threads.

    `limits` and `notes` (Catalogue.notes) are those of the connection that the addresses are copies of.
    """

    def __init__(self, *, limits: Limits | None = None, notes: Mapping[str, str] | None = None) -> None:
        self._limits, self._notes = limits, dict(notes or {})
        self._catalogues: dict[str, Catalogue] = {}
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self, record: Record) -> Iterator[Door]:
        with door_to(record.url, self._catalogue(record.url), self._limits) as door:
            yield door

    def _catalogue(self, url: str) -> Catalogue:
        with self._lock:
            known = self._catalogues.get(url)
        if known is None:
            known = replace(driver_for(url).catalogue(), notes=self._notes)
            with self._lock:
                self._catalogues[url] = known
        return known
