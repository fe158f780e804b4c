"""A step's form is made from its operation's fields, and gives the arguments back exactly as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.answers.step_form import Section, args_from, editable, form_of
from agents.dsl.operations import OPERATIONS, offered
from agents.dsl.operations.base import ProbeOperation

GOLDEN = Path(__file__).resolve().parent.parent / "engine" / "golden"


def calls() -> list[dict[str, Any]]:
    """Every call of the golden programs that has something to change."""
    texts = [json.loads(file.read_text("utf-8")) for file in sorted(GOLDEN.glob("*.json"))]
    found: dict[str, dict[str, Any]] = {}

    def collect(node: Any) -> None:
        if isinstance(node, dict) and isinstance(node.get("args"), dict) and editable(node):
            found[json.dumps(node, sort_keys=True)] = node
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            collect(child)

    collect(texts)
    return list(found.values())


def posted(sections: tuple[Section, ...]) -> dict[str, str]:
    """What a browser sends for the form: an unticked box is not among it."""
    controls = [control for section in sections for control in section.controls]
    return {control.name: control.value for control in controls if control.kind != "check" or control.value}


@pytest.mark.parametrize("call", calls(), ids=lambda call: f"{call['op']}-{call.get('out', '')}")
def test_an_unchanged_form_means_the_same_operation(call: dict[str, Any]) -> None:
    operation = offered()[call["op"]]
    handles = [str(call["args"][key]) for key in ("rel", "left", "right") if key in call["args"]]
    args = args_from(call["op"], posted(form_of(call, handles)))
    assert operation.read(args) == operation.read(call["args"])


def test_the_golden_calls_cover_every_operation_that_can_be_changed() -> None:
    wanted = {one.name for one in OPERATIONS if not issubclass(one, ProbeOperation)} - {"execute"}
    assert {call["op"] for call in calls()} == wanted


ODD = [
    ("order_by", {"rel": "a", "keys": [["net desc", "desc"], ["b", "asc", "nulls_last"], 'say "x"']}),
    ("join_table", {"left": "a", "right": "b", "how": "left", "on": [["a = b", "c"], ["d", "e"]]}),
    ("select_columns", {"rel": "a", "columns": ["x as y", {"column": "p as q", "as": "r"}, "[z]", " lead", "x\ny"]}),
    ("aggregate", {"rel": "a", "group_by": ["{}"], "aggs": [{"fn": "count", "column": "*", "as": "n"},
                   {"fn": "string_agg", "column": "t", "as": "l", "separator": "; ", "distinct": True},
                   {"fn": "string_agg", "column": "t", "as": "m", "separator": ""}]}),
    ("window_column", {"rel": "a", "name": "w", "fn": "lag", "column": "x", "default": "0", "offset": 2}),
    ("window_column", {"rel": "a", "name": "w", "fn": "lag", "column": "x", "default": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "args"), ODD)
def test_names_that_look_like_the_forms_own_words_stay_names(op: str, args: dict[str, Any]) -> None:
    again = args_from(op, posted(form_of({"op": op, "args": args}, ["a", "b"])))
    operation = offered()[op]
    assert operation.read(again) == operation.read(args)


COUNTED = {"op": "aggregate",
           "args": {"rel": "a", "group_by": ["g"], "aggs": [{"fn": "count", "column": "*", "as": "n"}]}}  # fmt: skip


def test_a_further_aggregate_is_added_in_the_empty_group() -> None:
    written = posted(form_of(COUNTED, ["a"])) | {"aggs-1-fn": "sum", "aggs-1-column": "x", "aggs-1-as": "total"}
    assert args_from("aggregate", written)["aggs"][1] == {"fn": "sum", "column": "x", "as": "total"}


def test_an_emptied_group_is_left_out() -> None:
    written = posted(form_of(COUNTED, ["a"])) | {"aggs-0-fn": "", "aggs-0-column": "", "aggs-0-as": ""}
    assert "aggs" not in args_from("aggregate", written)
