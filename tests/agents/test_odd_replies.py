"""What odd servers send costs a retry or a turn and no more: through the whole command, in `react` and in `lift`."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from tests.agents.runs import SHOP, call, calls, final
from tests.llm.wire import DONE, Raw, WireServer, delta, event, whole

SQL = "```sql\nSELECT COUNT(*) AS n FROM orders\n```"
COUNT = calls(
    call("table_ref", "o", table="orders"),
    call("aggregate", "n", rel="o", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    call("execute", rel="n"),
)
GOOD = {"react": [COUNT, final("There are <execute_result_1>.")], "lift": [SQL]}
ERROR = {"message": "overloaded", "type": "server_error"}

# How it comes in pieces and in one, and what it costs: a try of the same request, or a turn.
ODD: dict[str, tuple[list[bytes], bytes, str]] = {
    "stopped by a filter": ([delta("half"), delta(finish="content_filter"), DONE], whole("half", "content_filter"),
                            "turn"),
    "cut at the token limit": ([delta("[{"), delta(finish="length"), DONE], whole("[{", "length"), "turn"),
    "a tool call and no content": (
        [delta(None, tool_calls=[{"index": 0, "id": "a", "type": "function",
                                  "function": {"name": "sql", "arguments": "{}"}}]), delta(finish="tool_calls"), DONE],
        whole(None, "tool_calls", tool_calls=[{"id": "a", "type": "function",
                                               "function": {"name": "sql", "arguments": "{}"}}]), "turn"),
    "reasoning and no content": ([delta(None, reasoning_content="hm"), delta(finish="stop"), DONE],
                                 whole(None, reasoning_content="hm"), "turn"),
    "a refusal": ([delta(None, refusal="I cannot help."), delta(finish="stop"), DONE],
                  whole(None, refusal="I cannot help."), "turn"),
    "an error behind a status of 200": ([delta("half"), event(error=ERROR)], json.dumps({"error": ERROR}).encode(),
                                        "retry"),
    "a page": ([b"<html>busy</html>"], b"<html>busy</html>", "retry"),
}  # fmt: skip


def sent(text: str, stream: bool) -> Raw:
    return Raw([delta(text, "stop"), DONE]) if stream else Raw([whole(text)], "application/json")


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("strategy", GOOD)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_reply_costs_a_try_or_a_turn(
    name: str, strategy: str, stream: bool, new_database: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces, in_one, cost = ODD[name]
    odd = Raw(pieces) if stream else Raw([in_one], "application/json")
    out = io.StringIO()
    with WireServer(odd, *(sent(text, stream) for text in GOOD[strategy])) as server:
        environment = {"MODEL": "openai/any", "API_BASE": server.api_base, "API_KEY": "x",
                       "EXTRA": json.dumps({"stream": stream})}  # fmt: skip
        for variable, value in environment.items():
            monkeypatch.setenv(f"LLM_{variable}", value)
        url = new_database("sqlite", SHOP)
        with pytest.raises(SystemExit):
            call_command("ask", "How many orders?", connection=url, strategy=strategy, json=True, stdout=out)
    told: dict[str, Any] = json.loads(out.getvalue())
    assert (told["status"], told["error"]) == ("answered", None)
    assert told["table"]["rows"] == [[4]]
    good = len(GOOD[strategy])
    retries = [event["reason"] for event in told["events"] if event["kind"] == "retry"]
    assert (len(server.requests), len(retries)) == (good + 1, int(cost == "retry"))
    assert told["turns"] == good + (cost == "turn")
