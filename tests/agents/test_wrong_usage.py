"""Wrong usage of the commands of a run ends with exit status 2 and words, before anything is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.management.options import at_least, seconds

ROOT = Path(__file__).resolve().parent.parent.parent
ASK = ("ask", "How many?", "--connection", "sqlite:////no/such/file.sqlite")
EVALUATE = ("evaluate", "--records", "no.jsonl", "--out", "nowhere")
RUN = ("dsl", "run", "--url", "sqlite:////no/such/file.sqlite", "--program", "-")
WRONG = [
    (*ASK, "--samples", "0"), (*ASK, "--samples", "-1"), (*ASK, "--samples", "two"),
    (*EVALUATE, "--samples", "0"), (*EVALUATE, "--limit", "-1"), (*EVALUATE, "--limit", "0"),
    (*EVALUATE, "--workers", "0"),
    (*RUN, "--max-rows", "0"), (*RUN, "--timeout", "0"), (*RUN, "--timeout", "nan"), (*RUN, "--timeout", "inf"),
]  # fmt: skip


@pytest.mark.parametrize("command", WRONG, ids=" ".join)
def test_a_number_out_of_range_is_wrong_usage(command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=f"argument {command[-2]}: {command[-1]!r} is no"):
        call_command(*command)


@pytest.mark.parametrize("command", [(*ASK, "--samples", "0"), (*RUN, "--json", "--max-rows", "0")], ids=["ask", "dsl"])
def test_from_a_shell_it_ends_with_2(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env={**os.environ, "DATA_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "'0' is no whole number of at least 1" in done.stdout + done.stderr
    if "--json" in command:
        assert json.loads(done.stdout)["error"]["type"] == "UsageError"


@pytest.mark.parametrize("command", [ASK, EVALUATE], ids=["ask", "evaluate"])
def test_a_strategy_that_the_settings_name_wrongly_is_named(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    settings.STRATEGY = "magic"
    (tmp_path / "no.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_MODEL", "openai/x")
    with pytest.raises(CommandError, match="there is no strategy 'magic'; there are auto, react"):
        call_command(*command)


def test_numbers_in_range_are_read() -> None:
    assert (at_least(1)("3"), at_least(0)("0"), seconds("0.5")) == (3, 0, 0.5)
    with pytest.raises(ArgumentTypeError, match="'x' is no number of seconds above 0"):
        seconds("x")
