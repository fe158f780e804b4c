"""Asking many questions under several systems: in parallel, resumable, every trace kept.

Each finished question is one line appended to `results.jsonl`; a run that was stopped goes on with what is not there.
Turns of one dialogue are asked one after another, each with the earlier answers; everything else side by side. All
systems answer a question before the next one comes: what slows the machine for a while slows all of them, and a run
that was stopped has compared them on the questions that it reached.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from agents.contracts import EarlierTurn
from agents.evaluation.records import Record, dialogues
from agents.evaluation.results import CaseResult, read_results

RESULTS = "results.jsonl"
TRACES = "traces"
_LONGEST_NAME = 150


@dataclass(frozen=True, slots=True)
class Asked:
    """What asking one record gave: its result, the document to keep as its trace, and what a next turn may refer to."""

    result: CaseResult
    document: dict[str, Any]
    turn: EarlierTurn | None = None


class System(Protocol):
    """One strategy with one model."""

    @property
    def name(self) -> str: ...

    def ask(self, record: Record, earlier: Sequence[EarlierTurn]) -> Asked:
        """Never raises for what is wrong with one question: that is a failed result."""


Progress = Callable[[int, int, float | None], None]
"""Called after every question: how many are done, of how many, and the seconds that the rest will take."""


class Harness:
    """One evaluation in one folder."""

    def __init__(self, out: Path, *, workers: int = 1, progress: Progress | None = None) -> None:
        self._out, self._workers = out, workers
        self._progress = progress or (lambda done, total, left: None)
        self._lock = threading.Lock()
        self._began = 0.0
        self._done = self._already = self._total = 0

    def run(self, systems: Sequence[System], records: Sequence[Record]) -> list[CaseResult]:
        """Ask what is not answered yet. Returns the results of these systems and records, in their order."""
        self._out.mkdir(parents=True, exist_ok=True)
        self._close_last_line()
        known = {(result.system, result.id) for result in read_results(self._out / RESULTS)}
        jobs = [(system, group) for group in dialogues(records) for system in systems]
        self._total = len(systems) * len(records)
        self._done = self._already = sum((s.name, r.id) in known for s in systems for r in records)
        self._began = time.monotonic()
        with ThreadPoolExecutor(max_workers=self._workers) as pool:
            waiting = [pool.submit(self._ask_group, system, group, known) for system, group in jobs]
            try:
                for job in waiting:
                    job.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)  # one that failed, or Ctrl-C, ends the others, too
        return self._ordered(systems, records)

    def _ask_group(self, system: System, group: Iterable[Record], known: set[tuple[str, str]]) -> None:
        """A dialogue that was stopped in the middle starts again, because its later turns need the earlier ones."""
        group = tuple(group)
        if all((system.name, record.id) in known for record in group):
            return
        earlier: list[EarlierTurn] = []
        for record in group:
            asked = system.ask(record, tuple(earlier))
            if asked.turn is not None:
                earlier.append(asked.turn)
            if (system.name, record.id) not in known:
                self._keep(asked)

    def _keep(self, asked: Asked) -> None:
        place = Path(TRACES, _file_name(asked.result.system), f"{_file_name(asked.result.id)}.json")
        (self._out / place).parent.mkdir(parents=True, exist_ok=True)
        (self._out / place).write_text(json.dumps(asked.document, ensure_ascii=False, indent=1), encoding="utf-8")
        with self._lock:
            with (self._out / RESULTS).open("a", encoding="utf-8") as lines:
                lines.write(replace(asked.result, trace=place.as_posix()).to_line() + "\n")
            self._done += 1
            asked_now = self._done - self._already
            left = (time.monotonic() - self._began) / asked_now * (self._total - self._done)
            self._progress(self._done, self._total, left)

    def _close_last_line(self) -> None:
        """A crash may have cut the last line; the next one must not be glued to it."""
        path = self._out / RESULTS
        if path.exists() and not path.read_bytes().endswith(b"\n"):
            with path.open("a", encoding="utf-8") as lines:
                lines.write("\n")

    def _ordered(self, systems: Sequence[System], records: Sequence[Record]) -> list[CaseResult]:
        found = {(result.system, result.id): result for result in read_results(self._out / RESULTS)}
        wanted = [(system.name, record.id) for system in systems for record in records]
        return [found[key] for key in wanted if key in found]


def _file_name(text: str) -> str:
    """Readable, and another for every other text."""
    name = quote(text, safe=" ,+-.=")
    if len(name) <= _LONGEST_NAME and "_" not in name:
        return name.replace(" ", "_")
    return f"{name.replace(' ', '_')[:_LONGEST_NAME]}-{sha256(text.encode()).hexdigest()[:8]}"
