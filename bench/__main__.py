"""`make bench`: figures about speed. They are printed, never asserted: machines differ."""

from __future__ import annotations

from bench import catalogue, engine


def main() -> None:
    for part in (engine, catalogue):
        for line in part.report():
            print(line, flush=True)


if __name__ == "__main__":
    main()
