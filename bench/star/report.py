"""Running the programs on both stars."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from agents.engine.engine import Engine, EngineSettings
from bench.ratio import Pair, Timing, timed
from bench.star.databases import star
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for

PROGRAMS = Path(__file__).resolve().parent / "programs"
DIALECTS = ("duckdb", "postgresql")
ROWS = 10_000_000
LIMITS = Limits(seconds=300, rows=200_000, bytes=1 << 29)


def timings(dialect: str, rows: int, only: str, *, keep: bool) -> Iterator[Timing]:
    """One timing for each program whose name fits the pattern `only`."""
    with star(dialect, rows, keep=keep) as url:
        driver = driver_for(url)
        with Door(driver, driver.catalogue(), LIMITS) as door:
            for pair in pairs(door, only):
                timing = timed(pair, door)
                print(f"{dialect} {timing.name}: {timing.ratio:.2f}", file=sys.stderr, flush=True)
                yield timing


def pairs(door: Door, only: str = "*") -> Sequence[Pair]:
    """Each program compiled, with the SQL that lies beside it."""
    found = [path for path in sorted(PROGRAMS.glob("*.json")) if fnmatch(path.stem, only)]
    return [Pair(path.stem, compiled(path, door), path.with_suffix(".sql").read_text("utf-8")) for path in found]


def compiled(path: Path, door: Door) -> str:
    """The statement that the program executes."""
    *calls, last = json.loads(path.read_text(encoding="utf-8"))
    engine = Engine(door, settings=EngineSettings(warnings=False))
    for outcome in engine.run(calls):
        assert outcome.ok, f"{path.name}: {outcome.text}"
    return engine.sql(last["args"]["rel"])
