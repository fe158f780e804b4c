"""A database with 5,000 tables: the prompt stays within its budget, the trace says what was shown, and the model
reaches what was not."""

from __future__ import annotations

import json
from collections.abc import Callable

from agents.contracts import RunSettings, Task
from agents.prompts.schema_text import tokens_in
from agents.traces.events import CallResult, RunFinished, SchemaShown
from tests.agents.runs import call, calls, final, running

LETTERS = "abcdefghijklmnopqrstuvwxyz"
BUDGET = 6_000


def name(number: int) -> str:
    return "".join(LETTERS[(number // 26**place + 7 * place) % 26] for place in range(4)) + "_register"


TABLES = 5_000
HIDDEN = name(4_321)
CREATED = "".join(
    f"CREATE TABLE {name(n)} (id INTEGER PRIMARY KEY, {LETTERS[n % 26]}_code TEXT, filed DATE);\n"
    for n in range(TABLES)
)
SQL = f"BEGIN;\n{CREATED}INSERT INTO {HIDDEN} VALUES (1, 'x', '2024-01-01'), (2, 'y', '2024-01-02');\nCOMMIT;"


def test_a_scripted_run_reaches_tables_that_the_prompt_does_not_show(new_database: Callable[[str, str], str]) -> None:
    script = [
        calls(call("table_ref", "listed", table="LISTED"), call("table_ref", "t", table=HIDDEN[:-1])),
        calls(call("table_ref", "t", table=HIDDEN), call("execute", rel="t")),
        final("Two entries: <execute_result_1>."),
    ]
    url, task = new_database("sqlite", SQL), Task("How many entries lie in the registers?", today="2026-01-01")
    with running(url, ["?"], "react", task=task, settings=RunSettings(schema_tokens=BUDGET)) as first:
        (shown,) = first.of(SchemaShown)
        prompt = first.server.prompt(1)
    assert shown.tokens <= BUDGET
    told = len(shown.tables) + len(shown.folded)
    assert f"and {TABLES - told:,} more whose names are not listed" in prompt
    assert all(table in prompt for table in (*shown.tables, *shown.folded))
    assert HIDDEN not in prompt
    listed = next(table for table in shown.folded if f"{table}," in prompt.partition("by name only:")[2])
    assert tokens_in(prompt) < BUDGET + 5_000, "rules and operations come on top, and nothing else"
    script[0] = script[0].replace("LISTED", listed)
    with running(url, script, "react", task=task, settings=RunSettings(schema_tokens=BUDGET)) as run:
        results = run.of(CallResult)
        assert [result.state for result in results] == ["ok", "failed", "ok", "ok"]
        assert [column["name"] for column in results[0].columns] == ["id", results[0].columns[1]["name"], "filed"]
        assert HIDDEN in results[1].error["message"], "a name that is nearly right is put right"
        assert len(results[1].error["message"]) < 4_000
        assert len(run.rows()) == 2
        assert run.of(RunFinished)
        assert json.dumps(run.server.requests[1]["messages"][0]) == json.dumps(run.server.requests[0]["messages"][0])
