"""`python -m bench.lifting SET…`: gold queries of public benchmarks, lifted, run and compared with the database.

BENCH_DIR names the folder with `bench.py` and the packed sets; they are unpacked into BENCH_CACHE (a folder, by default
below the system's own for temporary files). PostgreSQL sets are loaded into databases of their own, dropped afterwards.
What is not equal is listed with its reason.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from agents.engine.lift.command import lift_batch
from tests.databases import scratch

COLUMNS = ("statements", "equal", "equal_percent", "calls_mean", "ratio_median", "ratio_p95", "lift_ms_median",
           "seconds")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lifting", description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N statements of each set, chosen by a seed")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="only every Nth statement, beginning with the Kth")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="list the N highest ratios with their SQL")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S")
    options = parser.parse_args(arguments)
    print(" | ".join(("set", *COLUMNS)))
    for name in options.sets:
        report(name, options)


def report(name: str, options: argparse.Namespace) -> None:
    """Print one line of figures, and one for each statement that is not equal."""
    first, step = map(int, options.part.split("/"))
    with ExitStack() as stack:
        statements = list(gold(name, stack))[first - 1 :: step]
        if options.sample and options.sample < len(statements):
            statements = random.Random(1).sample(statements, options.sample)
        by_id = {line["id"]: line["sql"] for line in statements}
        written = io.StringIO()
        lines = (json.dumps(line) for line in sorted(statements, key=lambda line: line["url"]))
        figures = lift_batch(lines, written, sys.stderr, url="", seconds=options.timeout)
    print(" | ".join((name, *(str(figures[column]) for column in COLUMNS))))
    verdicts = [json.loads(text) for text in written.getvalue().splitlines()]
    for verdict in verdicts:
        if not verdict["equal"]:
            error = verdict["error"] or {"type": "different rows", "message": "both sides ran"}
            print(f"  {verdict['id']}: {error['type']}: {error['message']} [{by_id[verdict['id']]}]")
    slowest = sorted((v for v in verdicts if v["ok"]), key=lambda v: v["ms_sql"] / v["ms_dsl"])[: options.slowest]
    for verdict in slowest:
        print(f"  {verdict['ms_sql']} ms, lifted {verdict['ms_dsl']} ms: {verdict['id']} [{by_id[verdict['id']]}]")


def gold(name: str, stack: ExitStack) -> Iterator[Mapping[str, Any]]:
    """Every distinct statement of a set as a line of a batch."""
    seen: set[tuple[str, str]] = set()
    loaded: dict[str, str] = {}
    for record in records(name):
        for number, sql in enumerate(record["gold_sql"]):
            if (record["url"], sql) in seen:
                continue
            seen.add((record["url"], sql))
            if record["dialect"] == "postgresql" and record["url"] not in loaded:
                dump = Path(record["url"]).read_text(encoding="utf-8")
                loaded[record["url"]] = stack.enter_context(scratch("postgresql", dump, Path(tempfile.gettempdir())))
            url = loaded.get(record["url"], record["url"])
            yield {"id": f"{record['id']}#{number}", "url": url, "sql": sql}


def records(name: str) -> Iterable[Mapping[str, Any]]:
    """The records of a set, as the reader in BENCH_DIR gives them."""
    folder = os.environ.get("BENCH_DIR")
    if not folder:
        raise SystemExit("BENCH_DIR does not name the folder of benchmark sets")
    spec = spec_from_file_location("bench_reader", Path(folder) / "bench.py")
    assert spec is not None
    assert spec.loader is not None
    reader = module_from_spec(spec)
    spec.loader.exec_module(reader)
    cache = os.environ.get("BENCH_CACHE") or str(Path(tempfile.gettempdir()) / "lift-bench")
    found: Iterable[Mapping[str, Any]] = reader.records(name, cache)
    return found


if __name__ == "__main__":
    main()
