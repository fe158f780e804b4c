"""`make bench`: figures about speed and memory. They are printed, never asserted: machines differ.

    python -m bench [PART …]        engine, memory, star, lifting; all of them by default

`python -m bench.star`, `bench.memory` and `bench.lifting` take options of their own (`--help`). BENCH_DIR names the
folder of benchmark sets, without which no gold queries are lifted; BENCH_CACHE a folder for databases.
"""

from __future__ import annotations

import argparse
import os

from bench import engine, lifting, memory
from bench.star import __main__ as star

PARTS = ("engine", "memory", "star", "lifting")
# Gold queries that are lifted and timed here; `python -m bench.lifting` takes whole sets.
LIFTED_SET, LIFTED = "ehrsql", 150


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", choices=(*PARTS, []), help=", ".join(PARTS))
    for part in parser.parse_args().parts or PARTS:
        run(part)


def run(part: str) -> None:
    if part == "engine":
        for line in engine.report():
            print(line, flush=True)
    elif part == "memory":
        memory.main([])
    elif part == "star":
        star.main([])
    elif os.environ.get("BENCH_DIR"):
        print(" | ".join(("set", *lifting.COLUMNS)), flush=True)
        lifting.report(LIFTED_SET, LIFTED, 60.0)
    else:
        print("No gold queries lifted: BENCH_DIR does not name the folder of benchmark sets.")


if __name__ == "__main__":
    main()
