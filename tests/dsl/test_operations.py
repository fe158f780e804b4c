"""Calls that cannot mean anything are refused before any SQL, in words that say what would be right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.dsl.card import render
from agents.dsl.operations import OPERATIONS, offered
from agents.dsl.relation import Relation, Scope
from agents.errors import ModelCorrectableError
from connections.catalogue import Catalogue, Column, DialectName, Table


def catalogue(dialect: DialectName = "postgresql") -> Catalogue:
    sales = Table(
        "sales",
        "shop",
        columns=(
            Column("id", "INTEGER", "integer", nullable=False),
            Column("region", "TEXT", "text"),
            Column("amount", "NUMERIC(10, 2)", "decimal"),
            Column("day", "DATE", "date"),
            Column("Day Name", "TEXT", "text"),
        ),
        primary_key=("id",),
    )
    twice = (
        Table("log", "one", columns=(Column("x", "INTEGER"),)),
        Table("log", "two", columns=(Column("x", "INTEGER"),)),
    )
    return Catalogue(dialect, (sales, *twice), default_schema="shop")


def derive(op: str, dialect: DialectName = "postgresql", **args: Any) -> Relation:
    """The relation that `op` makes of two handles of one table, "s" and "t"."""
    known = catalogue(dialect)
    table = offered()["table_ref"].read({"table": "sales"})
    handles = {name: table.derive((), Scope(known, name)) for name in ("s", "t")}  # type: ignore[attr-defined]
    operation = offered()[op].read(args)
    inputs = tuple(handles[name] for name in operation.handles())
    return operation.derive(inputs, Scope(known, "made"))  # type: ignore[attr-defined, no-any-return]


SALES = ["id", "region", "amount", "day", "Day Name"]
# How the errors are called in the table below.
INVALID, MISMATCH, DUPLICATE = "InvalidArgumentError", "TypeMismatchError", "DuplicateColumnError"
NO_COLUMN, NO_TABLE, SYNTAX = "UnknownColumnError", "UnknownTableError", "ExpressionSyntaxError"


def agg(fn: str, column: str, as_: str, **more: Any) -> dict[str, Any]:
    return {"fn": fn, "column": column, "as": as_, **more}


@pytest.mark.parametrize(
    ("op", "args", "error", "told"),
    [
        ("table_ref", {"table": "sale"}, NO_TABLE, "Did you mean sales"),
        ("table_ref", {"table": "log"}, NO_TABLE, "one.log"),
        ("table_ref", {}, INVALID, "needs the argument 'table'. Signature: table_ref(table)"),
        ("table_ref", {"tabel": "sales"}, INVALID, "Did you mean table?"),
        ("select_columns", {"rel": "s", "columns": []}, INVALID, "at least 1"),
        ("select_columns", {"rel": "s", "columns": None}, INVALID, "'columns'"),
        ("select_columns", {"rel": "s", "columns": ["regoin"]}, NO_COLUMN, "Did you mean region"),
        ("select_columns", {"rel": "s", "columns": ["id", "id"]}, DUPLICATE, "unique"),
        ("select_columns", {"rel": "s", "columns": [{"column": "id", "as": "x" * 64}]}, INVALID, "63"),
        ("select_columns", {"rel": "s", "columns": [{"column": "id"}]}, INVALID, "needs the argument 'as'"),
        ("filter_expr", {"rel": "s", "predicate": "amount >"}, SYNTAX, ""),
        ("filter_expr", {"rel": "s", "predicate": "region"}, MISMATCH, "true or false"),
        ("filter_expr", {"rel": "s", "predicate": "day > 5"}, MISMATCH, "date"),
        ("filter_expr", {"rel": "s", "predicate": 5}, INVALID, "an expression as text, not 5"),
        ("derive_column", {"rel": "s", "name": "id", "expr": "1"}, DUPLICATE, "another name"),
        ("limit", {"rel": "s", "n": 2.5}, INVALID, "not 2.5"),
        ("limit", {"rel": "s", "n": -1}, INVALID, "from 0 up"),
        ("limit", {"rel": "s", "n": True}, INVALID, "not True"),
        ("limit", {"rel": "s", "n": "ten"}, INVALID, "whole number"),
        ("order_by", {"rel": "s", "keys": [["id", "down"]]}, INVALID, '"asc" or "desc"'),
        ("order_by", {"rel": "s", "keys": []}, INVALID, "at least 1"),
        ("join_table", {"left": "s", "right": "t", "how": "right", "on": [["id", "id"]]}, INVALID, "left"),
        ("join_table", {"left": "s", "right": "t", "how": "inner", "on": [["id"]]}, INVALID, "'on'"),
        ("join_table", {"left": "s", "right": "t", "how": "inner"}, INVALID, "'cross'"),
        ("join_table", {"left": "s", "right": "t", "how": "cross", "on": [["id", "id"]]}, INVALID, "neither"),
        ("join_table", {"left": "s", "right": "t", "how": "inner", "on": [["id", "region"]]}, MISMATCH, "CAST"),
        ("join_table", {"left": "s", "right": "t", "how": "inner", "on": [["day", "id"]]}, MISMATCH, "day"),
        ("aggregate", {"rel": "s", "aggs": [agg("mean", "id", "m")]}, INVALID, "avg"),
        ("aggregate", {"rel": "s", "aggs": [agg("sum", "region", "m")]}, MISMATCH, "CAST(\"region\" AS NUMERIC)"),
        ("aggregate", {"rel": "s", "aggs": [agg("sum", "*", "m")]}, INVALID, "count alone"),
        ("aggregate", {"rel": "s", "aggs": [agg("sum", "id", "m"), agg("avg", "id", "m")]}, DUPLICATE, "'m'"),
        ("aggregate", {"rel": "s", "group_by": ["id", "id"], "aggs": []}, DUPLICATE, "twice"),
        ("aggregate", {"rel": "s", "group_by": [], "aggs": []}, INVALID, "'group_by'"),
        ("aggregate", {"rel": "s", "aggs": [agg("sum", "id", "m", where="id > 1")]}, INVALID, "'where'"),
        ("window_column", {"rel": "s", "name": "w", "fn": "rank"}, INVALID, "needs 'order_by'"),
        ("window_column", {"rel": "s", "name": "w", "fn": "ntile"}, INVALID, "needs 'n'"),
        ("window_column", {"rel": "s", "name": "w", "fn": "sum"}, INVALID, "needs a 'column'"),
        ("window_column", {"rel": "s", "name": "w", "fn": "avg", "column": "region"}, MISMATCH, "region"),
        ("window_column", {"rel": "s", "name": "w", "fn": "sum", "column": "id", "n": 3}, INVALID, "ntile"),
        (
            "window_column",
            {"rel": "s", "name": "w", "fn": "sum", "column": "id", "frame": "rows between 1 following and 1 preceding"},
            INVALID,
            "ends before it starts",
        ),
        (
            "window_column",
            {"rel": "s", "name": "w", "fn": "sum", "column": "id", "frame": "rows 2 preceding"},
            INVALID,
            "a frame needs an order: give 'order_by', or sort s with order_by first",
        ),
        ("set_operation", {"left": "s", "right": "t", "kind": "minus"}, INVALID, "except"),
    ],
)  # fmt: skip
def test_a_call_that_cannot_be_right_is_refused(op: str, args: dict[str, Any], error: str, told: str) -> None:
    with pytest.raises(ModelCorrectableError) as caught:
        derive(op, **args)
    assert (type(caught.value).__name__, told in str(caught.value)) == (error, True), str(caught.value)


@pytest.mark.parametrize(
    ("op", "args", "columns"),
    [
        ("select_columns", {"rel": "s", "columns": "REGION"}, ["region"]),
        ("select_columns", {"rel": "s", "columns": ["id", {"column": "id", "as": "again"}]}, ["id", "again"]),
        ("limit", {"rel": "s", "n": "10", "offset": 2.0}, SALES),
        ("aggregate", {"rel": "s", "group_by": "region", "aggs": agg("COUNT", "*", "n")}, ["region", "n"]),
        ("order_by", {"rel": "s", "keys": ["id", ["day", "DESC", "NULLS_LAST"]]}, SALES),
        (
            "join_table",
            {"left": "s", "right": "t", "how": "LEFT", "on": [["id", "id"]]},
            [*SALES, *(f"t_{name}" for name in SALES)],
        ),
        ("set_operation", {"left": "s", "right": "t", "kind": "union"}, SALES),
    ],
)  # fmt: skip
def test_arguments_are_read_losslessly(op: str, args: dict[str, Any], columns: list[str]) -> None:
    assert list(derive(op, **args).columns) == columns


def test_another_letter_case_is_noted() -> None:
    assert derive("select_columns", rel="s", columns=["REGION"]).notes == ("read REGION as region",)


def test_a_name_that_a_join_makes_fits_the_dialect() -> None:
    scope = Scope(catalogue(), "j", name_limit=63)
    name = scope.generated_name("h" * 50 + "_" + "c" * 40)
    assert len(name.encode()) == 63
    assert name != scope.generated_name("h" * 50 + "_" + "c" * 41)


def test_equal_graphs_have_equal_fingerprints_and_others_do_not() -> None:
    one = derive("filter_expr", rel="s", predicate="id > 1")
    assert one.fingerprint == derive("filter_expr", rel="s", predicate="id > 1").fingerprint
    assert one.fingerprint != derive("filter_expr", rel="s", predicate="id > 2").fingerprint
    assert one.fingerprint != derive("filter_expr", rel="t", predicate="id > 1").fingerprint


def test_keys_are_followed_through_the_graph() -> None:
    assert derive("filter_expr", rel="s", predicate="id > 1").is_unique(frozenset({"id"}))
    assert derive("select_columns", rel="s", columns=[{"column": "id", "as": "n"}]).is_unique(frozenset({"n"}))
    assert not derive("select_columns", rel="s", columns=["region"]).is_unique(frozenset({"region"}))
    assert derive("aggregate", rel="s", group_by=["region", "day"]).is_unique(frozenset({"region", "day", "x"}))
    repeated = derive("join_table", left="s", right="t", how="inner", on=[["id", "region"]], dialect="sqlite")
    assert not repeated.is_unique(frozenset({"id"}))
    assert repeated.is_unique(frozenset({"t_id"}))


def test_the_card_tells_of_every_operation_and_of_fifteen_in_paper_mode() -> None:
    card = render("sqlite")
    assert all(f"- {operation.signature()}: " in card for operation in OPERATIONS)
    assert card == render("sqlite")
    assert render("sqlite", paper_mode=True).count("\n- ") == 15
    assert len(card) < 5_500  # about 1,300 tokens


def test_the_card_says_why_there_is_an_operation_beyond_the_fifteen() -> None:
    (line,) = (line for line in render("sqlite").splitlines() if line.startswith("- set_operation"))
    assert "two relations could not be put under one another when none at hand has two rows" in line


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_the_card_shows_one_call_of_each_operation_that_can_be_read(operation: Any) -> None:
    operation.read(json.loads(operation.example))
    assert operation.example in render("postgresql")
