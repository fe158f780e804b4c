"""A live run as people see it: from an event saved to its line in Chromium; 300 open streams on one web process.

The site is a real one on PostgreSQL, with and without Redis. Events are saved as a worker saves them, at a pace.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import tempfile
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.site import Site, site
from tests.databases import REDIS_URL, scratch

EVENTS = 60
RUNS, READERS = 20, 300
SECONDS = 12.0

# Notes for each call the moment at which its line says that it is done.
WATCH = """() => {
  window.seen = {};
  const look = () => {
    for (const call of document.querySelectorAll('.call[data-state=ok]')) {
      window.seen[call.id] ??= performance.timeOrigin + performance.now();
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


def report() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, redis in (("with Redis", REDIS_URL), ("without", "")):
            with ExitStack() as stack:
                place = _site(stack, Path(folder) / name.replace(" ", "-"), redis)
                yield _to_the_line(place, name)
                if redis:
                    yield from asyncio.run(_streams(place))


def _site(stack: ExitStack, folder: Path, redis: str) -> Site:
    database = stack.enter_context(scratch("postgresql", "", folder))
    folder.mkdir(parents=True)
    return stack.enter_context(site(folder, DATABASE_URL=database, REDIS_URL=redis))


def _to_the_line(place: Site, name: str) -> str:
    from tests.browser.chromium import chromium, log_in

    with chromium() as browser:
        run = place.furnish("pulse_begin", "1", str(EVENTS))["runs"][0]
        page = browser.new_page()
        log_in(page, place.url)
        page.goto(f"{place.url}/runs/{run}")
        page.locator(f"#call-1-{EVENTS}").wait_for()
        page.evaluate(WATCH)
        saved: dict[str, float] = {}
        for number in range(1, EVENTS + 1):
            saved[f"call-1-{number}"] = place.furnish("pulse", run, str(number))["at"]
            time.sleep(0.17)
        page.locator(f"#call-1-{EVENTS}[data-state=ok]").wait_for()
        seen: Mapping[str, float] = page.evaluate("window.seen")
    waits = sorted(seen[call] - at for call, at in saved.items())
    return (
        f"From an event saved to its line in Chromium, {name}: median {statistics.median(waits):.0f} ms, "
        f"95 % {waits[int(len(waits) * 0.95)]:.0f} ms, of {len(waits)} events"
    )


@dataclass
class Reader:
    run: str
    after: int = 0
    positions: list[int] = field(default_factory=list)


async def _streams(place: Site) -> Iterator[str]:
    runs = place.furnish("pulse_begin", str(RUNS), "40")["runs"]
    cookie = place.furnish("session", "olga")["cookie"]
    readers = [Reader(runs[number % RUNS]) for number in range(READERS)]
    numbers = dict.fromkeys(runs, 0)
    told: list[str] = []
    tasks = [asyncio.create_task(_read(place, reader, cookie)) for reader in readers]
    while not all(one.positions and one.positions[-1] >= _last_position(0) for one in readers):
        await asyncio.sleep(0.2)
    await asyncio.sleep(1)
    cpu, began = _cpu(place.pid), time.perf_counter()
    await _pulse(place, numbers, SECONDS)
    await asyncio.sleep(1)
    busy = (_cpu(place.pid) - cpu) / (time.perf_counter() - began)
    told.append(
        f"{READERS} open streams of {RUNS} live runs on one web process, "
        f"{sum(numbers.values()) / SECONDS:.0f} events/s: {_memory(place.pid):.0f} MB, CPU {busy:.0%} busy"
    )
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await _pulse(place, numbers, 1.0)
    began = time.perf_counter()
    tasks = [asyncio.create_task(_read(place, reader, cookie)) for reader in readers]
    await _pulse(place, numbers, 4.0)
    wanted = {run: _last_position(number) for run, number in numbers.items()}
    while any(not one.positions or one.positions[-1] < wanted[one.run] for one in readers):
        if time.perf_counter() - began > 60:
            break
        await asyncio.sleep(0.1)
    took = time.perf_counter() - began
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    whole = sum(_dense(one, wanted) for one in readers)
    told.append(
        f"A storm of {READERS} reconnections while events come: {whole} of {READERS} readers have every event once, "
        f"all up to date {took:.1f} s after it began (4 s of it with new events)"
    )
    return iter(told)


def _dense(reader: Reader, wanted: Mapping[str, int]) -> bool:
    return reader.positions == list(range(1, wanted[reader.run] + 1))


def _last_position(number: int) -> int:
    """Three events before the first call's result."""
    return 4 + number


async def _pulse(place: Site, numbers: dict[str, int], seconds: float) -> None:
    """Save events of all runs in turn, about fifteen a second in all."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for run in numbers:
            if time.perf_counter() > until:
                return
            numbers[run] += 1
            await asyncio.to_thread(place.furnish, "pulse", run, str(numbers[run]))
            await asyncio.sleep(0.05)


async def _read(place: Site, reader: Reader, cookie: str) -> None:
    """Follow a run as a browser does, from the last event that was seen."""
    address = urllib.parse.urlsplit(place.url)
    stream, writer = await asyncio.open_connection(address.hostname, address.port)
    last = f"Last-Event-ID: {reader.positions[-1]}\r\n" if reader.positions else ""
    head = f"GET /runs/{reader.run}/stream HTTP/1.1\r\nHost: {address.netloc}\r\nCookie: {cookie}\r\n{last}\r\n"
    writer.write(head.encode())
    try:
        while line := await stream.readline():
            if found := re.match(rb"id: (\d+)", line):
                reader.positions.append(int(found[1]))
    finally:
        writer.close()


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def _cpu(pid: int) -> float:
    """Seconds that the process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
