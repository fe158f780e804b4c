"""Questions to be measured with, as JSON lines: one shape for every set.

A line has `id`, `url`, `question`; further `set`, `db_id`, `dialect`, `evidence`, `gold_sql` (a list), `answerable`,
`dialogue` ({"id", "turn"}), `interpretations`, `send_values` (false: no model may see values) and `extra`. Without
`interpretations` any one of `gold_sql` is right; with them `gold_sql` holds one query per reading, in the same order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class RecordError(ValueError):
    """A line that is no record; the message names the line."""


@dataclass(frozen=True, slots=True)
class Record:
    """`dialogue` is (id, turn) or None; turns count from 0. `difficulty` is "" where the set has none."""

    id: str
    url: str
    question: str
    set: str = ""
    db_id: str = ""
    dialect: str = ""
    evidence: str = ""
    gold_sql: tuple[str, ...] = ()
    answerable: bool = True
    dialogue: tuple[str, int] | None = None
    interpretations: tuple[str, ...] = ()
    difficulty: str = ""
    send_values: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)


def read_records(path: Path) -> list[Record]:
    """Every record of a file. Raises RecordError naming the first line that is none, OSError when it cannot be read."""
    records = [
        _record(line, f"{path.name}, line {number}")
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        if line.strip()
    ]
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise RecordError(f"{path.name}: the id {record.id!r} occurs twice; every record needs its own.")
        seen.add(record.id)
    return records


def draw(records: Sequence[Record], limit: int | None, seed: int | None) -> list[Record]:
    """At most `limit` of the records: the first ones, or drawn with `seed`. Drawn records keep the file's order."""
    if limit is None or limit >= len(records):
        return list(records)
    if seed is None:
        return list(records[:limit])
    chosen = random.Random(seed).sample(range(len(records)), limit)  # noqa: S311 - a seeded draw, no secret
    return [records[index] for index in sorted(chosen)]


def dialogues(records: Iterable[Record]) -> list[tuple[Record, ...]]:
    """Groups that must be asked one after another: the turns of a dialogue in order, every other record alone."""
    groups: dict[object, list[Record]] = {}
    for record in records:
        groups.setdefault(record.dialogue[0] if record.dialogue else ("alone", record.id), []).append(record)
    return [tuple(sorted(group, key=lambda one: one.dialogue[1] if one.dialogue else 0)) for group in groups.values()]


def _record(line: str, where: str) -> Record:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(f"{where}: no JSON ({error.msg}).") from error
    if not isinstance(data, dict):
        raise RecordError(f"{where}: a record is a JSON object, not {type(data).__name__}.")
    if missing := [name for name in ("id", "url", "question") if not isinstance(data.get(name), str)]:
        raise RecordError(f"{where}: a record needs the texts id, url and question; {', '.join(missing)} is missing.")
    gold, extra, dialogue = data.get("gold_sql") or [], data.get("extra") or {}, data.get("dialogue")
    return Record(
        id=data["id"],
        url=data["url"],
        question=data["question"],
        set=data.get("set") or "",
        db_id=data.get("db_id") or "",
        dialect=data.get("dialect") or "",
        evidence=data.get("evidence") or "",
        gold_sql=(gold,) if isinstance(gold, str) else tuple(gold),
        answerable=bool(data.get("answerable", True)),
        dialogue=(str(dialogue["id"]), int(dialogue["turn"])) if dialogue else None,
        interpretations=tuple(data.get("interpretations") or ()),
        difficulty=str(data.get("difficulty") or extra.get("difficulty") or ""),
        send_values=bool(data.get("send_values", True)),
        extra=extra,
    )
