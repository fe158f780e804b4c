"""The report of an evaluation: accuracy, cost and latency side by side, with what is more than chance.

`terminal` gives the table for a terminal, `markdown` the whole report. Both are pure functions of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from urllib.parse import quote

from agents.evaluation.results import CaseResult, by_system
from agents.evaluation.scoring import reliability
from agents.evaluation.statistics import compare, spread

MOST_FAILURES = 200


@dataclass(frozen=True, slots=True)
class Measure:
    """One column of the tables: a heading, and what it shows of a system's results."""

    heading: str
    show: Callable[[Sequence[CaseResult]], str]


def _share(values: Iterable[bool | float]) -> str:
    numbers = [float(value) for value in values]
    return f"{100 * fmean(numbers):.1f}" if numbers else "-"


def _mean(values: Iterable[float | None], form: str) -> str:
    numbers = [value for value in values if value is not None]
    return format(fmean(numbers), form) if numbers else "-"


def _judged(results: Sequence[CaseResult]) -> str:
    return _share(result.judged for result in results if result.judged is not None)


def _reliable(penalty: int) -> Callable[[Sequence[CaseResult]], str]:
    return lambda results: f"{reliability(((r.answerable, r.status, r.right) for r in results), penalty):.1f}"


def _answerable(results: Sequence[CaseResult]) -> list[CaseResult]:
    return [result for result in results if result.answerable]


ACCURACY = (
    Measure("questions", lambda rs: str(len(rs))),
    Measure("tolerant %", lambda rs: _share(r.tolerant for r in _answerable(rs))),
    Measure("EX %", lambda rs: _share(r.execution for r in _answerable(rs))),
    Measure("soft F1 %", lambda rs: _share(r.soft_f1 for r in _answerable(rs))),
    Measure("judge %", _judged),
    Measure("RS(0)", _reliable(0)),
    Measure("RS(10)", _reliable(10)),
    Measure("failed", lambda rs: str(sum(r.status in ("failed", "cancelled") for r in rs))),
)

EFFICIENCY = (
    Measure("cost $", lambda rs: _mean((r.usage.get("cost") for r in rs), ".6f")),
    Measure("input", lambda rs: _mean((r.usage.get("input") for r in rs), ".0f")),
    Measure("cached", lambda rs: _mean((r.usage.get("cached") for r in rs), ".0f")),
    Measure("output", lambda rs: _mean((r.usage.get("output") for r in rs), ".0f")),
    Measure("turns", lambda rs: _mean((r.turns for r in rs), ".2f")),
    Measure("calls", lambda rs: _mean((r.calls for r in rs), ".2f")),
)

LATENCY = (
    Measure("min s", lambda rs: f"{spread([r.seconds for r in rs]).minimum:.1f}"),
    Measure("median s", lambda rs: f"{spread([r.seconds for r in rs]).median:.1f}"),
    Measure("mean s", lambda rs: f"{spread([r.seconds for r in rs]).mean:.1f}"),
    Measure("max s", lambda rs: f"{spread([r.seconds for r in rs]).maximum:.1f}"),
    Measure("CV", lambda rs: f"{spread([r.seconds for r in rs]).cv:.2f}"),
    Measure("> 500 s", lambda rs: str(spread([r.seconds for r in rs]).over_500)),
)


def terminal(results: Sequence[CaseResult]) -> str:
    """The three tables, one line a system, in columns of a fixed width."""
    systems = by_system(results)
    tables = (_rows(systems, measures) for measures in (ACCURACY, EFFICIENCY, LATENCY))
    return "\n\n".join("\n".join(_aligned(rows)) for rows in tables)


def changes(results: Sequence[CaseResult]) -> str:
    """What is answered otherwise than a person verified it, a line a question under each system."""
    lines = []
    for name, own in by_system(results).items():
        changed = [result for result in own if not result.right]
        lines.append(f"{name}: {len(own) - len(changed)} of {len(own)} as verified")
        lines += [f"  {result.id}  {result.question}  ({_otherwise(result)})" for result in changed]
    return "\n".join(["What changed", *lines])


def _otherwise(result: CaseResult) -> str:
    if result.error:
        return f"{result.status}: {result.error.get('message', '')}"
    return "another result" if result.status == "answered" else result.status


def markdown(results: Sequence[CaseResult], title: str) -> str:
    """The whole report. Traces are linked relative to the file."""
    systems = by_system(results)
    parts = [
        f"# {title}",
        "Right by the tolerant comparator: whole rows as multisets, columns in any order, further columns allowed, "
        "numbers within 1e-3. EX is BIRD's execution accuracy. Refusals are scored by RS(0) and RS(10).",
        "## Accuracy",
        _table(_rows(systems, ACCURACY)),
        "## Cost a question",
        _table(_rows(systems, EFFICIENCY)),
        "## Latency",
        _table(_rows(systems, LATENCY)),
        *_difficulties(systems),
        *_comparisons(systems),
        *_failures(systems),
    ]
    return "\n\n".join(parts) + "\n"


def _rows(systems: dict[str, list[CaseResult]], measures: Sequence[Measure]) -> list[list[str]]:
    heading = ["system", *(measure.heading for measure in measures)]
    return [heading, *([name, *(measure.show(own) for measure in measures)] for name, own in systems.items())]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]))
    return lines


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]])


def _difficulties(systems: dict[str, list[CaseResult]]) -> list[str]:
    """Accuracy by difficulty, where the set has any."""
    levels = list(dict.fromkeys(r.difficulty for own in systems.values() for r in own if r.difficulty))
    if not levels:
        return []
    rows = [["system", *levels]]
    for name, own in systems.items():
        groups = [[r for r in own if r.difficulty == level] for level in levels]
        rows.append([name, *(f"{_share(r.right for r in group)} of {len(group)}" for group in groups)])
    return ["## Right by difficulty, %", _table(rows)]


def _comparisons(systems: dict[str, list[CaseResult]]) -> list[str]:
    """Every pair of systems over the questions that both answered."""
    rows = [["earlier → later", "n", "b", "c", "Δ points", "95 % interval", "p exact", "p corrected"]]
    for (first, own), (second, others) in combinations(systems.items(), 2):
        right = {r.id: r.right for r in own}
        shared = [(right[r.id], r.right) for r in others if r.id in right]
        if not shared:
            continue
        found = compare([pair[0] for pair in shared], [pair[1] for pair in shared])
        low, high = found.interval
        rows.append([
            f"{first} → {second}", str(len(shared)), str(found.b), str(found.c), f"{found.difference:+.1f}",
            f"{low:+.1f} to {high:+.1f}", f"{found.p_exact:.3g}", f"{found.p_corrected:.3g}",
        ])  # fmt: skip
    if len(rows) == 1:
        return []
    why = "McNemar's test on the questions that only the earlier (b) or only the later (c) got right; paired bootstrap."
    return ["## More than chance?", why, _table(rows)]


def _failures(systems: dict[str, list[CaseResult]]) -> list[str]:
    rows = [["question", "system", "ended", "why", "trace"]]
    wrong = [result for own in systems.values() for result in own if not result.right]
    for result in wrong[:MOST_FAILURES]:
        refused = result.status != "answered" and result.answer
        why = result.error["message"] if result.error else refused or "another result"
        place = quote(result.trace, safe="/:")
        link = f"[{result.id}]({place})" if place else result.id
        rows.append([_short(result.question), result.system, result.status, _short(why), link])
    if len(rows) == 1:
        return ["## Not right", "Nothing."]
    more = [f"… and {len(wrong) - MOST_FAILURES} more."] if len(wrong) > MOST_FAILURES else []
    return ["## Not right", _table(rows), *more]


def _short(text: str, size: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1] + "…"
