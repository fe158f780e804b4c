"""The shape of the code: sizes and names. Who may import whom is checked by `make imports` (pyproject.toml)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("agents", "connections", "reactsql_web")
BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "handler"}
FILE_LINES, FUNCTION_LINES = 300, 40
LOOP_LINES = 200


def python_files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def line_count(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of code: the docstring does not count."""
    first = function.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.value.value
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_files_fit_a_few_screens() -> None:
    long = [name_of(path) for path in python_files(*CODE, "tests", "bench") if line_count(path) >= FILE_LINES]
    assert not long, f"split by subject what has {FILE_LINES} lines or more"


def test_functions_fit_one_screen() -> None:
    long = [
        f"{name_of(path)}: {node.name}, {lines_of(node)} lines"
        for path in python_files(*CODE, "bench")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > FUNCTION_LINES
    ]
    assert not long


def test_the_loop_is_read_in_one_sitting() -> None:
    assert line_count(ROOT / "agents" / "loop.py") < LOOP_LINES


def test_names_say_what_is_inside() -> None:
    names = [path.relative_to(ROOT).with_suffix("") for path in python_files(*CODE)]
    assert not [str(name) for name in names if BANNED & set(name.parts)]
