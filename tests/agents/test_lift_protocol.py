"""The same broken replies where the model drafts SQL: through the whole command, streamed and in one piece."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from agents.llm.scripted import ScriptedServer
from tests.agents.runs import SHOP

QUERY = "SELECT COUNT(*) AS n FROM orders WHERE status = 'paid'"
FENCED = f"```sql\n{QUERY}\n```"
WRONG = "```sql\nSELECT COUNT(*) AS n FROM customers\n```"
ASIDE = "SELECT COUNT(*) FROM customers"

Reply = str | dict[str, Any]

# What the model sends, and how often it is asked until the answer stands.
CASES: list[tuple[str, list[Reply], int]] = [
    ("as asked for", [FENCED], 1),
    ("a thought before", [f"<think>count them</think>\n{FENCED}"], 1),
    ("another query inside the thought", [f"<think>{WRONG}</think>{FENCED}"], 1),
    ("a query before a lone closing tag", [f"maybe {ASIDE}\n</think>\n{FENCED}"], 1),
    ("a thought that never ends", [f"<think>{ASIDE}", FENCED], 2),
    ("prose on both sides", [f"Sure, here it is:\n{FENCED}\nIt counts the paid orders."], 1),
    ("a fence without a language", [f"```\n{QUERY}\n```"], 1),
    ("no fence at all", [f"{QUERY};"], 1),
    ("a fence that never closes", [f"```sql\n{QUERY}"], 1),
    ("JSON around the query", [json.dumps({"sql": QUERY})], 1),
    ("special tokens", [f"<|im_start|>{FENCED}<|im_end|>"], 1),
    ("reasoning in a field of its own", [{"content": FENCED, "reasoning_content": WRONG}], 1),
    ("reasoning only", [{"content": "", "reasoning_content": WRONG}, FENCED], 2),
    ("nothing", ["", FENCED], 2),
    ("prose only", ["I cannot do that.", FENCED], 2),
    ("calls instead of SQL", ['[{"op": "table_ref", "args": {"table": "orders"}}]', FENCED], 2),
    ("cut at the token limit", [{"content": WRONG, "finish_reason": "length"}, FENCED], 2),
    ("a second statement", [f"```sql\n{QUERY}; DELETE FROM orders\n```", FENCED], 2),
    ("a write", ["```sql\nDELETE FROM orders\n```", FENCED], 2),
    ("a table that is not there", ["```sql\nSELECT COUNT(*) AS n FROM sales\n```", FENCED], 2),
    ("too many requests", [{"status": 429, "headers": {"Retry-After": "0"}}, FENCED], 2),
    ("a connection that breaks off", [{"content": WRONG * 20, "cut_after": 3}, FENCED], 2),
    ("40 KB of prose", ["word " * 8_000, FENCED], 2),
]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(("replies", "requests"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_draft_is_read_or_asked_for_again(
    replies: list[Reply], requests: int, stream: bool, new_database: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out = io.StringIO()
    with ScriptedServer(replies, after="(nothing more)") as server:
        environment = {"MODEL": "openai/any", "API_BASE": server.api_base, "API_KEY": "x",
                       "EXTRA": json.dumps({"stream": stream})}  # fmt: skip
        for name, value in environment.items():
            monkeypatch.setenv(f"LLM_{name}", value)
        url = new_database("sqlite", SHOP)
        with pytest.raises(SystemExit) as ended:
            call_command("ask", "How many were paid?", connection=url, strategy="lift", json=True, stdout=out)
    told = json.loads(out.getvalue())
    assert (ended.value.code, told["status"], told["table"] and told["table"]["rows"]) == (0, "answered", [[3]])
    assert len(server.requests) == requests
    assert {bool(body.get("stream")) for body in server.requests} == {stream}
