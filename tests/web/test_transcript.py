"""The page (all events at once) and the stream (one after another) end up showing the same."""

from __future__ import annotations

import pytest

from agents.answers.transcript import Transcript, thought_in
from agents.answers.turns import Change
from agents.traces import events
from agents.traces.events import Event
from tests.web import stories

STORY: list[Event] = [
    events.RunStarted(question="?", strategy="react", model="M", dialect="sqlite", budget={"turns": 15}),
    *stories.wrong_turn(), *stories.right_turn(), *stories.ending(),
]  # fmt: skip


def told(count: int | None = None) -> Transcript:
    transcript = Transcript()
    for event in STORY[:count]:
        transcript.apply(event)
    return transcript


def test_states_of_a_turn_that_went_wrong() -> None:
    assert [line.state for line in told().turns[0].calls] == ["ok", "warn", "err", "skip"]


def test_the_first_open_call_runs_and_the_rest_wait() -> None:
    at_calls = next(place for place, event in enumerate(STORY) if isinstance(event, events.Calls)) + 1
    assert [line.state for line in told(at_calls).turns[0].calls] == ["run", "wait", "wait", "wait"]
    assert [line.state for line in told(at_calls + 1).turns[0].calls] == ["ok", "run", "wait", "wait"]


def test_rows_in_come_from_the_relation_that_is_read() -> None:
    lines = told().turns[1].calls
    assert [(line.rows_in, line.rows_out) for line in lines] == [
        (None, 20310), (20310, 8306), (None, 8050), (8306, 8306), (8306, 8), (8, 8), (None, 8),
    ]  # fmt: skip


def test_an_error_says_where_it_was_put_right() -> None:
    assert told().turns[0].calls[2].corrected_in == "2-2"


def test_totals_add_up() -> None:
    totals = told().totals
    assert (totals.calls, totals.errors, totals.warnings, totals.turns_allowed) == (11, 1, 1, 15)
    assert totals.tokens == 3 * (9120 + 212)
    assert totals.cost == pytest.approx(0.009)


def test_each_change_names_a_fragment_that_is_there() -> None:
    transcript = Transcript()
    appended: list[str] = []
    for event in STORY:
        for change in transcript.apply(event):
            assert change.kind in ("status", "end") or transcript.turn(change.turn) is not None
            if change.kind == "turn":
                appended.append(change.turn)
            if change.kind == "call":
                assert transcript.line(f"{change.turn}-{change.call}") is not None
    assert appended == ["1", "2", "3"]


def test_a_run_that_ends_early_leaves_no_call_waiting() -> None:
    transcript = told(6)
    assert transcript.apply(events.RunCancelled(by="olga")) == (Change("end"),)
    assert {line.state for line in transcript.turns[0].calls} == {"ok", "warn", "skip"}
    assert not transcript.turns[0].running


def test_lines_of_work_side_by_side_are_kept_apart() -> None:
    transcript = Transcript()
    for branch in ("candidate-1", "candidate-2"):
        transcript.apply(events.Calls(turn=1, branch=branch, thought=branch, calls=(stories.PROGRAM[0],)))
    assert [(turn.key, turn.thought) for turn in transcript.turns] == [
        ("candidate-1-1", "candidate-1"), ("candidate-2-1", "candidate-2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "thought"),
    [
        ("<think>I look at orders", "I look at orders"),
        ("<think>I look.</think>\n[{", "I look."),
        ('I look.\n\n[{"op": ', "I look."),
        ("I look.\n```json\n[", "I look."),
        ('{"final": "x', ""),
        ("<thi", "<thi"),
        ("", ""),
    ],
)
def test_only_the_thought_of_a_reply_is_shown_while_it_is_written(reply: str, thought: str) -> None:
    assert thought_in(reply) == thought
