"""What `dsl lift` does, as documents: one statement, or a file of them."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from agents.engine.lift import lift
from agents.engine.lift.batch import Verdict, compiled, verdicts
from agents.engine.programs import error_to_json, open_door, run_program, run_to_json
from agents.errors import DatabaseError, ModelCorrectableError
from connections.door import Door

Document = dict[str, Any]


def lift_document(url: str, sql: str, *, run: bool, max_rows: int, seconds: float, strict: bool) -> Document:
    """`{"program", "sql", "warnings", "error"}`, with `run` also what running it gave."""
    document: Document = {"program": None, "sql": None, "warnings": [], "error": None}
    if run:
        document |= {"observations": [], "results": []}
    try:
        with open_door(url, max_rows=max_rows, seconds=seconds) as door:
            return document | _lifted(door, sql, run=run, max_rows=max_rows, seconds=seconds, strict=strict)
    except (ModelCorrectableError, DatabaseError) as error:
        return document | {"error": error_to_json(type(error).__name__, str(error))}


def _lifted(door: Door, sql: str, *, run: bool, max_rows: int, seconds: float, strict: bool) -> Document:
    lifted = lift(sql, door.catalogue, door.dialect, strict=strict)
    document: Document = {"program": lifted.program, "warnings": list(lifted.warnings)}
    if not run:
        statement, failure = compiled(lifted, door)
        return document | {"sql": statement or None, "error": failure}
    ran = run_to_json(run_program(door, lifted.program, max_rows=max_rows, seconds=seconds))
    return document | ran | {"sql": ran["results"][-1]["sql"] if ran["results"] else None}


def lift_batch(source: Iterable[str], target: TextIO, progress: TextIO, *, url: str, seconds: float) -> Document:
    """Write a verdict for each line of `source`; the document sums them up.

    `ratio_*` compare the time of the lifted SQL with that of the original, over the lines that ran; `lift_ms_median` is
    the time from SQL to program.
    """
    found: list[Verdict] = []
    started = time.monotonic()
    for verdict in verdicts(_lines(source), url, seconds):
        target.write(json.dumps(verdict.line, ensure_ascii=False, default=str) + "\n")
        found.append(verdict)
        if len(found) % 500 == 0:
            progress.write(f"{len(found):,} statements in {time.monotonic() - started:.0f} s\n")
    return _summary(found) | {"seconds": round(time.monotonic() - started, 1), "error": None}


def _lines(source: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSONL file; a line that is none becomes an object without SQL, and so an error of its own."""
    for number, text in enumerate(source, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            line = None
        yield line if isinstance(line, dict) else {"id": f"line {number}"}


def _summary(found: list[Verdict]) -> Document:
    ratios = sorted(v.ms_dsl / max(v.ms_sql, 0.001) for v in found if v.ms_dsl is not None and v.ms_sql is not None)
    lifting = [v.ms_lift for v in found if v.ms_lift is not None]
    return {
        "statements": len(found),
        "ok": sum(v.ok for v in found),
        "equal": sum(v.equal for v in found),
        "equal_percent": round(100 * sum(v.equal for v in found) / len(found), 2) if found else None,
        "calls_mean": round(statistics.mean(v.ops for v in found), 2) if found else None,
        "ratio_median": round(statistics.median(ratios), 3) if ratios else None,
        "ratio_p95": round(ratios[min(int(len(ratios) * 0.95), len(ratios) - 1)], 3) if ratios else None,
        "lift_ms_median": round(statistics.median(lifting), 2) if lifting else None,
    }
