"""`manage.py dsl run --json`: one JSON document and the right exit status, whatever is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.data import create_sql

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [
    {"op": "table_ref", "args": {"table": "orders"}, "out": "o"},
    {"op": "execute", "args": {"rel": "o"}},
]


def dsl_run(url: str, program: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the document that `dsl run` prints."""
    command = [sys.executable, "manage.py", "dsl", "run", "--url", url, "--program", str(program), "--json", *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def url(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", create_sql())


def test_a_program_prints_observations_and_results(url: str, tmp_path: Path) -> None:
    program = tmp_path / "program.json"
    program.write_text(json.dumps(PROGRAM))
    status, document = dsl_run(url, program, "--max-rows", "3")
    assert status == 0
    assert list(document) == ["observations", "results", "error"]
    assert [set(told) for told in document["observations"]] == [
        {"call", "ok", "text", "handle", "columns", "warnings"}
    ] * 2
    (result,) = document["results"]
    assert list(result) == ["n", "columns", "rows", "row_count", "row_count_exact", "truncated", "sql", "ms"]
    assert (result["n"], len(result["rows"]), result["row_count"], result["truncated"]) == (1, 3, 8, True)
    assert result["columns"][0] == {"name": "id", "type": "INTEGER"}
    assert document["error"] is None


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        pytest.param("{not json", 1, "InvalidArgumentError", id="no JSON"),
        pytest.param('{"op": "table_ref"}', 1, "InvalidArgumentError", id="an object"),
        pytest.param("[1]", 1, "InvalidArgumentError", id="no calls"),
        pytest.param("[[{}]]", 1, "InvalidArgumentError", id="an empty call"),
        pytest.param('[{"op": "drop"}]', 1, "UnknownOperationError", id="an unknown operation"),
        pytest.param("[" * 5000, 1, "InvalidArgumentError", id="deep nesting"),
    ],
)
def test_a_program_at_fault_ends_with_one(url: str, tmp_path: Path, text: str, status: int, kind: str) -> None:
    program = tmp_path / "program.json"
    program.write_text(text)
    ended, document = dsl_run(url, program)
    assert (ended, document["error"]["type"]) == (status, kind)
    assert set(document["error"]) == {"type", "message", "call"}


def test_a_missing_program_or_option_is_wrong_usage(url: str, tmp_path: Path) -> None:
    status, document = dsl_run(url, tmp_path / "nowhere.json")
    assert (status, document["error"]["type"]) == (2, "UsageError")
    status, document = dsl_run(url, tmp_path / "nowhere.json", "--max-rows", "many")
    assert (status, document["error"]["type"]) == (2, "UsageError")


@pytest.mark.parametrize("where", ["sqlite:////nowhere/nothing.sqlite", "not a url", "oracle://x/y"])
def test_a_database_that_cannot_be_opened_is_a_typed_error(tmp_path: Path, where: str) -> None:
    program = tmp_path / "program.json"
    program.write_text(json.dumps(PROGRAM))
    status, document = dsl_run(where, program)
    assert (status, document["error"]["type"]) == (1, "ConnectionFailedError")
