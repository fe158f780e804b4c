"""An evaluation asks every question once, keeps every trace, and goes on where it was stopped."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agents.contracts import EarlierTurn, RunSettings
from agents.evaluation.harness import Asked, Harness
from agents.evaluation.records import Record, read_records
from agents.evaluation.results import CaseResult, read_results
from agents.evaluation.systems import StrategySystem
from agents.llm.client import LiteLLMClient
from agents.llm.messages import ModelProfile
from agents.llm.scripted import ScriptedServer
from tests.agents.runs import SHOP


class Recorded:
    """A system whose answers are known, so that the harness alone is looked at."""

    def __init__(self, name: str, stop_at: str = "") -> None:
        self.name, self._stop_at = name, stop_at
        self.asked: list[tuple[str, int]] = []
        self._lock = threading.Lock()

    def ask(self, record: Record, earlier: Sequence[EarlierTurn]) -> Asked:
        if record.id == self._stop_at:
            raise KeyboardInterrupt
        with self._lock:
            self.asked.append((record.id, len(earlier)))
        result = CaseResult(record.id, self.name, "answered", tolerant=True, question=record.question)
        return Asked(result, {"id": record.id}, EarlierTurn(record.question, "", (), ""))


RECORDS = [
    Record("a", "", "One?"),
    Record("d/0", "", "Two?", dialogue=("d", 0)),
    Record("d/1", "", "Three?", dialogue=("d", 1)),
    Record("b", "", "Four?"),
]


@pytest.mark.parametrize("workers", [1, 3])
def test_every_question_is_asked_once_and_dialogues_keep_their_order(tmp_path: Path, workers: int) -> None:
    system = Recorded("s")
    results = Harness(tmp_path, workers=workers).run([system], RECORDS)
    assert [result.id for result in results] == ["a", "d/0", "d/1", "b"]
    assert sorted(system.asked) == [("a", 0), ("b", 0), ("d/0", 0), ("d/1", 1)]


def test_all_systems_answer_a_question_before_the_next_one_comes(tmp_path: Path) -> None:
    Harness(tmp_path).run([Recorded("s"), Recorded("t")], RECORDS)
    kept = [(result.id, result.system) for result in read_results(tmp_path / "results.jsonl")]
    assert [record for record, _ in kept] == ["a", "a", "d/0", "d/1", "d/0", "d/1", "b", "b"]
    assert [system for _, system in kept] == ["s", "t", "s", "s", "t", "t", "s", "t"]


def test_a_stopped_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        Harness(tmp_path).run([Recorded("s", stop_at="b")], RECORDS)
    with (tmp_path / "results.jsonl").open("a") as lines:
        lines.write('{"id": "cut off in the mid')
    again = Recorded("s")
    results = Harness(tmp_path).run([again], RECORDS)
    assert again.asked == [("b", 0)]
    assert len(results) == len(RECORDS)


def test_a_line_cut_within_a_character_is_no_hindrance(tmp_path: Path) -> None:
    Harness(tmp_path).run([Recorded("s")], RECORDS[:1])
    with (tmp_path / "results.jsonl").open("ab") as lines:
        lines.write('{"id": "b", "answer": "Zürich"}'.encode()[:25])
    again = Recorded("s")
    assert len(Harness(tmp_path).run([again], RECORDS)) == len(RECORDS)
    assert ("a", 0) not in again.asked


def test_what_looks_like_the_end_of_a_line_within_a_text_is_kept(tmp_path: Path) -> None:
    asked = "one\u2028two\u2029three\x85four\x0cfive"
    file = tmp_path / "records.jsonl"
    file.write_text(json.dumps({"id": "a", "url": "sqlite://", "question": asked}, ensure_ascii=False) + "\n")
    (record,) = read_records(file)
    assert record.question == asked
    (tmp_path / "results.jsonl").write_text(CaseResult("a", "s", "answered", question=asked).to_line() + "\n")
    assert [result.question for result in read_results(tmp_path / "results.jsonl")] == [asked]


def test_no_two_questions_share_a_trace(tmp_path: Path) -> None:
    long = "地" * 40
    records = [Record(one, "sqlite://", "?") for one in ("q 1", "q_1", long + "1", long + "2", "x/y", "x%2Fy")]
    results = Harness(tmp_path).run([Recorded("s")], records)
    traces = [json.loads((tmp_path / result.trace).read_text()) for result in results]
    assert [trace["id"] for trace in traces] == [record.id for record in records]


def test_each_trace_is_kept_and_linked(tmp_path: Path) -> None:
    Harness(tmp_path).run([Recorded("react, m/x")], RECORDS)
    for result in read_results(tmp_path / "results.jsonl"):
        assert json.loads((tmp_path / result.trace).read_text())["id"] == result.id


def test_progress_tells_how_much_is_left(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    Harness(tmp_path, progress=lambda done, total, left: seen.append((done, total))).run([Recorded("s")], RECORDS)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


PAID = "SELECT COUNT(*) FROM orders WHERE status = 'paid'"


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def system(server: ScriptedServer, strategy: str = "zero-shot") -> StrategySystem:
    profile = ModelProfile("scripted", "openai/scripted", api_base=server.api_base, key="x")
    return StrategySystem(strategy, LiteLLMClient(profile), settings=RunSettings())


ASKED: list[tuple[str, Record, str, tuple[str, bool, bool]]] = [
    ("right", Record("r", "", "?", gold_sql=(PAID,)), PAID, ("answered", True, True)),
    ("right with another column", Record("r", "", "?", gold_sql=(PAID,)), PAID.replace("COUNT(*)", "'n', COUNT(*)"),
     ("answered", False, True)),
    ("any of two golds", Record("r", "", "?", gold_sql=("SELECT 99", PAID)), PAID, ("answered", True, True)),
    ("wrong", Record("r", "", "?", gold_sql=("SELECT 99",)), PAID, ("answered", False, False)),
    ("no SQL", Record("r", "", "?", gold_sql=(PAID,)), "SELECT x FROM orders", ("failed", False, False)),
]  # fmt: skip


@pytest.mark.parametrize(("record", "sql", "ended"), [case[1:] for case in ASKED], ids=[case[0] for case in ASKED])
def test_a_system_is_scored_against_the_gold(
    shop: str, record: Record, sql: str, ended: tuple[str, bool, bool]
) -> None:
    from dataclasses import replace

    with ScriptedServer([sql]) as server:
        result = system(server).ask(replace(record, url=shop), ()).result
    assert (result.status, result.execution, result.tolerant) == ended
    assert result.usage["input"] > 0


def test_a_gold_that_cannot_be_run_is_told_and_counts_as_wrong(shop: str) -> None:
    with ScriptedServer([PAID]) as server:
        result = system(server).ask(Record("r", shop, "?", gold_sql=("SELECT nothing FROM nowhere",)), ()).result
    assert not result.tolerant
    assert result.error is not None
    assert result.error["type"] == "GoldError"


def test_a_database_that_is_not_there_is_one_failed_question(tmp_path: Path) -> None:
    with ScriptedServer([PAID]) as server:
        asked = system(server).ask(Record("r", f"sqlite:///{tmp_path}/none.sqlite", "?"), ())
    assert asked.result.status == "failed"
    assert asked.result.error is not None
    assert asked.result.error["type"] == "ConnectionFailedError"
    assert asked.document["status"] == "failed"


@pytest.mark.parametrize("sends", [True, False])
def test_the_next_turn_of_a_dialogue_is_told_values_only_where_a_model_may_see_them(shop: str, sends: bool) -> None:
    with ScriptedServer(["SELECT name FROM customers"]) as server:
        turn = system(server).ask(Record("d/0", shop, "Who?", dialogue=("d", 0), send_values=sends), ()).turn
    assert turn is not None
    assert ("Cleo" in turn.preview, bool(turn.answer)) == (sends, sends)
    assert turn.program
