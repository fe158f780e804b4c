"""The page of a trace of 200 calls and 5 MB: at the server on SQLite and PostgreSQL, and in Chromium."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

REPEATS = 5


def report() -> Iterator[str]:
    from tests.databases import scratch

    yield f"A trace of 200 calls and 5 MB, median of {REPEATS}, milliseconds"
    with tempfile.TemporaryDirectory() as folder:
        for dialect in ("sqlite", "postgresql"):
            with ExitStack() as stack:
                octets, page, detail = _at_server(stack.enter_context(scratch(dialect, "", Path(folder))))
            yield f"  server, {dialect:<10} page {page:6.0f}   one call {detail:6.0f}   ({octets / 1e6:.1f} MB stored)"
        opened, chosen = _in_chromium(Path(folder) / "site")
        yield f"  Chromium, sqlite     page {opened:6.0f}   one call {chosen:6.0f}"


def _at_server(url: str) -> tuple[int, float, float]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from tests.server.conftest import as_own_database
    from tests.web import stories
    from tests.web.big_trace import big

    with as_own_database(url):
        call_command("migrate", verbosity=0)
        people = stories.cast()
        run = stories.ask(people.olga, people.shop)
        octets = big(run)
        client = Client(SERVER_NAME="localhost")
        client.force_login(people.olga, backend="django.contrib.auth.backends.ModelBackend")
        address = f"/runs/{run.pk}/trace"
        return octets, _median(client, address), _median(client, f"{address}?at=call-20-8", {"HX-Request": "true"})


def _median(client: Any, address: str, headers: dict[str, str] | None = None) -> float:
    taken = []
    for _ in range(REPEATS + 1):
        begun = time.perf_counter()
        status = client.get(address, headers=headers or {}).status_code
        taken.append((time.perf_counter() - begun) * 1000)
        if status != 200:
            raise RuntimeError(f"{address} answered {status}")
    return statistics.median(taken[1:])


def _in_chromium(folder: Path) -> tuple[float, float]:
    """Until the last row stands on the page; and until the detail of a call that is pressed."""
    from tests.browser.chromium import chromium, log_in
    from tests.browser.site import site

    with site(folder) as place, chromium() as browser:
        run = place.furnish("big_trace")["run"]
        page = browser.new_page()
        log_in(page, place.url)
        opened, chosen = [], []
        for _ in range(REPEATS + 1):
            begun = time.perf_counter()
            page.goto(f"{place.url}/runs/{run}/trace?at=call-20-8", wait_until="load")
            page.locator("#call-25-8").wait_for()
            opened.append((time.perf_counter() - begun) * 1000)
            begun = time.perf_counter()
            page.locator("#call-25-3").click()
            page.locator("#trace-detail", has_text="Turn 25").wait_for()
            chosen.append((time.perf_counter() - begun) * 1000)
        return statistics.median(opened[1:]), statistics.median(chosen[1:])


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
