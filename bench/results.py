"""A stored result of 100,000 rows and 30 columns: the first page, a sort, and exports that must not grow in memory."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import django

from agents.answers import exports, store
from agents.answers.cells import Column

ROWS, WIDTH = 100_000, 30
PAGE, BATCH = 50, 2_000
KINDS = (("integer", "integer"), ("amount", "decimal"), ("ratio", "float"), ("name", "text"), ("day", "date"))


def report() -> Iterator[str]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
    django.setup()
    from agents.selectors import sorted_places

    columns = [Column(place, f"{KINDS[place % 5][0]}_{place}", "", KINDS[place % 5][1]) for place in range(WIDTH)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.parquet"
        store.write(path, [_row(number) for number in range(ROWS)], WIDTH)
        yield f"A stored result of {ROWS:,} rows × {WIDTH} columns ({path.stat().st_size / 1e6:.0f} MB)"
        yield f"  first page of {PAGE} rows {_ms(lambda: store.read(path, 0, PAGE)):8.0f} ms"
        yield f"  page in the middle    {_ms(lambda: store.read(path, ROWS // 2, PAGE)):8.0f} ms"

        def sorted_page(place: int) -> None:
            order = sorted_places(store.column(path, place), True, numeric=columns[place].numeric)
            store.take(path, order[:PAGE])

        for place in range(5):
            yield f"  sorted by {columns[place].semantic:<11} {_ms(lambda at=place: sorted_page(at)):8.0f} ms"  # type: ignore[misc]
        for kind in ("csv", "json", "xlsx", "parquet"):
            with get_context("spawn").Pool(1) as apart:  # a process that never held the whole table
                yield apart.apply(_exported, (kind, columns, path))


def _exported(kind: str, columns: Sequence[Column], path: Path) -> str:
    """Time, size, and how far the process grew beyond what it held after its first page."""
    store.read(path, 0, BATCH)
    before, started, size = _peak(), time.perf_counter(), 0
    for piece in exports.write(kind, columns, _rows(path)):
        size += len(piece)
    seconds = time.perf_counter() - started
    grown = max(_peak() - before, 0)
    return f"  {kind:<8} {seconds:6.1f} s, {size / 1e6:6.1f} MB written, peak memory {grown:+5.0f} MB"


def _rows(path: Path) -> Iterator[Sequence[Any]]:
    for offset in range(0, ROWS, BATCH):
        yield from store.read(path, offset, BATCH)


def _row(number: int) -> list[Any]:
    mixed = number * 2_654_435_761 % 1_000_003
    day = f"20{mixed % 30:02}-{mixed % 12 + 1:02}-{mixed % 28 + 1:02}"
    return [mixed, f"{mixed / 100:.2f}", mixed / 7, f"name {mixed % 9_999}", day] * (WIDTH // 5)


def _ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return sorted(taken)[2]


def _peak() -> float:
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
