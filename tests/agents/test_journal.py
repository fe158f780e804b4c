"""A run plays back what it did: nothing twice, nothing out of place."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.errors import RunCancelledError, RunDivergedError, RunLostError
from agents.traces.events import Event, ModelReply, Observation, Retry, RunCancelled, ThoughtDelta, from_json, to_json
from agents.traces.journal import MemoryJournal


def said(text: str, branch: str = "") -> ModelReply:
    return ModelReply(purpose="agent", conversation="agent", text=text, branch=branch)


def a_short_run(journal: MemoryJournal, replies: list[str]) -> list[str]:
    """Two model calls with an observation after each; takes a reply only when the model is really asked."""
    heard = []
    for turn in (1, 2):
        heard.append(journal.once(ModelReply, lambda: said(replies.pop(0))).text)
        journal.emit(Observation(turn=turn, text=f"seen {heard[-1]}"))
    return heard


def test_positions_are_dense_and_every_event_has_its_time() -> None:
    journal = MemoryJournal()
    a_short_run(journal, ["a", "b"])
    assert [event.position for event in journal.events] == [1, 2, 3, 4]
    assert all(event.at for event in journal.events)


@pytest.mark.parametrize("saved_events", range(5))
def test_a_resumed_run_repeats_no_effect_wherever_it_stopped(saved_events: int) -> None:
    first = MemoryJournal()
    a_short_run(first, ["a", "b"])
    kept = first.events[:saved_events]
    left = ["a", "b"][sum(isinstance(event, ModelReply) for event in kept) :]
    shown: list[Event] = []
    resumed = MemoryJournal(kept, sink=shown.append)
    assert a_short_run(resumed, left) == ["a", "b"]
    assert left == []
    assert [event.position for event in shown] == list(range(saved_events + 1, 5))
    assert [type(event) for event in resumed.events] == [type(event) for event in first.events]


def test_a_retry_told_before_the_crash_is_kept_and_not_asked_for_again() -> None:
    first = MemoryJournal()
    first.emit(Retry(attempt=1, wait=0.5, reason="429"))
    resumed = MemoryJournal(first.events)
    assert a_short_run(resumed, ["a", "b"]) == ["a", "b"]
    assert [event.kind for event in resumed.events][:2] == ["retry", "model_reply"]


def test_another_event_at_a_saved_place_is_a_clear_error_and_the_end_can_still_be_written() -> None:
    first = MemoryJournal()
    a_short_run(first, ["a", "b"])
    resumed = MemoryJournal(first.events)
    with pytest.raises(RunDivergedError, match="position 1 it saved 'model_reply'.*'observation'"):
        resumed.emit(Observation(text="something else"))
    assert resumed.emit(Observation(text="the end")).position == 5


def test_the_end_is_written_past_what_is_left_of_the_past() -> None:
    first = MemoryJournal()
    a_short_run(first, ["a", "b"])
    resumed = MemoryJournal(first.events)
    assert resumed.once(ModelReply, lambda: said("new")).text == "a"
    assert resumed.end(RunCancelled(by="ada")).position == 5
    assert [event.kind for event in resumed.events][-2:] == ["observation", "run_cancelled"]


def test_branches_are_played_back_each_in_its_own_order() -> None:
    first = MemoryJournal()
    for text, branch in (("one", "a"), ("two", "b"), ("three", "a")):
        first.emit(said(text, branch))
    resumed = MemoryJournal(first.events)
    never = threading.Event()

    def asked() -> ModelReply:
        never.set()
        return said("new")

    assert resumed.once(ModelReply, asked, branch="b").text == "two"
    assert [resumed.once(ModelReply, asked, branch="a").text for _ in range(2)] == ["one", "three"]
    assert not never.is_set()
    assert resumed.once(ModelReply, asked, branch="a").text == "new"


def test_parallel_branches_keep_positions_dense_and_the_sink_in_order() -> None:
    sunk: list[Event] = []
    journal = MemoryJournal(sink=sunk.append)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: [journal.emit(said(str(i), f"candidate-{n}")) for i in range(50)], range(8)))
    assert [event.position for event in sunk] == list(range(1, 401))
    assert tuple(sunk) == journal.events


def test_a_sink_that_refuses_ends_the_run_and_leaves_no_hole() -> None:
    def refuse(event: Event) -> None:
        raise RunLostError("another worker has the run")

    journal = MemoryJournal(sink=refuse)
    with pytest.raises(RunLostError):
        journal.emit(said("a"))
    assert journal.events == ()


def test_after_a_cancel_no_effect_happens_but_the_end_is_written() -> None:
    journal = MemoryJournal()
    journal.cancel()
    with pytest.raises(RunCancelledError):
        journal.once(ModelReply, lambda: pytest.fail("the model was asked"))
    assert journal.emit(Observation(text="the end")).position == 1


def test_live_events_are_shown_and_not_kept() -> None:
    shown: list[Event] = []
    journal = MemoryJournal(live=shown.append)
    journal.live(ThoughtDelta(text="I thi"))
    assert [event.position for event in shown] == [0]
    assert journal.events == ()


def test_events_survive_json_with_every_shape_of_cell() -> None:
    from agents.traces.events import CallResult, Calls, Shaped

    events: list[Event] = [
        Calls(thought="", calls=({"op": "limit", "args": {"columns": ["a", {"column": "b"}]}},), notes=("n",)),
        CallResult(index=0, call={"op": "execute"}, state="ok", preview=((1, [1, [2]], {"a": [3]}), (None, "x", [])),
                   columns=({"name": "a", "type": "ARRAY"},), warnings=("w",)),
        Shaped(text="t", table={"columns": [{"name": "a", "type": ""}], "rows": [[1]]}, sources=(1, 2)),
    ]  # fmt: skip
    for event in events:
        assert from_json(json.loads(json.dumps(to_json(event)))) == event
