"""`manage.py evaluate`: several systems over one file, in one folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from agents.llm.scripted import ScriptedServer
from tests.agents.runs import SHOP

ROOT = Path(__file__).resolve().parent.parent.parent
PAID = "SELECT COUNT(*) FROM orders WHERE status = 'paid'"


def test_each_vote_is_a_system_of_its_own_and_the_baseline_is_asked_once(
    new_database: Callable[[str, str], str], tmp_path: Path
) -> None:
    record = {"id": "q", "url": new_database("sqlite", SHOP), "question": "How many are paid?", "gold_sql": [PAID]}
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(record) + "\n")
    strategies, votes = ["zero-shot", "lift"], ["1", "3", "5"]
    arguments = [word for name in strategies for word in ("--strategy", name)]
    arguments += [word for number in votes for word in ("--samples", number)]
    with ScriptedServer([], after=PAID) as server:
        where = {"LLM_MODEL": "openai/scripted", "LLM_API_BASE": server.api_base, "LLM_API_KEY": "x"}
        done = subprocess.run(
            [sys.executable, "manage.py", "evaluate", "--records", questions, "--out", tmp_path / "out", *arguments],
            cwd=ROOT, env={**os.environ, **where}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        requests = len(server.requests)
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    assert [result["system"].split(",")[0] for result in results] == [
        "zero-shot", "lift", "lift with a vote of 3", "lift with a vote of 5",
    ]  # fmt: skip
    assert all(result["tolerant"] for result in results)
    assert requests == 1 + 1 + 2 + 3
    assert "p exact" in (tmp_path / "out" / "report.md").read_text()
