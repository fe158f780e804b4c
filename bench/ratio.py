"""Compiled SQL against SQL that a person wrote: run in turn through one door, told as ratios of medians."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.engine.lift.comparison import same_rows
from connections.door import Door

GOAL = "goal: median at most 1.1, 95th percentile at most 1.5"
# A pair runs until it took so many seconds in all, between the least and the most number of rounds.
ENOUGH_SECONDS, LEAST_ROUNDS, MOST_ROUNDS = 1.0, 3, 25


@dataclass(frozen=True)
class Pair:
    """Two statements that should return the same rows."""

    name: str
    compiled: str
    written: str


@dataclass(frozen=True)
class Timing:
    """Medians in milliseconds. `same` says whether both returned the same rows."""

    name: str
    compiled_ms: float
    written_ms: float
    same: bool

    @property
    def ratio(self) -> float:
        return self.compiled_ms / self.written_ms


def timed(pair: Pair, door: Door) -> Timing:
    """Each round runs both; the one that goes first changes from round to round."""
    written, compiled = door.query(pair.written), door.query(pair.compiled)
    same = not (compiled.truncated or written.truncated) and same_rows(written.rows, compiled.rows)
    sides: tuple[tuple[str, list[float]], ...] = ((pair.compiled, [compiled.ms]), (pair.written, [written.ms]))
    spent, rounds = (written.ms + compiled.ms) / 1000, 1
    while rounds < LEAST_ROUNDS or (spent < ENOUGH_SECONDS and rounds < MOST_ROUNDS):
        for sql, ms in sides if rounds % 2 else reversed(sides):
            ms.append(door.query(sql).ms)
            spent += ms[-1] / 1000
        rounds += 1
    compiled_ms, written_ms = (statistics.median(ms) for _, ms in sides)
    return Timing(pair.name, compiled_ms, written_ms, same)


def lines(title: str, timings: Sequence[Timing], *, every: bool) -> Iterator[str]:
    """The figures of many pairs. Of `every` pair, or of those above the goal's 1.5 alone, the times are told, too."""
    ratios = sorted(timing.ratio for timing in timings)
    worst = ratios[min(len(ratios) - 1, int(len(ratios) * 0.95))]
    yield (
        f"{title}: {len(timings)} programs, compiled / written by hand: median {statistics.median(ratios):.2f}, "
        f"95th percentile {worst:.2f} ({GOAL})"
    )
    for timing in sorted(timings, key=lambda timing: -timing.ratio):
        if every or timing.ratio > 1.5 or not timing.same:
            told = "" if timing.same else "  DIFFERENT ROWS"
            yield f"  {timing.ratio:6.2f}  {timing.compiled_ms:9.1f} {timing.written_ms:9.1f} ms  {timing.name}{told}"
