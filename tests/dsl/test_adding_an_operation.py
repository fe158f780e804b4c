"""The recipe for an operation is true: in a copy of the project one is added, and everything has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "node_modules", "screens", "__pycache__", "data", "*.sqlite3")

OPERATION = '''
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, NAME, argument
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.relation import Columns, Relation, Scope


@dataclass(frozen=True)
class UnknownRows(RelationOperation):
    """The rows in which `column` is NULL. The order stays."""

    name: ClassVar[str] = "unknown_rows"
    extension: ClassVar[bool] = True
    example: ClassVar[str] = '{"rel": "o", "column": "status"}'

    rel: str = argument(HANDLE)
    column: str = argument(NAME)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        Columns(source)[self.column]
        return Relation(self, scope.handle, inputs, source.columns, unique=source.unique, ordered=source.ordered)

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        return (Need(asked.columns | {self.column}, asked.ordered),)
'''
COMPILED = """
    def _unknown_rows(self, relation: Relation, block: Block) -> Block:
        column = relation.operation.column
        if not block.takes_filter([block.columns[column]]):
            block = self._step(block, relation.inputs[0])
        term = made(lambda parts: exp.Is(this=parts[0], expression=exp.Null()), block.columns[column])
        (block.where if block.group is None else block.having).append(term)
        return block

    def _distinct("""
MEANT = """
    def unknown_rows(self, rel: str, column: str) -> Bag:
        bag = self.bags[rel]
        return _take(bag, [place for place, row in enumerate(bag.rows) if row[column] is None])

    def distinct("""
GOLDEN = {
    "after a filter": [
        {"op": "table_ref", "args": {"table": "orders"}, "out": "o"},
        {"op": "filter_expr", "args": {"rel": "o", "predicate": "id > 1"}, "out": "late"},
        {"op": "unknown_rows", "args": {"rel": "late", "column": "customer"}, "out": "nobody"},
    ]
}


def put(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name}: {old}"
    path.write_text(text.replace(old, new))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project with one operation more, as the recipe says: its file, the tuple, its compile method, its meaning
    for the tests and its golden file."""
    copy = tmp_path / "project"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    operations = copy / "agents" / "dsl" / "operations"
    (operations / "unknown_rows.py").write_text(OPERATION)
    put(operations / "__init__.py", "SimValueIn, SetOperation,", "SimValueIn, SetOperation, UnknownRows,")
    put(
        operations / "__init__.py", "\n__all__", "from agents.dsl.operations.unknown_rows import UnknownRows\n\n__all__"
    )
    put(copy / "agents" / "engine" / "lowering.py", "\n    def _distinct(", COMPILED)
    put(copy / "tests" / "engine" / "reference.py", "\n    def distinct(", MEANT)
    (copy / "tests" / "engine" / "golden" / "unknown_rows.json").write_text(json.dumps(GOLDEN))
    return copy


def python(copy: Path, *arguments: str, expect: int = 0, **settings: str) -> str:
    command: Sequence[str] = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=120, env=_environment(**settings))
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout


def _environment(**settings: str) -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **settings}


def test_one_more_operation_is_told_checked_compiled_run_and_tested_everywhere(copy: Path) -> None:
    card = python(copy, "-c", "from agents.dsl.card import render; print(render('sqlite'))")
    assert "- unknown_rows(rel, column): The rows in which `column` is NULL." in card
    paper = python(copy, "-c", "from agents.dsl.card import render; print(render('sqlite', paper_mode=True))")
    assert "unknown_rows" not in paper

    golden = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/engine/test_golden.py")
    chosen = ("-k", "(sqlite or duckdb) and unknown_rows")
    python(copy, *golden, *chosen, UPDATE_GOLDEN="1")
    python(copy, *golden, *chosen)
    written = (copy / "tests" / "engine" / "golden" / "unknown_rows.duckdb.sql").read_text()
    assert 'FROM "orders"\nWHERE\n  "id" > 1 AND "customer" IS NULL' in written
    others = ("tests/dsl/test_operations.py", "tests/prompts/test_constraints.py", "tests/web/test_step_form.py")
    python(copy, *golden[:-1], *others, "-k", "unknown_rows or every_valid_call")


def test_the_command_runs_it_and_refuses_what_it_does_not_take(copy: Path, tmp_path: Path) -> None:
    python(copy, "-c", f"import sqlite3; sqlite3.connect({str(tmp_path / 'shop.sqlite')!r}).executescript("
           "'CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, NULL), (2, 2)')")  # fmt: skip
    program = tmp_path / "program.json"
    run = (
        "manage.py",
        "dsl",
        "run",
        "--url",
        f"sqlite:///{tmp_path / 'shop.sqlite'}",
        "--program",
        str(program),
        "--json",
    )
    opened = {"op": "table_ref", "args": {"table": "t"}, "out": "t"}

    kept = {"op": "unknown_rows", "args": {"rel": "t", "column": "b"}, "out": "k"}
    program.write_text(json.dumps([opened, kept, {"op": "execute", "args": {"rel": "k"}}]))
    assert json.loads(python(copy, *run))["results"][0]["rows"] == [[1, None]]

    program.write_text(json.dumps([opened, {"op": "unknown_rows", "args": {"rel": "t", "colum": "b"}}]))
    error = json.loads(python(copy, *run, expect=1))["error"]
    assert error["type"] == "InvalidArgumentError"
    assert "unknown_rows(rel, column)" in error["message"]
