"""Window functions in plain Python, over the rows of one partition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.engine.reference_aggregates import over_values

Row = dict[str, Any]


@dataclass(frozen=True)
class Window:
    """The rows of one partition in order. `keys` are their sort keys, None without an order."""

    rows: list[Row]
    keys: list[Any] | None

    def value(
        self, fn: str, column: str | None, place: int, offset: int, default: Any, n: int, frame: str | None
    ) -> Any:
        if fn in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"):
            return self._ranked(fn, place, n)
        if fn in ("lag", "lead"):
            target = place - offset if fn == "lag" else place + offset
            return self.rows[target][column] if 0 <= target < len(self.rows) else default  # type: ignore[index]
        inside = self.rows[self._start(place, frame) : self._end(place, frame)]
        if fn in ("first_value", "last_value"):
            return (inside[0] if fn == "first_value" else inside[-1])[column] if inside else None  # type: ignore[index]
        if fn == "count" and column in (None, "*"):
            return len(inside)
        return over_values(fn, [row[column] for row in inside if row[column] is not None])  # type: ignore[index]

    def _peers(self, place: int) -> tuple[int, int]:
        if self.keys is None:
            return 0, len(self.rows)
        first = last = place
        while first > 0 and self.keys[first - 1] == self.keys[place]:
            first -= 1
        while last < len(self.rows) and self.keys[last] == self.keys[place]:
            last += 1
        return first, last

    def _ranked(self, fn: str, place: int, n: int) -> Any:
        first, last = self._peers(place)
        size = len(self.rows)
        if fn == "ntile":
            small, larger = divmod(size, n)
            border = larger * (small + 1)
            return place // (small + 1) + 1 if place < border else larger + (place - border) // max(small, 1) + 1
        keys = self.keys or []
        return {
            "row_number": place + 1,
            "rank": first + 1,
            "dense_rank": len(set(keys[: first + 1])),
            "percent_rank": Fraction(first, size - 1) if size > 1 else Fraction(0),
            "cume_dist": Fraction(last, size),
        }[fn]

    def _start(self, place: int, frame: str | None) -> int:
        first = (frame or "").removeprefix("rows ").removeprefix("between ").split()
        if first[:1] == ["current"]:
            return place
        return max(0, place - int(first[0])) if first and first[0].isdigit() else 0

    def _end(self, place: int, frame: str | None) -> int:
        if frame == "whole" or (frame is None and self.keys is None):
            return len(self.rows)
        if frame is None:
            return self._peers(place)[1]
        if "between" not in frame or frame.endswith("current row"):
            return place + 1
        ahead = frame.split(" and ")[1].split()[0]
        return len(self.rows) if ahead == "unbounded" else min(len(self.rows), place + int(ahead) + 1)
