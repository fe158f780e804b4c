"""Reading replies: the formats that models really send."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agents.errors import MalformedReplyError
from agents.llm.parsing import Parsed, read_object, read_reply

OPERATIONS = frozenset({"table_ref", "filter_expr", "aggregate", "limit", "derive_column", "execute", "value_exists"})
TABLE: dict[str, Any] = {"op": "table_ref", "args": {"table": "departments"}, "out": "t"}
EXECUTE: dict[str, Any] = {"op": "execute", "args": {"rel": "t"}}
ORDERS: dict[str, Any] = {"op": "table_ref", "args": {"table": "orders"}, "out": "x"}
BATCH = json.dumps([TABLE, EXECUTE])
OTHER = json.dumps([ORDERS])
FINAL = '{"final": "There are <execute_result_1> departments."}'


def read(text: str, **given: Any) -> Parsed:
    return read_reply(text, operations=OPERATIONS, **given)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"<think>go</think>\n{BATCH}", id="as the protocol says"),
        pytest.param(f"<THINKING>go</THINKING>{BATCH}", id="tags in capitals"),
        pytest.param(f"<think>a</think>\n<think>b</think>{BATCH}", id="two thoughts"),
        pytest.param(f"go\n</think>{BATCH}", id="opening tag missing"),
        pytest.param(f"maybe {OTHER}\n</think>{BATCH}", id="calls before a lone closing tag are a thought"),
        pytest.param(f"<think>maybe {OTHER}</think>{BATCH}", id="calls inside a thought are a thought"),
        pytest.param(f"<think>I go now. {BATCH}", id="thought never closed, array ends the reply"),
        pytest.param(f"<think>first {OTHER}, no: {BATCH}\n```", id="thought never closed, only its last array counts"),
        pytest.param(f"Sure! <think>maybe {OTHER}</think>{BATCH}", id="a thought after some words"),
        pytest.param(f"<think>a <think>b</think> maybe {OTHER}</think>{BATCH}", id="a thought within a thought"),
        pytest.param(f"{BATCH}<think>and then</think>{OTHER}", id="a thought after the calls"),
        pytest.param(f"{BATCH}<think>and then {OTHER}", id="a thought after the calls that never ends"),
        pytest.param(f"[THINK]maybe {OTHER}[/THINK]{BATCH}", id="another family's tags"),
        pytest.param(
            f"<|channel|>analysis<|message|>{OTHER}<|end|><|start|>assistant<|channel|>final<|message|>{BATCH}",
            id="another family's channels",
        ),
        pytest.param(f"Here:\n```json\n{BATCH}\n```\nDone.", id="fenced"),
        pytest.param(f"Here: ```{BATCH}", id="fence that never closes"),
        pytest.param(f"Not {OTHER} but\n```json\n{BATCH}\n```", id="a fence wins over prose"),
        pytest.param(f"```sql\nSELECT 1\n```\n```json\n{BATCH}\n```", id="a fence without calls is passed over"),
        pytest.param(f"Columns [id, name], see [1]. {BATCH} Good.", id="brackets in prose"),
        pytest.param(f"An open [bracket and a 'quote. {BATCH}", id="unbalanced prose"),
        pytest.param(f"{BATCH}<|im_end|>", id="special token at the end"),
        pytest.param(f"<|assistant|>{BATCH}</s><|endoftext|>", id="special tokens around"),
        pytest.param(f"{BATCH}\n\nObservation: 99 rows\n\n{OTHER}", id="invented observation"),
        pytest.param(f"{BATCH}\n<|im_start|>user\nMore!\n{OTHER}", id="invented turn"),
        pytest.param(f"{BATCH}\n\n{OTHER}", id="several batches"),
        pytest.param(f"{BATCH}\n{FINAL}", id="a final after calls"),
        pytest.param(f"{FINAL}\n{BATCH}", id="a final before calls"),
        pytest.param(json.dumps([TABLE, EXECUTE, {"final": "5"}]), id="a final among the calls"),
        pytest.param(json.dumps({"calls": [TABLE, EXECUTE]}), id="wrapped"),
        pytest.param(json.dumps([[TABLE, EXECUTE]]), id="wrapped twice"),
        pytest.param(f"{json.dumps(TABLE)}\n{json.dumps(EXECUTE)}", id="objects without an array"),
        pytest.param(f"<tool_call>{json.dumps(TABLE)}</tool_call>\n<tool_call>{json.dumps(EXECUTE)}</tool_call>",
                     id="tool_call tags"),
        pytest.param(BATCH.replace('"', "'"), id="single quotes"),
        pytest.param(BATCH.replace("}", ",}"), id="trailing commas"),
        pytest.param(re.sub(r'"(op|args|out)"', r"\1", BATCH), id="unquoted keys"),
        pytest.param(re.sub(r'"(op)"', "“op”", BATCH), id="typographic quotes"),
        pytest.param(re.sub(r'"(\w+)"', r"“\1”", BATCH), id="typographic quotes throughout"),
        pytest.param(BATCH.replace('"op"', '"tool"').replace('"args"', '"arguments"'), id="tool and arguments"),
        pytest.param(BATCH.replace('"op"', '"name"').replace('"args"', '"parameters"'), id="name and parameters"),
        pytest.param(BATCH.replace('"op"', '"action"').replace('"args"', '"input"'), id="action and input"),
        pytest.param(json.dumps([{"type": "function", "function": {"name": c["op"], "arguments": json.dumps(c["args"])},
                                  "out": c.get("out")} for c in (TABLE, EXECUTE)]), id="as native tool calls"),
        pytest.param(json.dumps([{**c, "args": json.dumps(c["args"])} for c in (TABLE, EXECUTE)]), id="encoded twice"),
        pytest.param(json.dumps([{"op": c["op"], **c["args"], "out": c.get("out")} for c in (TABLE, EXECUTE)]),
                     id="flat"),
        pytest.param(json.dumps([{"op": "table_ref", "args": {"table": "departments", "out": "t"}}, EXECUTE]),
                     id="out inside args"),
    ],
)  # fmt: skip
def test_one_batch_is_read_however_it_is_written(text: str) -> None:
    parsed = read(text)
    assert list(parsed.calls) == [TABLE, EXECUTE]
    assert parsed.final is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "held nothing", id="empty"),
        pytest.param("I cannot do that.", "neither calls nor a final", id="prose"),
        pytest.param("[1, 2, 3]", "neither calls nor a final", id="other JSON"),
        pytest.param('[{"op": ???}]', "cannot be read", id="no JSON"),
        pytest.param(BATCH[:-1], "never closed", id="array without its end"),
        pytest.param(BATCH[:-3], "never closed", id="array without more of its end"),
        pytest.param(f"<think>hm {FINAL}", "never ends", id="a final in a thought that never ends"),
        pytest.param(f"<think>hm {BATCH} and so on", "never ends", id="calls inside a thought that never ends"),
        pytest.param(f"Observation: 99\n{BATCH}", "made up", id="an invented observation first"),
        pytest.param(f"Observation: 99\n{FINAL}", "made up", id="a final on an invented observation"),
        pytest.param('[{"op": "limit", "op": "execute", "args": {}}]', "stands twice", id="a key twice"),
        pytest.param('[{"op": "execute", "args": "{rel: "}]', "execute", id="arguments that cannot be read"),
        pytest.param('[{"op": "execute", "args": ["t"]}]', "must be a JSON object", id="arguments as a list"),
        pytest.param('[{"op": "execute", "args": {"rel": "t"}, "rel": "u"}]', "give it once", id="an argument twice"),
        pytest.param(
            '[{"op": "execute", "args": {"rel": "t"}}, "and then"]', "is no call", id="a text among the calls"
        ),
        pytest.param('[{"op": "limit", "args": {"n": NaN}}]', "cannot be read", id="not a number"),
        pytest.param('[{"op": "limit", "args": {"n": 1e999}}]', "cannot be read", id="too large a number"),
        pytest.param('[{"op": "table_ref", "args": {"table": "\\ud800"}}]', "cannot be stored", id="half a character"),
        pytest.param('{"final": ""}', "must hold a sentence", id="an empty final"),
        pytest.param('{"final": null}', "must hold a sentence", id="a final of null"),
        pytest.param('{"final": "Which?", "clarify": {"options": ["2023"]}}', "2 to 5", id="one option only"),
        pytest.param('{"final": "?", "clarify": {"options": ["a", "b"]}, "unanswerable": true}', "not both", id="both"),
    ],
)
def test_what_cannot_be_read_is_said_to_the_model(text: str, words: str) -> None:
    with pytest.raises(MalformedReplyError, match=re.escape(words)):
        read(text)


@pytest.mark.parametrize("reason", ["length", "max_tokens", "content_filter"])
@pytest.mark.parametrize("text", [BATCH, BATCH[:-5], FINAL, f"<think>{BATCH}"])
def test_nothing_of_a_reply_that_was_cut_off_is_used(text: str, reason: str) -> None:
    with pytest.raises(MalformedReplyError, match="cut off"):
        read(text, finish_reason=reason)


def test_the_providers_reasoning_is_a_thought_and_never_run() -> None:
    parsed = read(BATCH, reasoning=f"perhaps {OTHER}")
    assert list(parsed.calls) == [TABLE, EXECUTE]
    assert parsed.thought == f"perhaps {OTHER}"
    with pytest.raises(MalformedReplyError, match="only reasoning"):
        read("", reasoning=BATCH)


@pytest.mark.parametrize(
    "predicate",
    [
        "name <> '</think>'",
        "name <> '<think>'",
        "name <> ']}, {'",
        "name <> '[\"x\"]'",
        "a = '```'",
        "a = 'Observation: 1'",
    ],
)
def test_texts_inside_calls_stay_what_they_are(predicate: str) -> None:
    call = {"op": "filter_expr", "args": {"rel": "t", "predicate": predicate}, "out": "f"}
    for text in (json.dumps([call]), f"<think>ok</think>{json.dumps([call])} done"):
        assert list(read(text).calls) == [call]


def test_a_raw_line_end_inside_a_text_is_kept() -> None:
    [call] = read('[{"op": "filter_expr", "args": {"rel": "t", "predicate": "a > 0 AND\nb > 0"}}]').calls
    assert call["args"]["predicate"] == "a > 0 AND\nb > 0"


def test_unescaped_quotes_are_mended_whole_or_sent_back() -> None:
    try:
        [call] = read('[{"op": "filter_expr", "args": {"rel": "t", "predicate": "name = "Porto" AND id > 1"}}]').calls
    except MalformedReplyError:
        return
    assert call["args"]["predicate"] == 'name = "Porto" AND id > 1'


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        ({"group_by": None, "n": "10"}, {"n": "10"}),
        ({"value": None}, {"value": None}),
        ({"aggs": [{"fn": "sum", "column": "x", "as": "s", "filter": None}]},
         {"aggs": [{"fn": "sum", "column": "x", "as": "s"}]}),
    ],
)  # fmt: skip
def test_null_is_an_argument_that_was_left_out_and_nothing_else_is_changed(
    written: dict[str, Any], understood: dict[str, Any]
) -> None:
    [call] = read(json.dumps([{"op": "limit", "args": written}])).calls
    assert call["args"] == understood


def test_an_unknown_operation_is_passed_on_so_that_the_engine_can_name_near_ones() -> None:
    assert [call["op"] for call in read('[{"op": "table_reff", "args": {"table": "a"}}]').calls] == ["table_reff"]


def test_a_known_operation_wins_over_an_unknown_one() -> None:
    assert list(read(f'[{{"op": "…", "args": {{}}}}] {BATCH}').calls) == [TABLE, EXECUTE]


def test_an_argument_called_name_is_no_operation() -> None:
    call = {"op": "derive_column", "args": {"rel": "t", "name": "double", "expr": "a * 2"}, "out": "d"}
    flat = {"op": "derive_column", "rel": "t", "name": "double", "expr": "a * 2", "out": "d"}
    assert list(read(json.dumps([flat])).calls) == [call]


def test_all_calls_are_read_so_that_the_loop_can_report_those_beyond_the_limit() -> None:
    assert len(read(json.dumps([TABLE] * 9)).calls) == 9


@pytest.mark.parametrize(
    ("signal", "outcome", "text", "options"),
    [
        ('{"final": "It is <execute_result_2>."}', "answered", "It is <execute_result_2>.", ()),
        ('```json\n{"final": "5"}\n```', "answered", "5", ()),
        ('[{"final": 5}]', "answered", "5", ()),
        ('{"final": "Which?", "clarify": {"options": ["2023", 2024]}}', "clarify", "Which?", ("2023", "2024")),
        ('{"clarify": {"question": "Which?", "options": ["a", "b", "c", "d", "e", "f"]}}', "clarify", "Which?",
         ("a", "b", "c", "d", "e")),
        ('{"final": "This database holds no weather.", "unanswerable": true}', "unanswerable",
         "This database holds no weather.", ()),
        ('{"final": "5", "clarify": null, "unanswerable": false}', "answered", "5", ()),
    ],
)  # fmt: skip
def test_the_three_ways_to_end(signal: str, outcome: str, text: str, options: tuple[str, ...]) -> None:
    final = read(f"<think>done</think>{signal}").final
    assert final is not None
    assert (final.outcome, final.text, final.options) == (outcome, text, options)


def test_a_final_names_the_results_that_it_cites() -> None:
    final = read('{"final": "<execute_result_3> and <execute_result_1>, again <execute_result_3>"}').final
    assert final is not None
    assert final.cites == (3, 1)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (f"{BATCH} That is all.", "what follows"),
        (f"{BATCH}\nObservation: 1", "invented"),
        (f"{BATCH}\n{OTHER}", "only one batch"),
        (f"{BATCH}\n{FINAL}", "final was ignored"),
        (BATCH.replace('"', "'"), "mended"),
    ],
)
def test_what_was_dropped_or_mended_is_noted(text: str, note: str) -> None:
    assert any(note in told for told in read(text).notes)
    assert not read(BATCH).notes


def test_an_object_is_found_among_prose() -> None:
    assert read_object('Verdict: {"verdict": "MATCH", "reason": "same"} ok', ["verdict"])["verdict"] == "MATCH"
    with pytest.raises(MalformedReplyError, match="verdict"):
        read_object("MATCH", ["verdict"])
