"""`make bench`: figures about speed. They are printed, never asserted: machines differ."""

from __future__ import annotations

from bench import engine


def main() -> None:
    for line in engine.report():
        print(line)


if __name__ == "__main__":
    main()
