"""A whole run of the loop: mended errors, a probe, a join, an answer that is exactly one result, and its resumption."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agents.contracts import RunSettings
from agents.traces.events import (
    CallResult,
    Event,
    Final,
    ModelCallStarted,
    ModelReply,
    Observation,
    Retry,
    RunFinished,
    SchemaShown,
    Shaped,
    from_json,
    to_json,
)
from agents.traces.journal import MemoryJournal
from tests.agents.runs import SHOP, call, calls, final, running

NewDatabase = Callable[[str, str], str]

# Turns 1 and 2 hold a typed error each, which the next turn mends; turn 3 probes; result 2 is the answer.
FIVE_TURNS = [
    calls(
        call("table_ref", "o", table="orders"),
        call("filter_expr", "paid", rel="o", predicate="state = 'paid'"),
        thought="Paid orders.",
    ),
    calls(call("table_ref", "c", table="customer"), thought="The column is status; customers next."),
    calls(
        call("probe_values", rel="o", column="status"),
        call("filter_expr", "paid", rel="o", predicate="status = 'paid'"),
        call("table_ref", "c", table="customers"),
        call("join_table", "j", left="paid", right="c", how="inner", on=[["customer_id", "id"]]),
        call("execute", rel="j"),
    ),
    calls(
        call("aggregate", "sums", rel="j", group_by=["name"], aggs=[{"fn": "sum", "column": "total", "as": "paid"}]),
        call("materialize", "m", rel="sums"),
        call("order_by", "sorted", rel="m", keys=[["paid", "desc"]]),
        call("execute", rel="sorted"),
    ),
    final("Cleo paid most: <execute_result_2>."),
]


def undated(events: tuple[Event, ...]) -> list[dict[str, Any]]:
    """The events without what no two runs share: times and measured durations."""
    timeless = {"at": "", "ms": 0, "seconds": 0, "first_token_seconds": 0}
    return [{name: timeless.get(name, value) for name, value in to_json(event).items()} for event in events]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_five_turns_end_in_exactly_result_two(dialect: str, new_database: NewDatabase) -> None:
    with running(new_database(dialect, SHOP), FIVE_TURNS, "react") as run:
        errors = [result.error["type"] for result in run.of(CallResult) if result.error]
        assert errors == ["UnknownColumnError", "UnknownTableError"]
        assert run.answer is not None
        assert (run.answer.status, run.answer.result, run.answer.sources) == ("answered", 2, (2,))
        assert [(name, float(paid)) for name, paid in run.rows()] == [("Cleo", 20.0), ("Ada", 10.5), ("Bo", 7.25)]
        assert len(run.server.requests) == 5
        assert run.of(RunFinished)[0].turns == 5
        assert run.of(Shaped)[0].result == 2
        table = next(result for result in run.of(CallResult) if result.result == 2)
        assert [row[0] for row in table.preview] == ["Cleo", "Ada", "Bo"]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_the_trace_read_back_equals_the_events_emitted(dialect: str, new_database: NewDatabase) -> None:
    emitted: list[Event] = []
    journal = MemoryJournal(sink=emitted.append)
    with running(new_database(dialect, SHOP), FIVE_TURNS, "react", journal=journal) as run:
        stored = json.loads(json.dumps([to_json(event) for event in run.events]))
        assert [from_json(event) for event in stored] == emitted
        assert [event.position for event in emitted] == list(range(1, len(emitted) + 1))


def test_the_prompts_can_be_read_back_from_the_trace(new_database: NewDatabase) -> None:
    with running(new_database("sqlite", SHOP), FIVE_TURNS, "react") as run:
        messages: list[dict[str, str]] = []
        for event in run.events:
            if isinstance(event, ModelCallStarted):
                messages += event.appended
                assert run.server.requests[event.turn - 1]["messages"] == messages
            elif isinstance(event, ModelReply):
                messages.append({"role": "assistant", "content": event.text})


def test_a_run_that_died_anywhere_ends_as_if_nothing_had_happened(new_database: NewDatabase) -> None:
    url = new_database("sqlite", SHOP)
    with running(url, FIVE_TURNS, "react") as run:
        whole = run.events
    for died_after in range(len(whole)):
        saved = whole[:died_after]
        answered = sum(isinstance(event, ModelReply) for event in saved)
        with running(url, FIVE_TURNS[answered:], "react", journal=MemoryJournal(saved)) as resumed:
            assert undated(resumed.events) == undated(whole), f"died after event {died_after}"
            assert len(resumed.server.requests) == len(FIVE_TURNS) - answered
            assert resumed.events[:died_after] == saved


def test_the_prefix_is_the_same_over_turns_and_over_questions(new_database: NewDatabase) -> None:
    from agents.contracts import Task

    url = new_database("sqlite", SHOP)
    systems = set()
    for question in ("How much was paid?", "Who ordered most?"):
        with running(url, FIVE_TURNS, "react", task=Task(question, today="2026-01-0" + str(len(question) % 9))) as run:
            systems |= {request["messages"][0]["content"] for request in run.server.requests}
            for earlier, later in zip(run.server.requests, run.server.requests[1:], strict=False):
                assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
    assert len(systems) == 1


def test_rows_are_counted_after_the_batch_and_the_handles_are_told(new_database: NewDatabase) -> None:
    with running(new_database("sqlite", SHOP), FIVE_TURNS, "react") as run:
        third = run.of(Observation)[2]
        assert third.rows_out == {"1": 3, "2": 3, "3": 3}
        assert "FAILED: UnknownColumnError" in run.of(Observation)[0].text
        assert "\n- o: id, customer_id, status, total\n- with the columns told above: paid, c, j" in third.text


def test_a_final_signal_is_an_event_with_what_it_cites(new_database: NewDatabase) -> None:
    with running(new_database("sqlite", SHOP), FIVE_TURNS, "react") as run:
        assert run.of(Final) == [replace(run.of(Final)[0], cites=(2,), outcome="answered")]
        assert run.answer is not None
        assert run.answer.text == "Cleo paid most."


def test_a_server_that_declines_the_schema_is_asked_without_it(new_database: NewDatabase) -> None:
    declined = {"status": 400, "message": "Invalid schema for response_format 'reply'"}
    batch = calls(call("table_ref", "r1", table="orders"), call("execute", rel="r1"))
    script = [declined, batch, final("<execute_result_1>")]
    with running(new_database("sqlite", SHOP), script, "react", constrained="json_schema") as run:
        assert len(run.rows()) == 4
        assert ["response_format" in request for request in run.server.requests] == [True, False, False]
        assert "without the schema" in run.of(Retry)[0].reason


@pytest.mark.parametrize("size", ["small", "capable"])
def test_a_small_constrained_model_takes_one_step_a_turn_and_is_reminded_to_end(
    size: str, new_database: NewDatabase
) -> None:
    script = [
        json.dumps({"thought": "Orders.", "calls": [call("table_ref", "r1", table="orders")]}),
        json.dumps({"thought": "Again.", "calls": [call("table_ref", "r2", table="orders")]}),
        json.dumps({"thought": "Run it.", "calls": [call("execute", rel="r1")]}),
        json.dumps({"thought": "Done.", "final": "All: <execute_result_1>."}),
    ]
    with running(new_database("sqlite", SHOP), script, "react", constrained="json_schema", size=size) as run:
        told = [event.text for event in run.of(Observation)]
        assert "note: the same as r1" in told[1]
        assert ["send the final signal now" in text for text in told] == [False, False, size == "small"]
        first, second, *_ = (one["response_format"]["json_schema"]["schema"] for one in run.server.requests)
        batch = first["anyOf"][0]["properties"]["calls"]
        assert batch["maxItems"] == (1 if size == "small" else 8)
        assert ("execute" in json.dumps(first)) == (size == "capable")
        assert '"const": "execute"' in json.dumps(second)
        system = run.server.requests[0]["messages"][0]["content"]
        assert ("Each reply holds one call" in system) == (size == "small")
        assert "{{" not in system
        assert len(run.rows()) == 4


def test_a_server_that_declines_anything_is_asked_no_third_time(new_database: NewDatabase) -> None:
    declined = {"status": 400, "message": "no such model"}
    with running(new_database("sqlite", SHOP), [declined] * 3, "react", constrained="json_schema") as run:
        assert len(run.server.requests) == 2
        assert run.events[-1].kind == "run_failed"


def test_the_columns_that_a_large_schema_shows_can_be_written_from_the_first_turn(new_database: NewDatabase) -> None:
    wide = "".join(
        f"CREATE TABLE wide_{chr(97 + n)} ({', '.join(f'c{n}_{k} INTEGER' for k in range(100))});" for n in range(21)
    )
    settings = RunSettings(schema_tokens=3_000)
    script = [final("?", unanswerable=True)]
    url = new_database("sqlite", SHOP + wide)
    with running(url, script, "react", constrained="json_schema", settings=settings) as run:
        sent = json.dumps(run.server.requests[0]["response_format"])
        (shown,) = run.of(SchemaShown)
        assert "orders" in shown.tables
        assert "wide_t" not in shown.tables
        assert '"customer_id"' in sent
        assert "c19_0" not in sent


@pytest.mark.parametrize("way", ["json_schema", "guided_json"])
def test_a_constrained_model_is_sent_what_exists_turn_by_turn(way: str, new_database: NewDatabase) -> None:
    script = [
        json.dumps({"thought": "Paid orders.", "calls": [call("table_ref", "r1", table="orders")]}),
        json.dumps({"thought": "Run it.", "calls": [call("execute", rel="r1")]}),
        json.dumps({"thought": "Done.", "final": "All: <execute_result_1>."}),
    ]
    with running(new_database("sqlite", SHOP), script, "react", constrained=way) as run:
        sent = [
            request["guided_json"] if way == "guided_json" else request["response_format"]["json_schema"]["schema"]
            for request in run.server.requests
        ]
        assert "customer_id" in json.dumps(sent[0])
        assert ['"final"' in json.dumps(one["anyOf"][1]) and len(one["anyOf"]) for one in sent] == [3, 3, 4]
        assert "r9" in json.dumps(sent[1])
        assert "r9" not in json.dumps(sent[0])
        assert [event.thought for event in run.events if event.kind == "calls"] == ["Paid orders.", "Run it."]
        assert len(run.rows()) == 4
