"""The scripted model as a program of its own: it says what its script holds and keeps what it was told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from agents.llm.client import LiteLLMClient
from agents.llm.messages import Message, ModelProfile


def test_it_serves_a_script_from_the_command_line_and_logs_requests(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps({"replies": ["first", {"content": "second", "delay": 0.01}], "after": "later"}))
    command = [sys.executable, "-m", "agents.llm.scripted", "--script", str(script), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        client = LiteLLMClient(ModelProfile("test", "openai/anything", address))
        said = [client.complete([Message("user", f"number {n}")]).text for n in range(4)]
        server.terminate()
    assert said == ["first", "second", "later", "later"]
    logged = [json.loads(line) for line in log.read_text().splitlines()]
    assert [request["messages"][0]["content"] for request in logged] == [f"number {n}" for n in range(4)]
