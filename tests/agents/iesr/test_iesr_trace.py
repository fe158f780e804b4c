"""What a run of `iesr` leaves behind: a trace that people can follow, and from which another worker goes on."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.answers.tracing import trace_of
from agents.answers.training import chat_of
from agents.answers.transcript import Transcript
from agents.llm.budget import BudgetLimits
from agents.traces.events import Event, ModelReply, Warned, from_json, to_json
from agents.traces.journal import MemoryJournal
from tests.agents.iesr.answering import Replies, searching
from tests.agents.runs import SHOP, Ran

PAID = "SELECT COUNT(*) AS n FROM orders WHERE status = 'paid'"
ALL = "SELECT COUNT(*) AS n FROM orders"
BROKEN = "SELECT colour FROM orders"


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def confidence(run: Ran) -> float:
    assert run.answer is not None
    assert run.answer.confidence is not None
    return run.answer.confidence


def test_no_turn_is_left_open_before_the_end(shop: str) -> None:
    with searching(shop, Replies([PAID, ALL, BROKEN], [PAID] * 3), rollouts=4) as run:
        transcript = Transcript()
        for event in run.events[:-1]:
            transcript.apply(event)
        assert [turn.key for turn in transcript.turns if turn.running] == []
        replies = sum(len([row for row in turn.rows if hasattr(row, "reply")]) for turn in trace_of(run.events).turns)
        assert replies == len(run.of(ModelReply))


def test_the_talk_that_led_to_the_answer_can_be_learnt_from(shop: str) -> None:
    with searching(shop, Replies([PAID] * 3)) as run:
        chat = chat_of(run.events)
        assert chat[0]["role"] == "system"
        assert chat[-1] == {"role": "assistant", "content": f"```sql\n{PAID}\n```"}


def stored(saved: tuple[Event, ...]) -> MemoryJournal:
    """A journal that begins with `saved`, read back as a worker reads them."""
    return MemoryJournal([from_json(json.loads(json.dumps(to_json(event)))) for event in saved])


def lines_of_work(events: tuple[Event, ...]) -> dict[str, list[tuple[str, object]]]:
    """Every branch with what it said and did, in its own order."""
    told: dict[str, list[tuple[str, object]]] = {}
    for event in events:
        what = next(
            (getattr(event, name) for name in ("text", "calls", "call", "appended") if hasattr(event, name)), ""
        )
        told.setdefault(event.branch, []).append((event.kind, what))
    return told


@pytest.mark.parametrize("first", range(4))  # in parts that can be run side by side
def test_a_run_that_died_anywhere_ends_the_same(shop: str, first: int) -> None:
    replies = Replies([PAID, ALL, BROKEN], [PAID, PAID, BROKEN])
    with searching(shop, replies, rollouts=3) as run:
        whole = run.events
        wanted = (run.rows(), confidence(run), lines_of_work(whole))
    assert any("revision" in event.branch for event in whole)
    for died_after in range(first, len(whole), 4):
        saved = whole[:died_after]
        with searching(shop, replies, rollouts=3, journal=stored(saved)) as resumed:
            assert (resumed.rows(), confidence(resumed), lines_of_work(resumed.events)) == wanted
            answered = sum(isinstance(event, ModelReply) for event in saved)
            assert len(resumed.server.requests) <= sum(isinstance(event, ModelReply) for event in whole) - answered


def test_a_resumed_run_compares_whole_tables_not_the_heads_that_the_trace_keeps(
    new_database: Callable[[str, str], str],
) -> None:
    rows = ", ".join(f"({number}, {number}.50, TIMESTAMP '2026-01-01 10:00:00')" for number in range(1, 121))
    table = "CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(10, 2), paid_at TIMESTAMP);"
    url = new_database("duckdb", f"{table} INSERT INTO orders VALUES {rows};")
    replies = Replies(
        [
            "SELECT id, total, paid_at FROM orders ORDER BY id",
            "SELECT id, total * 1.000 AS total, paid_at FROM orders ORDER BY id DESC",
            "SELECT id, CASE WHEN id = 70 THEN 0 ELSE total END AS total, paid_at FROM orders ORDER BY id",
        ]
    )
    with searching(url, replies, rollouts=1) as run:
        wanted = (confidence(run), lines_of_work(run.events))
        whole = run.events
        assert "0.4 x 0.67" in str(wanted)
    for died_after in range(3, len(whole), 4):
        with searching(url, replies, rollouts=1, journal=stored(whole[:died_after])) as resumed:
            assert (confidence(resumed), lines_of_work(resumed.events)) == wanted


def test_a_run_that_died_ends_the_same_where_tokens_end_the_search(shop: str) -> None:
    replies = Replies([PAID] * 3, usage={"prompt_tokens": 900, "completion_tokens": 100})
    limits = BudgetLimits(tokens=20_000)
    with searching(shop, replies, rollouts=8, limits=limits) as run:
        wanted = (run.rows(), confidence(run), lines_of_work(run.events))
        whole = run.events
        assert any("of 8 rollouts" in event.text for event in run.of(Warned))
    for died_after in range(1, len(whole), 7):
        with searching(shop, replies, rollouts=8, limits=limits, journal=stored(whole[:died_after])) as resumed:
            assert (resumed.rows(), confidence(resumed), lines_of_work(resumed.events)) == wanted
