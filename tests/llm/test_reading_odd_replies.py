"""Replies whose form lies further from the protocol: read as what they plainly say, or sent back; never half."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.errors import MalformedReplyError
from agents.llm.parsing import read_object
from tests.llm.test_reading_replies import BATCH, EXECUTE, OTHER, TABLE, read

LISBON = {"op": "filter_expr", "args": {"rel": "t", "predicate": "city = 'Lisbon'"}, "out": "f"}
LATER = {"thought": "then", "calls": [EXECUTE]}


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<seed:think>", "</seed:think>"), ("<analysis>", "</analysis>"), ("<scratchpad>", "</scratchpad>"),
        ("<reflection>", "</reflection>"), ('<think type="deep">', "</think>"), ("◁think▷", "◁/think▷"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"), ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<inner_monologue>", "</inner_monologue>"), ("<|thinking|>", "<|/thinking|>"),
        ("<|channel|>analysis<|message|>",
         "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>"),
    ],
)  # fmt: skip
def test_a_thought_is_never_run_whatever_its_tags(opening: str, closing: str) -> None:
    parsed = read(f"{opening}Maybe {OTHER} but no{closing}\n{BATCH}")
    assert list(parsed.calls) == [TABLE, EXECUTE]
    assert not parsed.notes
    assert OTHER in parsed.thought
    with pytest.raises(MalformedReplyError):
        read(f"{opening}Maybe {OTHER}{closing}")


@pytest.mark.parametrize(
    "reason", ["model_length", "error", "insufficient_system_resource", "abort", "MAX_TOKENS", "Length", "SAFETY", "?"]
)
def test_a_reply_that_did_not_end_by_itself_was_cut_off(reason: str) -> None:
    with pytest.raises(MalformedReplyError, match="cut off"):
        read(BATCH, finish_reason=reason)
    with pytest.raises(MalformedReplyError, match="cut off"):
        read_object('{"verdict": 1}', ["verdict"], finish_reason=reason)


@pytest.mark.parametrize("reason", ["", "stop", "STOP", "eos", "end_turn", "stop_sequence", "tool_calls", "COMPLETE"])
def test_a_reply_that_ended_by_itself_is_read(reason: str) -> None:
    assert list(read(BATCH, finish_reason=reason).calls) == [TABLE, EXECUTE]


@pytest.mark.parametrize("kind", [["call"], {}, {"a": ["b"]}, None, 5, True])
@pytest.mark.parametrize("key", ["type", "out", "id", "thought", "final", "clarify", "op", "name", "function"])
def test_no_value_under_a_known_key_raises_anything_else(key: str, kind: Any) -> None:
    for call in ({**TABLE, key: kind}, {"name": "table_ref", "table": "departments", key: kind}):
        try:
            read(json.dumps([call]))
        except MalformedReplyError:
            continue


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param(f"{json.dumps({'thought': 'a', 'calls': [TABLE]})}\n{json.dumps(LATER)}", [TABLE], id="wrappers"),
        pytest.param(json.dumps([{"thought": "a", "calls": [TABLE]}, LATER]), [TABLE], id="wrappers in an array"),
        pytest.param(f"{json.dumps({**TABLE, 'thought': 'a'})}\n{json.dumps({**EXECUTE, 'thought': 'b'})}", [TABLE],
                     id="a thought in each call"),
        pytest.param(json.dumps([[TABLE], [EXECUTE]]), [TABLE], id="arrays in an array"),
        pytest.param(f"{json.dumps(TABLE)}\n{json.dumps(LATER)}", [TABLE], id="a wrapper behind a call"),
    ],
)  # fmt: skip
def test_of_several_rounds_the_first_counts_and_that_is_noted(text: str, calls: list[Any]) -> None:
    parsed = read(text)
    assert list(parsed.calls) == calls
    assert any("only one batch" in note for note in parsed.notes)


BROKEN = '{"op": "filter_expr", "args": {"rel": "t", "predicate": "total > 100"], "out": "t2"}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[{"id": 1, "op": "table_ref", "args": {"table": "orders"}, "out": "t"}, {"id": 2, '
                     f"{BROKEN[1:]}, {json.dumps(EXECUTE)}]", id="an id first"),
        *(
            pytest.param(f'[{{"{key}": "x", {json.dumps(TABLE)[1:]}, {BROKEN}, {json.dumps(EXECUTE)}]', id=f"{key} 1st")
            for key in ("thought", "out", "operation", "whatever")
        ),
        pytest.param(f'[{{"args": {{"table": "orders"}}, "op": "table_ref"}}, {BROKEN}]', id="args first"),
        pytest.param(f"[1, {json.dumps(TABLE)}, {BROKEN}]", id="a number first"),
        pytest.param(f'["go", {json.dumps(TABLE)}, {BROKEN}]', id="a text first"),
        pytest.param(f"[ // go\n{json.dumps(TABLE)}, {BROKEN}]", id="a comment first"),
        pytest.param(f'[{{"id": 1, {json.dumps(TABLE)[1:]}, {json.dumps(EXECUTE)}', id="no end"),
        pytest.param(f'{{"thought": "go", "calls": [{json.dumps(TABLE)}, {BROKEN}]}}', id="in a wrapper"),
        pytest.param(f"{json.dumps(TABLE)}\n{BROKEN}", id="objects, the second broken"),
        pytest.param(f'{json.dumps(TABLE)}\n{{"op": "execute", "args": {{"rel": "t"', id="objects, the second cut"),
        pytest.param('<tool_call>{"name": "table_ref", "arguments": {"table": ???}}</tool_call>\n'
                     f"<tool_call>{json.dumps(EXECUTE)}</tool_call>", id="tool calls, the first broken"),
        pytest.param(f"<tool_call>{json.dumps(TABLE)}</tool_call>\n"
                     '<tool_call>{"name": "execute", "rel": ???}</tool_call>', id="tool calls, the second broken"),
        pytest.param(f"[see {json.dumps(TABLE)}, then {json.dumps(EXECUTE)}]", id="calls in prose brackets"),
    ],
)  # fmt: skip
def test_nothing_of_a_broken_batch_is_run(text: str) -> None:
    with pytest.raises(MalformedReplyError, match="was not run"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"values in [0, 5) matter: {BATCH} and (3, 7]", id="half-open intervals"),
        pytest.param(f"(3, 7] and [0, 5): {BATCH}", id="an interval that never closes"),
        pytest.param(f'Like [{{"op": "…", "args": {{…}}}}], so: {BATCH}', id="an example with an ellipsis"),
        pytest.param(f'Like [{{"op": "...", "args": {{...}}, "out": "..."}}, ...]:\n{BATCH}', id="with dots"),
        pytest.param('[\n // the table\n {"op": "table_ref", "args": {"table": "departments"}, "out": "t"}, # then\n'
                     ' /* it */ {"op": "execute", // "not this"\n "args": {"rel": "t"}}\n]', id="comments"),
        pytest.param(json.dumps({"thought": "x", "calls": [TABLE, EXECUTE], "final": "", "clarify": None}),
                     id="every key filled"),
        pytest.param(json.dumps([{**TABLE, "final": None, "unanswerable": False}, {**EXECUTE, "clarify": {}}]),
                     id="final keys that say nothing"),
        pytest.param(json.dumps([{"step": 1, "description": "d", "note": "n", "rationale": "r", "index": 0, **c}
                                 for c in (TABLE, EXECUTE)]), id="remarks beside args"),
        pytest.param(json.dumps([{**c, "op": f"functions.{c['op']}"} for c in (TABLE, EXECUTE)]), id="a namespace"),
        pytest.param(json.dumps([{"function_call": {"name": c["op"], "arguments": json.dumps(c["args"])},
                                  "out": c.get("out")} for c in (TABLE, EXECUTE)]), id="function_call"),
        pytest.param(json.dumps({"thought": "x", "action": [TABLE, EXECUTE]}), id="a list of actions"),
        pytest.param(json.dumps([{"action": {"name": c["op"], "args": c["args"], "out": c.get("out")}}
                                 for c in (TABLE, EXECUTE)]), id="an object as action"),
        pytest.param("<tool_call>\n<function=table_ref>\n<parameter=table>\ndepartments\n</parameter>\n"
                     "<parameter=out>\nt\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=execute>\n"
                     "<parameter=rel>t</parameter></function></tool_call>", id="function and parameter tags"),
        pytest.param('<function=table_ref>{"table": "departments", "out": "t"}</function>\n'
                     '<function=execute>{"rel": "t"}</function>', id="function tags around JSON"),
        pytest.param("<tool_call>table_ref\n<arg_key>table</arg_key>\n<arg_value>departments</arg_value>\n"
                     "<arg_key>out</arg_key>\n<arg_value>t</arg_value></tool_call><tool_call>execute\n"
                     "<arg_key>rel</arg_key><arg_value>t</arg_value>\n</tool_call>", id="key and value tags"),
        pytest.param('[TOOL_CALLS]table_ref[ARGS]{"table": "departments", "out": "t"}'
                     '[TOOL_CALLS]execute[ARGS]{"rel": "t"}', id="marks before each"),
        pytest.param("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>table_ref\n```json\n"
                     '{"table": "departments", "out": "t"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>execute'
                     '<｜tool▁sep｜>{"rel": "t"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>', id="special tokens around"),
    ],
)  # fmt: skip
def test_one_batch_is_read_from_further_forms(text: str) -> None:
    parsed = read(text)
    assert list(parsed.calls) == [TABLE, EXECUTE]
    assert parsed.final is None
    assert not any("final" in note for note in parsed.notes)


@pytest.mark.parametrize(
    "text",
    ["<function=table_ref>{\"table\": \"departments\"", "<function=table_ref><parameter=table>departments</parameter>",
     '<function=table_ref>{"table": "departments"}</function><function=execute><parameter=rel>t',
     "<function=limit><parameter=n>1</parameter><parameter=n>2</parameter></function>"],
)  # fmt: skip
def test_an_incomplete_call_of_another_format_is_sent_back(text: str) -> None:
    with pytest.raises(MalformedReplyError, match="not complete|given twice"):
        read(text)


@pytest.mark.parametrize("text", [json.dumps({"calls": TABLE}), json.dumps({"thought": "x", "action": TABLE})])
def test_one_object_stands_for_a_list_of_one(text: str) -> None:
    assert list(read(text).calls) == [TABLE]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"thought": "x", "calls": [TABLE, EXECUTE], "final": "There are 5."}),
        json.dumps([TABLE, {**EXECUTE, "final": "There are 5."}]),
        json.dumps([TABLE, EXECUTE, {"op": "final", "args": {"text": "There are 5."}}]),
    ],
)
def test_a_final_with_calls_is_ignored_and_that_is_noted(text: str) -> None:
    parsed = read(text)
    assert list(parsed.calls) == [TABLE, EXECUTE]
    assert any("final was ignored" in note for note in parsed.notes)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('{"thought": "x", "calls": [], "final": "There are 5."}', "answered"),
        ('{"calls": [], "final": "There are 5.", "clarify": {"options": []}, "unanswerable": false}', "answered"),
        ('{"action": "final_answer", "action_input": "There are 5."}', "answered"),
        ('{"op": "final", "args": {"final": "There are 5."}}', "answered"),
        ('[{"name": "final", "arguments": "{\\"answer\\": \\"There are 5.\\"}"}]', "answered"),
        ('{"op": "unanswerable", "args": {"reason": "There are 5."}}', "unanswerable"),
        ('{"op": "unanswerable", "args": "There are 5."}', "unanswerable"),
        ('{"final": "There are 5.", "unanswerable": "false", "clarify": "None"}', "answered"),
        ('{"thought": "t", "calls": [], "final": "There are 5.", "unanswerable": "False"}', "answered"),
        ('{"final": "There are 5.", "unanswerable": "no", "clarify": "no"}', "answered"),
        ('{"final": "There are 5.", "unanswerable": "true"}', "unanswerable"),
        ('{"op": "clarify", "args": {"question": "There are 5.", "options": ["a", "b"]}}', "clarify"),
    ],
)
def test_a_final_is_read_from_further_forms(text: str, outcome: str) -> None:
    final = read(text).final
    assert final is not None
    assert (final.text, final.outcome) == ("There are 5.", outcome)


def test_a_final_of_zero_is_an_answer() -> None:
    final = read('{"final": 0}').final
    assert final is not None
    assert final.text == "0"


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        ("[{'op': 'filter_expr', 'args': {'rel': 't', 'predicate': 'active = True'}, 'out': 'f'}]", "active = True"),
        ("[{'op': 'filter_expr', 'args': {'rel': 't', 'predicate': 'None'}, 'out': 'f'}]", "None"),
        ("[{'op': 'filter_expr', 'args': {'rel': 't', 'predicate': True}, 'out': 'f'}]", True),
        ("[{'op': 'filter_expr', 'args': {'rel': 't', 'predicate': 2.50}, 'out': 'f'}]", 2.5),
        ("[{'op': 'filter_expr', 'args': {'rel': 't', 'predicate': [1.10, -3.0]}, 'out': 'f'}]", [1.1, -3.0]),
        ('[{"op": "filter_expr", // c\n "args": {"rel": "t", "predicate": "url = \'http://x\' # y"}, "out": "f"}]',
         "url = 'http://x' # y"),
        ('[{"op": "filter_expr", /* "a" */ "args": {"rel": "t", "predicate": "// x"}, "out": "f"}]', "// x"),
    ],
)  # fmt: skip
def test_what_is_mended_keeps_each_value_as_it_was_written(written: str, understood: Any) -> None:
    [call] = read(written).calls
    assert call == {**LISBON, "args": {"rel": "t", "predicate": understood}}


@pytest.mark.parametrize("depth", [60, 900])
def test_a_text_that_hides_depth_is_sent_back(depth: int) -> None:
    hidden = '{"a":' * depth + "1" + "}" * depth
    for text in (json.dumps([{"op": "table_ref", "args": hidden}]), json.dumps({"op": "final", "args": hidden})):
        with pytest.raises(MalformedReplyError, match="cannot be read"):
            read(text)


def test_an_example_for_a_real_operation_is_no_example() -> None:
    with pytest.raises(MalformedReplyError, match="was not run"):
        read(f'[{{"op": "table_ref", "args": {{…}}}}] {BATCH}')
