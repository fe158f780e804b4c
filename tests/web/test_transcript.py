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


def test_a_handle_that_is_given_anew_shows_the_rows_of_each_step() -> None:
    t = {"rel": "t"}
    batch = (
        {"op": "table_ref", "args": {"table": "orders"}, "out": "t"}, {"op": "filter_expr", "args": t, "out": "t"},
        {"op": "distinct", "args": t, "out": "t"}, {"op": "aggregate", "args": t, "out": "t"},
        {"op": "execute", "args": t},
    )  # fmt: skip
    transcript = Transcript()
    transcript.apply(events.Calls(turn=1, thought="", calls=batch))
    for index, call in enumerate(batch[:4]):
        transcript.apply(events.CallResult(turn=1, index=index, call=call, state="ok", handle="t"))
    transcript.apply(
        events.CallResult(turn=1, index=4, call=batch[4], state="ok", handle="t", result=1, row_count=1)
    )
    transcript.apply(events.Observation(turn=1, text="", rows_out={"0": 4, "1": 0, "3": 1}))
    transcript.apply(events.Warned(turn=1, text="t has no rows: no row passes"))
    lines = transcript.turns[0].calls
    assert [(line.rows_in, line.rows_out) for line in lines[:4]] == [(None, 4), (4, 0), (None, None), (None, 1)]
    assert [bool(line.warnings) for line in lines] == [False, True, False, False, False]


def test_what_was_mended_in_the_final_stands_with_its_turn() -> None:
    transcript = told(len(STORY))
    number = transcript.turns[-1].number
    changes = transcript.apply(events.Final(turn=number, text="x", notes=("the JSON was mended",)))
    assert transcript.turns[-1].notes[-1] == "the JSON was mended"
    assert Change("calls", transcript.turns[-1].key) in changes


def test_attempts_that_failed_count_in_the_totals() -> None:
    transcript = Transcript()
    transcript.apply(events.Retry(turn=1, attempt=1, wait=0, reason="broken", input=90, output=10, cost=0.5))
    assert (transcript.totals.tokens, transcript.totals.cost) == (100, 0.5)
