"""`python -m bench.star`: compiled SQL against hand-written SQL on a star schema of ten million sales."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.ratio import Timing, lines
from bench.star.report import DIALECTS, ROWS, timings


def main(arguments: Sequence[str] | None = None) -> list[Timing]:
    parser = argparse.ArgumentParser(prog="python -m bench.star", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N", help="sales (10,000,000)")
    parser.add_argument("--dialect", choices=DIALECTS, action="append", help="one database only")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="programs whose name fits, e.g. 'revenue_*'")
    parser.add_argument("--keep", action="store_true", help="leave the PostgreSQL database for the next run")
    parser.add_argument("--every", action="store_true", help="a line for every program, not only for the slow ones")
    options = parser.parse_args(arguments)
    found: list[Timing] = []
    for dialect in options.dialect or DIALECTS:
        of_one = list(timings(dialect, options.rows, options.only, keep=options.keep))
        found += of_one
        for line in lines(f"Star of {options.rows:,} sales, {dialect}", of_one, every=options.every):
            print(line, flush=True)
    return found


if __name__ == "__main__":
    main()
