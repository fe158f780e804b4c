"""`make bench`: figures about speed and memory. They are printed, never asserted: machines differ.

    python -m bench [PART …]        engine, runs, memory, prompt, catalogue, history, trace, results, live, pages, star,
                                    lifting; all of them by default

`python -m bench.star`, `bench.memory`, `bench.pages` and `bench.lifting` take options of their own (`--help`).
BENCH_DIR names the folder of benchmark sets, without which no gold queries are lifted; BENCH_CACHE a folder for
databases.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import pytest

from bench import catalogue, engine, history_search, lifting, live, memory, pages, results, schema_prompt, trace_page
from bench.star import __main__ as star

REPORTS = {"engine": engine, "catalogue": catalogue, "history": history_search, "trace": trace_page,
           "results": results, "live": live, "pages": pages, "prompt": schema_prompt}  # fmt: skip
PARTS = (
    "engine", "runs", "memory", "prompt", "catalogue", "history", "trace", "results", "live", "pages", "star",
    "lifting",
)  # fmt: skip
# Gold queries that are lifted and timed here; `python -m bench.lifting` takes whole sets.
LIFTED = ("ehrsql", "--sample", "150")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parts = parser.parse_args().parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part is named {', '.join(unknown)}; parts are {', '.join(PARTS)}")
    for part in parts:
        try:
            run(part)
        except pytest.skip.Exception as missing:  # as the tests say it: a server or the browser is not there
            print(f"{part} left out: {missing}", flush=True)


def run(part: str) -> None:
    if part in REPORTS:
        for line in REPORTS[part].report():
            print(line, flush=True)
    elif part == "runs":
        subprocess.run([sys.executable, "-m", "bench.runs"], check=True)  # a program of its own: it sets Django up
    elif part == "memory":
        memory.main([])
    elif part == "star":
        star.main([])
    elif os.environ.get("BENCH_DIR"):
        lifting.main(LIFTED)
    else:
        print("No gold queries lifted: BENCH_DIR does not name the folder of benchmark sets.")


if __name__ == "__main__":
    main()
