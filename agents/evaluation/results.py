"""What came of one question under one system, as a line of `results.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class CaseResult:
    """`system` is "strategy, model". `execution`, `tolerant` and `soft_f1` are 0 without a table; `judged` is None
    without a judge. Seconds are wall-clock, cost in US dollars (None when not known), `trace` a path beside the file.
    """

    id: str
    system: str
    status: str
    db_id: str = ""
    difficulty: str = ""
    answerable: bool = True
    execution: bool = False
    tolerant: bool = False
    soft_f1: float = 0.0
    judged: bool | None = None
    judge_reason: str = ""
    question: str = ""
    answer: str = ""
    sql: str = ""
    gold_sql: tuple[str, ...] = ()
    error: Mapping[str, str] | None = None
    turns: int = 0
    calls: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    trace: str = ""

    @property
    def right(self) -> bool:
        """By the judge where there is one, else by the tolerant comparator; a rightful refusal counts."""
        if not self.answerable:
            return self.status == "unanswerable"
        return self.tolerant if self.judged is None else self.judged

    def to_line(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def with_vote(strategy: str, samples: int) -> str:
    """A strategy whose drafts vote, as it is named beside the same one without a vote."""
    return f"{strategy} with a vote of {samples}" if samples > 1 else strategy


def read_results(path: Path) -> list[CaseResult]:
    """The results kept so far, none without the file. A last line that was cut off by a crash is left out."""
    if not path.exists():
        return []
    known = {item.name for item in fields(CaseResult)}
    results = []
    for line in path.read_bytes().split(b"\n"):  # a text may hold what Python calls a line's end, such as U+2028
        try:
            data = json.loads(line)
        except ValueError:  # cut, perhaps within a character
            continue
        data["gold_sql"] = tuple(data.get("gold_sql", ()))
        results.append(CaseResult(**{name: value for name, value in data.items() if name in known}))
    return results


def by_system(results: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    systems: dict[str, list[CaseResult]] = {}
    for result in results:
        systems.setdefault(result.system, []).append(result)
    return systems
