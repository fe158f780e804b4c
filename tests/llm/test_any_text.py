"""No text whatsoever leads the reading of replies astray: only its own typed error, no call out of a reply that was
cut off, and no call that the text does not hold."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.errors import MalformedReplyError
from agents.llm.parsing import Parsed, read_object, read_reply, read_sql

OPERATIONS = frozenset({"table_ref", "filter_expr", "aggregate", "limit", "derive_column", "execute", "value_exists"})
CALLS: list[dict[str, Any]] = [
    {"op": "table_ref", "args": {"table": "departments"}, "out": "t"},
    {"op": "filter_expr", "args": {"rel": "t", "predicate": "name <> ']}' AND city = \"Porto\""}, "out": "f"},
    {"op": "aggregate", "args": {"rel": "f", "group_by": ["city"], "aggs": [{"fn": "count", "column": "*", "as": "n"}]},
     "out": "a"},
    {"op": "limit", "args": {"rel": "a", "n": 10}, "out": "l"},
    {"op": "execute", "args": {"rel": "l"}},
]  # fmt: skip
BATCH = json.dumps(CALLS)
OTHER = json.dumps([{"op": "table_ref", "args": {"table": "orders"}, "out": "x"}])
FINAL = '{"final": "There are <execute_result_1> departments."}'
FRAGMENTS = [
    BATCH, OTHER, FINAL, json.dumps(CALLS[-1]), json.dumps({"calls": CALLS}), BATCH.replace('"', "'"),
    "<think>", "</think>", "```json", "```", "Observation:", "[", "]", "{", "}", "<tool_call>", "</tool_call>",
    '"', "'", "\\", ",", ":", '"op"', '"args"', '"table_ref"', "op:", "<|im_end|>", "\n", " ", "[{", "}]", "\x00",
    "\\ud800", "”", "null", "NaN", "1e999", "prose", "SELECT 1", "```sql", '"final"', '"clarify"', '"name":',
    "<analysis>", "</analysis>", "<|START_THINKING|>", "<|END_THINKING|>", "◁think▷", "◁/think▷", "[0, 5)", "…",
    "// it\n", "# it\n", "/* it */", "2.50", "True", "None", '{"thought": "a", ', '"calls": ', "[see ",
    "<function=table_ref>", "</function>", "<parameter=table>orders</parameter>", "<arg_key>", "<｜tool▁sep｜>",
    "[TOOL_CALLS]table_ref[ARGS]", "Answer: ", "`", "WITH x AS (", '{"query": "SELECT 1"}',
]  # fmt: skip
texts = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
# Objects with the keys that mean something, filled with anything.
KEYS = [
    "op", "tool", "action", "function", "function_call", "name", "args", "arguments", "input", "out", "type", "id",
    "calls", "tool_calls", "thought", "final", "final_answer", "clarify", "unanswerable", "options", "rel", "table",
]  # fmt: skip
scalars = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(), st.sampled_from(
    ["", "table_ref", "execute", "final", "departments", "functions.execute", '{"rel": "t"}', "call", "function"]
))  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5), st.sampled_from(CALLS)
    ),
    max_leaves=12,
)
many = settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(text: str, **given: Any) -> Parsed:
    return read_reply(text, operations=OPERATIONS, **given)


@given(
    st.one_of(texts, values.map(json.dumps), st.lists(values, max_size=3).map(lambda v: "\n".join(map(json.dumps, v)))),
    texts,
    st.sampled_from(["stop", "length", "content_filter", "MAX_TOKENS", "abort"]),
)
@example("[" * 5000, "", "stop")
@example('{"a":' * 5000, "", "stop")
@example("[{" * 5000 + BATCH, "", "stop")
@example('["' * 3000, "", "stop")
@example('[{"op": "table_ref", "args": {"table": "a"}, "type": ["call"]}]', "", "stop")
@example(json.dumps([{"op": "table_ref", "args": '{"a":' * 990 + "1" + "}" * 990}]), "", "stop")
@many
def test_no_text_leads_astray(text: str, reasoning: str, finish_reason: str) -> None:
    try:
        parsed = read(text, reasoning=reasoning, finish_reason=finish_reason)
    except MalformedReplyError:
        return
    assert finish_reason == "stop", "a call or final out of a reply that was cut off"
    assert bool(parsed.calls) != (parsed.final is not None)
    json.dumps(parsed.calls, allow_nan=False).encode()
    for call in parsed.calls:
        assert set(call) <= {"op", "args", "out"}
        assert isinstance(call["args"], dict)
        for word in _words(call):
            assert word in _plain(text), "a call that the text does not hold"


@given(st.integers(0, len(BATCH)), st.sampled_from(["", "<think>go</think>", "```json\n", "Here: "]))
@many
def test_a_reply_that_ends_too_early_gives_all_its_calls_or_none(end: int, before: str) -> None:
    """Also where the provider says that all is well."""
    try:
        parsed = read(before + BATCH[:end])
    except MalformedReplyError:
        return
    assert list(parsed.calls) == CALLS


@given(st.integers(0, len(BATCH) - 1), st.sampled_from(["", *'[]{}",:\\\' ', "x", "\n"]))
@many
def test_a_reply_with_one_character_wrong_gives_no_call_that_it_does_not_hold(at: int, instead: str) -> None:
    text = BATCH[:at] + instead + BATCH[at + 1 :]
    try:
        parsed = read(text)
    except MalformedReplyError:
        return
    assert len(parsed.calls) <= len(CALLS)
    for call in parsed.calls:
        for word in _words(call):
            assert word in _plain(text)


@given(texts, st.sampled_from(["stop", "length"]))
@many
def test_no_text_leads_the_reading_of_sql_or_of_an_object_astray(text: str, finish_reason: str) -> None:
    with suppress(MalformedReplyError):
        sql = read_sql(text, finish_reason=finish_reason)
        assert finish_reason == "stop"
        assert re.search(r"\b(?:SELECT|WITH)\b", sql, re.IGNORECASE)
    with suppress(MalformedReplyError):
        found = read_object(text, ["verdict"], finish_reason=finish_reason)
        assert "verdict" in found
        assert "verdict" in text


def _words(call: Any) -> list[str]:
    leaves = [call["op"], *_leaves(call.get("out")), *_leaves(call["args"])]
    return [word for leaf in leaves for word in re.findall(r"\w+", leaf)]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in [key, *_leaves(item)]]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value] if isinstance(value, str) else []


def _plain(text: str) -> str:
    return re.sub(r"\\[nrtbf]", " ", text).replace("\\", "")
