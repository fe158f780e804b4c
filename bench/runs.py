"""Many runs at once on one worker process: how long they take, and what they cost beside model and database.

`python -m bench.runs [--runs N] [--own sqlite|postgresql]`. The model is scripted (5 calls a run, 200 ms each), over
HTTP in a process of its own, as is the worker; only the worker's processor time and memory are counted.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TURNS = 5
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.runs", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, metavar="N")
    parser.add_argument("--own", choices=("sqlite", "postgresql"), default="sqlite")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = stack.enter_context(scripted_model())
        os.environ.update(environment(folder, stack.enter_context(own_database(options.own, folder))))
        prepare(folder, address)
        report(options.runs, options.own, stack.enter_context(worker(folder)), address)


@contextmanager
def own_database(kind: str, folder: Path) -> Iterator[str]:
    from tests.databases import scratch

    if kind == "sqlite":
        yield ""
    else:
        with scratch(kind, "", folder) as url:
            yield url


def environment(folder: Path, database: str) -> dict[str, str]:
    """What the processes share. The broker is the default one (files), or Redis beside PostgreSQL."""
    from tests.databases import REDIS_URL

    return {
        "DJANGO_SETTINGS_MODULE": "reactsql_web.settings",
        "ENV_FILE": "off",
        "DATA_DIR": str(folder / "data"),
        "DATABASES_DIR": str(folder / "databases"),
        "DATABASE_URL": database,
        "REDIS_URL": REDIS_URL.rpartition("/")[0] + "/12" if database else "",
        "QUESTIONS_PER_MINUTE": "100000",
        "LOG_LEVEL": "ERROR",
    }


@contextmanager
def scripted_model() -> Iterator[str]:
    command = [sys.executable, "-m", "bench.model"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@contextmanager
def worker(folder: Path) -> Iterator[int]:
    """The process id of one worker as the Procfile starts it."""
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "reactsql_web", "worker", "--loglevel", "error"]
    with (folder / "worker.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=60)


def prepare(folder: Path, address: str) -> None:
    """A migrated database with one person, one connection and one model."""
    import django

    django.setup()
    from django.core.management import call_command

    from agents import services
    from agents.models import LanguageModel
    from tests.server.conftest import make_cast
    from tests.server.five_turns import SHOP

    (folder / "databases").mkdir()
    with sqlite3.connect(folder / "databases" / "shop.sqlite") as shop:
        shop.executescript(SHOP)
    shop.close()
    call_command("migrate", verbosity=0)
    make_cast()
    model = LanguageModel(name="scripted", model="openai/scripted", api_base=address, is_default=True)
    services.save_language_model(actor=None, language_model=model, key="x")


def report(number: int, own: str, process: int, address: str) -> None:
    from agents.models import Run, WorkerBeat

    _until(lambda: WorkerBeat.objects.exists(), 60)
    ask(2)  # what is imported and opened once
    _until(lambda: not _live(), 60)
    time.sleep(1)
    warm = {run.pk for run in Run.objects.all()}
    before, started = _cpu(process), time.perf_counter()
    asked = ask(number)
    _until(lambda: not _live(), 600)
    seconds, cpu = time.perf_counter() - started, _cpu(process) - before
    runs = list(Run.objects.exclude(pk__in=warm))
    done = sum(run.status == "answered" for run in runs)
    turns = sum(run.turns for run in runs)
    print(f"{number} runs at once on one worker, own database {own}, {TURNS} calls of 200 ms each")
    print(f"  answered                   {done:>8} of {number}")
    print(f"  asked within               {asked:>8.1f} s")
    print(f"  all done after             {seconds:>8.1f} s")
    print(f"  worker's processor time    {cpu / turns * 1000:>8.1f} ms a turn ({cpu:.1f} s in all)")
    print(f"  worker's memory at most    {_memory(process):>8.0f} MB")
    gaps = alone(10, address)
    beside_model = statistics.median(whole for whole, _ in gaps)
    beside_both = statistics.median(whole - statements for whole, statements in gaps)
    print(f"  a turn beside the model    {beside_model:>8.1f} ms in the median, one run after another")
    print(f"  and beside the database    {beside_both:>8.1f} ms")


def alone(number: int, address: str) -> list[tuple[float, float]]:
    """For each turn of `number` runs, one after another: the milliseconds from the model's reply to its next request,
    both as the model's server saw them, and how many of these its statements took."""
    import httpx

    from connections.models import QueryLogEntry

    found = []
    for _ in range(number):
        ask(1)
        _until(lambda: not _live(), 60)
        times = httpx.get(f"{address}/times").json()[-TURNS:]
        statements = [(entry.at.timestamp(), entry.ms) for entry in QueryLogEntry.objects.all()]
        for (_, sent), (arrived, _) in pairwise(times):
            spent = sum(ms for at, ms in statements if sent <= at <= arrived)
            found.append(((arrived - sent) * 1000, spent))
    return found


def ask(number: int) -> float:
    """Queue `number` questions; returns the seconds that took."""
    from agents import services
    from connections.models import Connection, User

    ada, shop = User.objects.get(username="ada"), Connection.objects.get(name="Shop")
    started = time.perf_counter()
    for count in range(number):
        services.ask(user=ada, connection=shop, text=f"Sales in Germany, {count}?", strategy="react")
    return time.perf_counter() - started


def _live() -> bool:
    from agents.models import LIVE, Run

    return Run.objects.filter(status__in=LIVE).exists()


def _until(condition: Any, seconds: float) -> None:
    started = time.monotonic()
    while not condition():
        if time.monotonic() - started > seconds:
            raise SystemExit(f"not done within {seconds:g} s")
        time.sleep(0.1)


def _cpu(process: int) -> float:
    """Seconds of processor time, user and system, of all threads of `process`."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory(process: int) -> float:
    """The most memory that `process` ever held, in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


if __name__ == "__main__":
    main()
