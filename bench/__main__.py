"""`make bench`: figures about speed. They are printed, never asserted: machines differ."""

from __future__ import annotations

import subprocess
import sys

from bench import catalogue, engine


def main() -> None:
    for part in (engine, catalogue):
        for line in part.report():
            print(line, flush=True)
    subprocess.run([sys.executable, "-m", "bench.runs"], check=True)  # a program of its own: it sets Django up


if __name__ == "__main__":
    main()
