"""What cannot be lifted is refused by a typed error that names the construct and its place."""

from __future__ import annotations

import ast
import importlib
import os
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from agents.engine.lift import lift
from agents.errors import (
    CannotLiftError,
    ExpressionSyntaxError,
    LimitExceededError,
    ModelCorrectableError,
    StatementNotAllowedError,
    UnknownColumnError,
    UnknownTableError,
)
from connections.allowed import AGGREGATES, FUNCTIONS, WINDOWS
from connections.catalogue import DialectName
from tests.databases import DIALECTS
from tests.lift.shop import catalogue

DOCS = Path(__file__).parents[2] / "docs" / "expressiveness.md"
LIFTING = Path(__file__).parents[2] / "agents" / "engine" / "lift"

REFUSED: list[tuple[str, DialectName, type[Exception], tuple[str, ...]]] = [
    ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r", "postgresql", CannotLiftError,
     ("recursive", "line 1, column 16")),
    ("SELECT kind, RANK() OVER (ORDER BY COUNT(*)) FROM sales GROUP BY ROLLUP (kind)", "postgresql", CannotLiftError,
     ("ROLLUP", "window")),
    ("SELECT LAST_VALUE(id IGNORE NULLS) OVER (ORDER BY id) FROM sales", "duckdb", CannotLiftError, ("IGNORE NULLS",)),
    ("SELECT id FROM sales ORDER BY id LIMIT 50%", "duckdb", CannotLiftError, ("percent",)),
    ("SELECT ARRAY(SELECT id FROM staff)", "postgresql", CannotLiftError, ("ARRAY", "line 1, column 8")),
    ("SELECT id\nFROM sales TABLESAMPLE SYSTEM (10)", "postgresql", CannotLiftError, ("SAMPLE", "line 2")),
    ("SELECT generate_series(1, 3)", "postgresql", CannotLiftError, ("generate_series",)),
    ("SELECT * FROM generate_series(1, 3) AS g(n)", "postgresql", CannotLiftError, ("table function",)),
    ("SELECT array_agg(name) FROM staff", "postgresql", CannotLiftError, ("array_agg",)),
    ("SELECT id FROM sales FETCH FIRST 2 ROWS WITH TIES", "postgresql", CannotLiftError, ("WITH TIES",)),
    ("SELECT SUM(amount) OVER (ROWS UNBOUNDED PRECEDING) FROM sales", "postgresql", CannotLiftError,
     ("window frame without ORDER BY", "leaves open")),
    ("SELECT GROUP_CONCAT(DISTINCT kind ORDER BY day) FROM sales", "mysql", CannotLiftError, ("another order",)),
    ("SELECT nth_value(id, 2) OVER (ORDER BY id) FROM sales", "sqlite", CannotLiftError, ("nth_value",)),
    ("SELECT id FROM staff FOR UPDATE", "postgresql", CannotLiftError, ("FOR UPDATE",)),
    ("SELECT name, wage FROM staff GROUP BY name", "postgresql", CannotLiftError, ("wage",)),
    ("SELECT id FROM staff WHERE id = ?", "sqlite", CannotLiftError, ("the parameter ?", "line 1", "a value")),
    ("SELECT id FROM sales WHERE day >= :start", "sqlite", CannotLiftError, ("the parameter :start", "line 1")),
    ("SELECT id FROM staff WHERE id = :query AND wage = (SELECT MAX(wage) FROM staff)", "sqlite", CannotLiftError,
     ("the parameter :query",)),
    ("SELECT id FROM staff LIMIT :all", "sqlite", CannotLiftError, ("the parameter :all",)),
    ("SELECT id FROM staff WHERE id = $1", "postgresql", CannotLiftError, ("the parameter $1",)),
    ("SELECT id FROM staff WHERE id = %(who)s", "postgresql", CannotLiftError, ("the parameter",)),
    ("SELECT id FROM staff WHERE id = $1", "duckdb", CannotLiftError, ("the parameter $1",)),
    ("SELECT id FROM staff WHERE id = @who", "mysql", CannotLiftError, ("the parameter @who",)),
    ("SELECT * FROM (SELECT 1, 2) t (a, b, c)", "postgresql", UnknownColumnError, ("fewer columns than names", "a, b")),
    ("WITH t (a, b) AS (SELECT 1) SELECT * FROM t", "sqlite", UnknownColumnError, ("fewer columns than names",)),
    ("SELECT * FROM (VALUES (1, 2), (3)) AS t", "duckdb", CannotLiftError, ("VALUES", "lengths")),
    ("SELECT id FROM staff WHERE name LIKE ANY (SELECT name FROM regions)", "postgresql", CannotLiftError,
     ("ANY or ALL",)),
    ("SELECT r.id FROM regions r LEFT JOIN LATERAL (SELECT s.id FROM staff s WHERE s.region_id = r.id) x ON FALSE",
     "postgresql", CannotLiftError, ("LEFT JOIN LATERAL",)),
    *(("SELECT (SELECT SUM(s.wage) FROM marks) FROM staff s", dialect, CannotLiftError,
       ("aggregate of the query around", "line 1")) for dialect in DIALECTS),
    ("SELECT id, SUM(wage) OVER w FROM staff WINDOW w AS (v ORDER BY id), v AS (w)", "sqlite", CannotLiftError,
     ("the window w",)),
    ("SELECT nme FROM staff", "sqlite", UnknownColumnError, ("nme", "name")),
    ("SELECT x.name FROM staff s", "sqlite", UnknownColumnError, ("alias x",)),
    ("SELECT id FROM staff JOIN regions ON 1 = 1", "sqlite", UnknownColumnError, ("ambiguous",)),
    ("SELECT 1 FROM stuff", "sqlite", UnknownTableError, ("stuff", "staff")),
    ("SELECT FROM WHERE", "sqlite", ExpressionSyntaxError, ()),
    ("SELECT 1; SELECT 2", "sqlite", StatementNotAllowedError, ("2 statements",)),
    ("DELETE FROM staff", "sqlite", StatementNotAllowedError, ("DELETE",)),
    ("WITH d AS (DELETE FROM staff RETURNING id) SELECT id FROM d", "postgresql", StatementNotAllowedError,
     ("DELETE",)),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "dialect", "error", "words"), REFUSED, ids=[case[0][:50] for case in REFUSED])
def test_the_refusal_names_what_cannot_be_lifted(
    sql: str, dialect: DialectName, error: type[Exception], words: tuple[str, ...]
) -> None:
    with pytest.raises(error) as refusal:
        lift(sql, catalogue(dialect), dialect)
    assert [word for word in words if word not in str(refusal.value)] == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("call", ["{}()", "{}() OVER (ORDER BY id)", "{}(amount) WITHIN GROUP (ORDER BY amount)"])
def test_any_function_without_its_arguments_is_lifted_or_refused_by_a_typed_error(
    dialect: DialectName, call: str
) -> None:
    for name in sorted(FUNCTIONS[dialect] | AGGREGATES[dialect] | WINDOWS):
        with suppress(ModelCorrectableError):
            assert lift(f"SELECT {call.format(name)} FROM sales", catalogue(dialect), dialect).program


def _refused_constructs() -> set[str]:
    """What the code of lifting refuses, as its errors name it; `…` stands for what differs from case to case."""
    found: set[str] = set()
    for path in LIFTING.glob("*.py"):
        module = importlib.import_module(f"agents.engine.lift.{path.stem}")
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            if getattr(called, "id", getattr(called, "attr", "")) == "refuse" and node.args:
                found |= _texts(node.args[0], module)
    return found


def _texts(node: ast.expr, module: ModuleType) -> set[str]:
    if isinstance(node, ast.Name) and isinstance(constant := getattr(module, node.id, None), str):
        return {constant}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return set(getattr(module, node.func.value.id).values())
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    if isinstance(node, ast.JoinedStr):
        return {"".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)}
    return set()


def test_the_docs_list_every_refusal_as_its_error_words_it() -> None:
    text = DOCS.read_text()
    before, rest = text.split("<!-- refusals, written by tests/lift/test_refusals.py with UPDATE_GOLDEN=1 -->\n")
    listed, after = rest.split("<!-- end of refusals -->", 1)
    wanted = "\n" + "".join(f"- {construct}\n" for construct in sorted(_refused_constructs(), key=str.casefold)) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        marker = text[len(before) : len(text) - len(rest)]
        DOCS.write_text(f"{before}{marker}{wanted}<!-- end of refusals -->{after}")
        return
    assert listed == wanted


def test_a_double_quoted_word_that_is_no_column_is_a_text_in_sqlite_and_refused_when_strict() -> None:
    sql = 'SELECT id FROM sales WHERE kind = "web"'
    lifted = lift(sql, catalogue(), "sqlite")
    assert "kind = 'web'" in str(lifted.program)
    assert '"web" is no column' in lifted.warnings[0]
    with pytest.raises(UnknownColumnError, match="web"):
        lift(sql, catalogue(), "sqlite", strict=True)


def test_an_arbitrary_bare_column_is_carried_with_a_warning_and_refused_when_strict() -> None:
    sql = "SELECT kind, day FROM sales GROUP BY kind"
    assert "day" in lift(sql, catalogue(), "sqlite").warnings[0]
    with pytest.raises(CannotLiftError, match="day"):
        lift(sql, catalogue(), "sqlite", strict=True)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 50_000 + "1" + ")" * 50_000,
        "SELECT id FROM staff WHERE id IN (" * 3_000 + "1" + ")" * 3_000,
        "SELECT " + "NOT " * 25_000 + "1",
        "SELECT " + "CASE WHEN 1 THEN " * 5_000 + "1" + " END" * 5_000,
        "SELECT 1 AS a" + " UNION ALL SELECT 1" * 5_000,
        "SELECT id FROM staff WHERE " + " OR ".join(f"id = {i}" for i in range(7_000)),
        "SELECT " + " + ".join(["id"] * 20_000) + " FROM staff",
        "SELECT id FROM staff WHERE id = 1 -- " + "x" * 100_000,
        "SELECT s0.id FROM staff s0" + "".join(f" JOIN staff s{i} ON s{i}.id = s{i - 1}.boss_id" for i in range(1, 60)),
        "WITH c0 AS (SELECT id FROM staff)"
        + "".join(f", c{i} AS (SELECT a.id FROM c{i - 1} a JOIN c{i - 1} b ON a.id = b.id)" for i in range(1, 30))
        + " SELECT id FROM c29",
        "SELECT COUNT(*) FROM staff GROUP BY " + ", ".join(["CUBE (id, name, wage, boss_id, region_id)"] * 8),
    ],
    ids=["parentheses", "sub-queries", "not", "case", "unions", "or", "sum", "comment", "joins", "ctes", "cubes"],
)
@pytest.mark.timeout(20)
def test_a_hundred_kilobytes_of_nested_sql_end_quickly_in_a_program_or_a_typed_error(sql: str) -> None:
    told = ""
    try:
        assert lift(sql, catalogue(), "sqlite").program
    except (LimitExceededError, CannotLiftError, ExpressionSyntaxError) as error:
        told = str(error)
    assert len(told) < 2_000
