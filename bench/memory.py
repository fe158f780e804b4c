"""`python -m bench.memory`: resident memory before and after many compilations in one engine and in many engines."""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

from agents.engine.engine import Engine
from agents.engine.outcomes import Call, EngineSettings
from connections.door import Door
from connections.drivers import driver_for
from tests.databases import scratch
from tests.engine.data import create_sql

COMPILATIONS = 100_000
SETTINGS = EngineSettings(warnings=False)
GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "engine" / "golden"
PROGRAMS: Sequence[Sequence[Call]] = [
    program for path in sorted(GOLDEN.glob("*.json")) for program in json.loads(path.read_text("utf-8")).values()
]


def report(compilations: int = COMPILATIONS) -> Iterator[str]:
    """Figures at the start, at each fifth, and at the end."""
    with tempfile.TemporaryDirectory() as folder, scratch("sqlite", create_sql(), Path(folder)) as url:
        driver = driver_for(url)
        with Door(driver, driver.catalogue()) as door:
            yield f"Resident memory over {compilations:,} compilations of {len(PROGRAMS)} programs of the tests"
            done, programs = 0, cycle(PROGRAMS)
            for part in range(6):
                while done < compilations * part // 5:
                    done += compile_all(door, next(programs))
                gc.collect()
                yield f"  {done:>8,} compiled: {resident_mb():8.1f} MB"


def compile_all(door: Door, program: Sequence[Call]) -> int:
    """Build a program anew and compile every relation of it; the number of compilations."""
    engine = Engine(door, settings=SETTINGS)
    outcomes = engine.run([call for call in program if call["op"] != "materialize"])  # temp tables would pile up
    handles = [outcome.handle for outcome in outcomes if outcome.ok]
    for handle in handles:
        engine.sql(handle)
    return len(handles)


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
