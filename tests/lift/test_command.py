"""`dsl lift`: documents, exit status, and whole files compared."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.engine.lift.command import lift_batch, lift_document
from tests.databases import scratch
from tests.lift.shop import TABLES

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scratch("sqlite", TABLES, tmp_path_factory.mktemp("shop")) as made:
        yield made


def document(url: str, sql: str, *, run: bool = False, strict: bool = True) -> dict[str, object]:
    return lift_document(url, sql, run=run, max_rows=100, seconds=10, strict=strict)


def test_a_statement_becomes_a_program_and_the_sql_it_compiles_to(url: str) -> None:
    made = document(url, "SELECT name FROM staff WHERE wage > 60")
    assert [call["op"] for call in made["program"]] == ["table_ref", "filter_expr", "select_columns", "execute"]
    assert str(made["sql"]).startswith("SELECT")
    assert "results" not in made
    assert made["error"] is None


def test_with_run_the_document_holds_observations_and_results(url: str) -> None:
    made = document(url, "SELECT name FROM staff WHERE wage > 60", run=True)
    assert made["results"][0]["rows"] == [["Ada"]]  # type: ignore[index]
    assert made["sql"] == made["results"][0]["sql"]  # type: ignore[index]
    assert len(made["observations"]) == len(made["program"])  # type: ignore[arg-type]


def test_lenient_follows_sqlite_where_strict_refuses(url: str) -> None:
    sql = 'SELECT id FROM sales WHERE kind = "shop"'
    assert document(url, sql)["error"]["type"] == "UnknownColumnError"  # type: ignore[index]
    lenient = document(url, sql, run=True, strict=False)
    assert lenient["results"][0]["rows"] == [[1], [4], [7]]  # type: ignore[index]
    assert "is no column" in lenient["warnings"][0]  # type: ignore[index]


def test_a_batch_says_of_each_line_whether_it_ran_and_whether_its_rows_are_equal(url: str) -> None:
    lines = [
        '{"id": 1, "sql": "SELECT kind, COUNT(*) FROM sales GROUP BY kind ORDER BY 2 DESC"}',
        f'{{"id": 2, "url": "{url}", "sql": "SELECT nope FROM sales"}}',
        "no json",
        '{"id": 4, "sql": "SELECT id FROM sales -- all of them"}',
        '{"id": 5, "sql": "SELECT id FROM sales WHERE day >= :start"}',
        "",
    ]
    out = io.StringIO()
    figures = lift_batch(lines, out, io.StringIO(), url=url, seconds=10)
    verdicts = [json.loads(text) for text in out.getvalue().splitlines()]
    assert [list(verdict) for verdict in verdicts] == [["id", "ok", "equal", "ops", "ms_sql", "ms_dsl", "error"]] * 5
    assert [(v["id"], v["ok"], v["equal"]) for v in verdicts] == [
        (1, True, True), (2, False, False), ("line 3", False, False), (4, True, True),
        (5, False, False),
    ]  # fmt: skip
    assert verdicts[1]["error"]["type"] == "UnknownColumnError"
    assert verdicts[0]["ms_sql"] > 0
    assert (figures["statements"], figures["ok"], figures["equal"], figures["equal_percent"]) == (5, 2, 2, 40.0)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--sql", "SELECT id FROM staff"], 0),
        (["--sql", "SELECT id FROM nowhere"], 1),
        (["--sql", "SELECT 1; DROP TABLE staff"], 1),
        (["--batch", "missing.jsonl", "--out", "out.jsonl"], 2),
        (["--batch", "missing.jsonl"], 2),
        ([], 2),
    ],
)
def test_the_command_prints_one_document_and_its_exit_status_says_whose_fault_it_is(
    url: str, arguments: list[str], status: int
) -> None:
    command = [sys.executable, "manage.py", "dsl", "lift", "--url", url, "--json", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert (json.loads(done.stdout)["error"] is None) == (status == 0)
