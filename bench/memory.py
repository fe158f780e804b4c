"""`python -m bench.memory`: resident memory before and after many compilations in one engine and in many engines."""

from __future__ import annotations

import argparse
import gc
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.engine.access import Access
from agents.engine.engine import Engine
from agents.engine.outcomes import EngineSettings
from connections.door import Door
from connections.drivers import driver_for
from tests.databases import scratch
from tests.engine.data import create_sql
from tests.engine.long_programs import sixty_operations_with_eight_joins

COMPILATIONS = 100_000
SETTINGS = EngineSettings(warnings=False)


def report(compilations: int = COMPILATIONS) -> Iterator[str]:
    """Figures at the start, at each fifth, and at the end."""
    with tempfile.TemporaryDirectory() as folder, scratch("sqlite", create_sql(), Path(folder)) as url:
        driver = driver_for(url)
        with Door(driver, driver.catalogue()) as door:
            yield f"Resident memory over {compilations:,} compilations, of every relation of a program of 60 calls"
            done = 0
            for part in range(6):
                goal = compilations * part // 5
                while done < goal:
                    done += compile_all(door)
                gc.collect()
                yield f"  {done:>8,} compiled: {resident_mb():8.1f} MB"


def compile_all(door: Door) -> int:
    """Build a program anew and compile every relation of it; the number of compilations."""
    engine = Engine(door, settings=SETTINGS)
    for outcome in engine.run(sixty_operations_with_eight_joins()):
        assert outcome.ok, outcome.text
    access = Access(door, SETTINGS)
    for relation in engine.handles.values():
        access.sql(relation)
    return len(engine.handles)


def resident_mb() -> float:
    """Linux tells it in /proc; pages are of 4 kB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--compilations", type=int, default=COMPILATIONS, metavar="N")
    for line in report(parser.parse_args(arguments).compilations):
        print(line, flush=True)


if __name__ == "__main__":
    main()
