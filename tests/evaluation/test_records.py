"""Records are read or refused by line; a seeded draw is the same everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.evaluation.records import Record, RecordError, dialogues, draw, read_records


def written(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_record_keeps_what_scoring_needs(tmp_path: Path) -> None:
    line = {"id": "a", "url": "sqlite:///x", "question": "How many?", "gold_sql": ["SELECT 1"], "answerable": True,
            "dialogue": {"id": "d", "turn": 2}, "interpretations": None, "extra": {"difficulty": "hard"}}  # fmt: skip
    (record,) = read_records(written(tmp_path / "r.jsonl", line, ""))
    assert (record.gold_sql, record.dialogue, record.difficulty) == (("SELECT 1",), ("d", 2), "hard")
    assert (record.evidence, record.interpretations) == ("", ())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "r.jsonl, line 2: no JSON"),
        ("[]", "line 2: a record is a JSON object, not list"),
        ({"id": "b", "url": "x"}, "line 2: .* question is missing"),
        ({"id": "a", "url": "x", "question": "q"}, "'a' occurs twice"),
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: Any, words: str) -> None:
    path = written(tmp_path / "r.jsonl", {"id": "a", "url": "x", "question": "q"}, line)
    with pytest.raises(RecordError, match=words):
        read_records(path)


def some(n: int) -> list[Record]:
    return [Record(id=str(i), url="", question="") for i in range(n)]


def test_a_draw_with_a_seed_is_repeatable_and_in_order() -> None:
    ids = [int(record.id) for record in draw(some(100), 10, seed=1)]
    assert ids == sorted(ids)
    assert ids == [int(record.id) for record in draw(some(100), 10, seed=1)]
    assert ids != [int(record.id) for record in draw(some(100), 10, seed=2)]


def test_without_a_seed_the_first_ones_are_taken() -> None:
    assert [record.id for record in draw(some(5), 2, seed=None)] == ["0", "1"]
    assert len(draw(some(5), None, seed=1)) == len(draw(some(5), 9, seed=1)) == 5


def test_turns_of_a_dialogue_stay_together_in_order() -> None:
    records = [Record("x", "", "", dialogue=("d", 1)), Record("y", "", ""), Record("z", "", "", dialogue=("d", 0))]
    assert [[one.id for one in group] for group in dialogues(records)] == [["z", "x"], ["y"]]
