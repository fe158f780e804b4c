"""The rules of the loop, each in a run of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from agents.contracts import EarlierTurn, RunSettings, Task
from agents.llm.budget import BudgetLimits
from agents.llm.scripted import Turn
from agents.traces.events import (
    CallResult,
    Calls,
    Final,
    ModelReply,
    Observation,
    RunCancelled,
    RunFailed,
    Shaped,
    Warned,
)
from agents.traces.journal import MemoryJournal
from tests.agents.runs import SHOP, Ran, call, calls, final, running

COUNT = calls(
    call("table_ref", "o", table="orders"),
    call("aggregate", "n", rel="o", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    call("execute", rel="n"),
)
SUM = calls(
    call("aggregate", "s", rel="o", group_by=[], aggs=[{"fn": "sum", "column": "total", "as": "s"}]),
    call("execute", rel="s"),
)
DONE = final("<execute_result_1>")


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def observed(run: Ran, turn: int) -> str:
    """What the model was told after `turn`."""
    return str(run.server.requests[turn]["messages"][-1]["content"])


def failure(run: Ran) -> tuple[str, str]:
    (event,) = run.of(RunFailed)
    return event.error["type"], event.error["message"]


def test_more_calls_than_a_turn_allows_are_reported_and_never_run(shop: str) -> None:
    nine = calls(*[call("table_ref", f"h{n}", table="orders") for n in range(9)])
    with running(shop, [nine, COUNT, DONE], "react") as run:
        states = [result.state for result in run.of(CallResult)][:9]
        assert states == ["ok"] * 8 + ["skipped"]
        assert "h8" not in run.bench.engine.handles
        assert "9. table_ref was skipped: too many calls for one turn" in observed(run, 1)


def test_on_the_last_turn_but_one_the_model_is_told(shop: str) -> None:
    batches = [calls(call("table_ref", f"h{n}", table="orders")) for n in range(5)]
    with running(shop, batches, "react", limits=BudgetLimits(turns=4)) as run:
        told = ["one turn left" in observed(run, turn) for turn in (1, 2, 3)]
        assert told == [False, True, False]
        assert failure(run)[0] == "BudgetExhaustedError"
        assert len(run.server.requests) == 4
        assert run.answer is None


def test_a_run_of_two_turns_tells_so_with_the_question(shop: str) -> None:
    prompts = []
    for turns in (1, 2, 3):
        with running(shop, [COUNT, DONE], "react", limits=BudgetLimits(turns=turns)) as run:
            system, question = (message["content"] for message in run.server.requests[0]["messages"])
            prompts.append("one turn left" in question)
            assert "one turn left after this one" not in system
    assert prompts == [False, True, False]


def test_what_was_mended_in_a_final_signal_is_kept_with_it(shop: str) -> None:
    many = {"options": [str(year) for year in range(2018, 2025)]}
    for signal, note in (
        (final("Which year?", clarify=many), "only the first 5 of 7 options are offered"),
        (final("No rows.", unanswerable=True)[:-1] + ",}", "the JSON was not valid and was mended"),
    ):
        with running(shop, [signal], "react") as run:
            assert run.of(Final)[0].notes == (note,)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (BudgetLimits(tokens=100), "tokens are used up"),
        (BudgetLimits(money=0.0001), "are spent"),
        (BudgetLimits(seconds=0.0001), "seconds"),
    ],
)
def test_each_budget_ends_the_run_with_its_reason_and_no_guess(shop: str, limits: BudgetLimits, words: str) -> None:
    prices = {"price_input": 1000.0, "price_output": 1000.0, "price_cached": 1000.0}
    with running(shop, [COUNT, SUM, DONE], "react", limits=limits, **prices) as run:
        kind, message = failure(run)
        assert kind == "BudgetExhaustedError"
        assert words in message
        assert not run.of(Shaped)


def test_the_time_of_a_run_ends_it_while_the_model_still_writes(shop: str) -> None:
    began = time.monotonic()
    with running(shop, [Turn("word " * 2_000, pace=0.05)], "react", limits=BudgetLimits(seconds=1.5)) as run:
        (failed,) = run.of(RunFailed)
    assert "RUN_MAX_SECONDS" in failed.error["message"]
    assert time.monotonic() - began < 10


def test_a_final_signal_that_rests_on_nothing_is_asked_for_its_result(shop: str) -> None:
    with running(shop, [final("There are 12."), COUNT, DONE], "react") as run:
        assert "Nothing was executed so far" in observed(run, 1)
        assert run.rows() == [(4,)]


def test_it_stands_when_the_model_insists(shop: str) -> None:
    with running(shop, [final("This is about orders.")] * 2, "react") as run:
        assert run.answer is not None
        assert (run.answer.text, run.answer.result) == ("This is about orders.", None)


@pytest.mark.parametrize(
    ("signal", "status", "options"),
    [
        (final("Which year?", clarify={"options": ["2023", "2024"]}), "clarify", ("2023", "2024")),
        (final("There are no salaries here.", unanswerable=True), "unanswerable", ()),
    ],
)
def test_a_question_back_and_a_refusal_need_no_result(
    shop: str, signal: str, status: str, options: tuple[str, ...]
) -> None:
    with running(shop, [signal], "react") as run:
        assert run.answer is not None
        assert (run.answer.status, run.answer.options, run.answer.result) == (status, options, None)


def test_the_shaper_is_asked_when_several_results_are_cited(shop: str) -> None:
    shaped = '{"columns": ["mean"], "rows": [[10.69]], "sources": [1, 2], "arithmetic": "42.75 / 4 = 10.69"}'
    with running(shop, [COUNT, SUM, final("<execute_result_2> over <execute_result_1>"), shaped], "react") as run:
        assert run.answer is not None
        assert run.answer.table == {"columns": [{"name": "mean", "type": ""}], "rows": [[10.69]]}
        assert run.answer.sources == (1, 2)
        assert "result 2" in run.server.prompt(4)


def test_an_invented_number_goes_back_to_the_shaper_and_then_a_result_is_shown(shop: str) -> None:
    invented = '{"columns": ["mean"], "rows": [[11.5]], "sources": [1, 2]}'
    script = [COUNT, SUM, final("<execute_result_2> over <execute_result_1>"), invented, invented]
    with running(shop, script, "react") as run:
        assert run.answer is not None
        assert (run.answer.result, run.answer.table) == (1, None)
        assert "11.5 occurs in none" in observed(run, 4)
        assert any("shown as it is" in warning.text for warning in run.of(Warned))


@pytest.mark.parametrize(
    "reply",
    [
        '{"columns": null, "rows": [], "sources": [1]}',
        '{"columns": ["n"], "rows": [[5]], "sources": [{"result": 1}]}',
        '{"columns": ["n"], "rows": [[1' + "0" * 400 + ']], "sources": [1]}',
    ],
)
def test_a_shaper_that_writes_nonsense_spoils_no_answer(shop: str, reply: str) -> None:
    script = [COUNT, SUM, final("<execute_result_2> over <execute_result_1>"), reply, reply]
    with running(shop, script, "react") as run:
        assert run.answer is not None
        assert (run.answer.status, run.answer.result) == ("answered", 1)


def test_shaping_always_asks_the_shaper_as_the_paper_does(shop: str) -> None:
    with running(shop, [COUNT, DONE, "<execute_result_1>"], "react", settings=RunSettings(shaping="always")) as run:
        assert len(run.server.requests) == 3
        assert run.rows() == [(4,)]


def test_a_step_that_leaves_no_rows_warns_with_what_is_stored(shop: str) -> None:
    batch = calls(
        call("table_ref", "o", table="orders"), call("filter_expr", "f", rel="o", predicate="status = 'Paid'")
    )
    with running(shop, [batch, COUNT, DONE], "react") as run:
        assert "paid" in observed(run, 1)
        assert any("no rows" in warning.text and "paid" in warning.text for warning in run.of(Warned))


def test_values_are_kept_from_the_model_where_the_connection_says_so(shop: str) -> None:
    batch = calls(
        call("table_ref", "c", table="customers"),
        call("probe_values", rel="c", column="name"),
        call("execute", rel="c"),
    )
    with running(shop, [batch, DONE], "react", settings=RunSettings(send_values=False)) as run:
        assert len(run.rows()) == 3
        sent = "".join(run.server.prompt(number) for number in (1, 2))
        assert not any(name in sent for name in ("Ada", "Bo", "Cleo"))


def test_the_trace_says_what_was_read_differently(shop: str) -> None:
    with running(shop, [COUNT.replace('"op"', '"tool"'), DONE], "react") as run:
        assert any("`tool` was read as `op`" in note for note in run.of(Calls)[0].notes)
        assert "`tool` was read as `op`" in observed(run, 1)


def test_a_cancel_during_the_model_call_ends_the_run_as_cancelled(shop: str) -> None:
    journal = MemoryJournal()
    stop: list[Callable[[], None]] = [journal.cancel]
    told = MemoryJournal(sink=lambda event: stop[0]() if isinstance(event, Observation) else None)
    stop[0] = told.cancel
    with running(shop, [COUNT, DONE], "react", journal=told) as run:
        assert run.answer is None
        assert isinstance(run.events[-1], RunCancelled)
        assert len(run.of(ModelReply)) == 1


def test_a_follow_up_finds_the_handles_of_the_last_answer_alive(shop: str) -> None:
    program: list[dict[str, Any]] = [
        call("table_ref", "o", table="orders"),
        call("filter_expr", "paid", rel="o", predicate="status = 'paid'"),
        call("execute", rel="paid"),
    ]
    earlier = (EarlierTurn("What was paid?", "Three orders.", program, "id\n1\n3\n4"),)
    count = [
        call("aggregate", "n", rel="paid", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
        call("execute", rel="n"),
    ]
    with running(shop, [calls(*count), DONE], "react", task=Task("How many?", earlier=earlier)) as run:
        assert run.rows() == [(3,)]
        first = run.server.prompt(1)
        assert "What was paid?" in first
        assert "status = 'paid'" in first
