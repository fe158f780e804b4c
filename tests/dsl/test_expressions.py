"""Expressions: what is let through unchanged, what is refused, and in which words."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.dsl.expressions import Expression, parse_predicate, parse_scalar
from agents.errors import (
    ExpressionNotAllowedError,
    ExpressionSyntaxError,
    LimitExceededError,
    ModelCorrectableError,
    TypeMismatchError,
    UnknownColumnError,
)
from connections.allowed import AGGREGATES, FUNCTIONS, WINDOWS
from connections.catalogue import DialectName, SemanticType
from tests.databases import DIALECTS


@dataclass(frozen=True)
class Field:
    type: str
    semantic: SemanticType
    nullable: bool = True


SCOPE = {
    "id": Field("INTEGER", "integer", nullable=False),
    "label": Field("TEXT", "text"),
    "made": Field("DATE", "date"),
    "Order Date": Field("DATE", "date"),
    "qty": Field("INTEGER", "integer"),
    "price": Field("NUMERIC", "decimal"),
    "sélect": Field("TEXT", "text"),
    "tags": Field("TEXT[]", "array"),
    "j": Field("JSON", "json"),
}


def written(expression: Expression) -> str:
    return expression.write({name: f"«{name}»" for name in expression.columns})


KEPT = [
    # dialects, text, what is sent
    (DIALECTS, "qty / 2", "«qty» / 2"),
    (DIALECTS, "LABEL = 'a''b' -- note", "«label» = 'a''b'"),
    (DIALECTS, "cast(qty as decimal(10,2))", "cast(«qty» as decimal(10,2))"),
    (DIALECTS, "label like '50!%' escape '!'", "«label» like '50!%' escape '!'"),
    (DIALECTS, "label = '日本🙂' or sélect = 'x'", "«label» = '日本🙂' or «sélect» = 'x'"),
    (DIALECTS, "coalesce(nullif(label, ''), ':x ? %s')", "coalesce(nullif(«label», ''), ':x ? %s')"),
    (DIALECTS, "qty /* the number */ + 1", "«qty» + 1"),
    (("sqlite",), "strftime('%Y', made) || [Order Date]", "strftime('%Y', «made») || «Order Date»"),
    (("sqlite",), "max(qty, 1)", "max(«qty», 1)"),
    (("sqlite",), "cast(made as timestamp)", "cast(«made» as timestamp)"),
    (("sqlite", "duckdb"), "j ->> 'a.b'", "«j» ->> 'a.b'"),
    (("postgresql",), "made::text || extract(year from made)", "«made»::text || extract(year from «made»)"),
    (("postgresql",), "label ~* '^a' and tags[1] = E'a\\nb'", "«label» ~* '^a' and «tags»[1] = E'a\\nb'"),
    (("postgresql",), "made + interval '1 mon 2 days'", "«made» + interval '1 mon 2 days'"),
    (("duckdb",), "list_filter(tags, x -> x = label)", "list_filter(«tags», x -> x = «label»)"),
    (("duckdb",), "label ~ 'a' or 5 // 2 = 2", "«label» ~ 'a' or 5 // 2 = 2"),
    (("mysql",), "timestampdiff(MONTH, made, `Order Date`)", "timestampdiff(MONTH, «made», «Order Date»)"),
    (("sqlite", "mysql"), "replace(label, char(10), char(44, 65))", "replace(«label», char(10), char(44, 65))"),
    (("sqlite", "mysql"), "made > 0 and qty < 0x1F", "«made» > 0 and «qty» < 0x1F"),
    (("mysql",), 'label REGEXP "^a" || qty', '«label» REGEXP "^a" || «qty»'),
]


@pytest.mark.parametrize(
    ("dialect", "text", "sent"), [(dialect, text, sent) for dialects, text, sent in KEPT for dialect in dialects]
)
def test_an_expression_is_sent_as_it_was_written(dialect: DialectName, text: str, sent: str) -> None:
    assert written(parse_scalar(text, SCOPE, dialect)) == sent


REFUSED = [
    (DIALECTS, "", ExpressionSyntaxError, "expr"),
    (DIALECTS, "qty >", ExpressionSyntaxError, "missing"),
    (DIALECTS, "1 = 1) or (1 = 1", ExpressionSyntaxError, ""),
    (DIALECTS, "1 = 1; delete from items", ExpressionNotAllowedError, "statement"),
    (DIALECTS, "1 = 1 union select 1", ExpressionNotAllowedError, ""),
    (DIALECTS, "1 = 1 group by id limit 1", ExpressionNotAllowedError, ""),
    (DIALECTS, "distinct qty", ExpressionNotAllowedError, ""),
    (DIALECTS, "id in (select 1)", ExpressionNotAllowedError, "sub-query"),
    (DIALECTS, "exists (select 1)", ExpressionNotAllowedError, "sub-query"),
    (DIALECTS, "count(*) > 1", ExpressionNotAllowedError, "aggregate"),
    (DIALECTS, "row_number() over (order by id) = 1", ExpressionNotAllowedError, "window_column"),
    (DIALECTS, "*", ExpressionNotAllowedError, "star"),
    (DIALECTS, "frobnicate(qty)", ExpressionNotAllowedError, "frobnicate"),
    (DIALECTS, "uper(label)", ExpressionNotAllowedError, "upper"),
    (DIALECTS, "items.qty", UnknownColumnError, "Write qty"),
    (DIALECTS, "contry = 1", UnknownColumnError, "Available: id"),
    (DIALECTS, "made > 5", TypeMismatchError, "made"),
    (DIALECTS, "not " * 20_000 + "id = 9", LimitExceededError, "nested"),
    (DIALECTS, "(" * 5_000 + "id" + ")" * 5_000, LimitExceededError, "nested"),
    (DIALECTS, "'" + "x" * 2_000_000 + "'", LimitExceededError, "characters"),
    (("sqlite", "duckdb", "postgresql"), '"no_such_column"', UnknownColumnError, "no_such_column"),
    (("sqlite",), "load_extension('x')", ExpressionNotAllowedError, "load_extension"),
    (("sqlite",), "zeroblob(400000000)", ExpressionNotAllowedError, "zeroblob"),
    (("postgresql",), "pg_catalog.pg_sleep(10)", ExpressionNotAllowedError, "qualified"),
    (("postgresql",), '"pg_sleep"(10)', ExpressionNotAllowedError, "quoted"),
    (("postgresql",), "U&\"s\\0065tval\"('t', 1)", ExpressionNotAllowedError, ""),
    (("postgresql",), "pg_sleep/**/(10)", ExpressionNotAllowedError, "pg_sleep"),
    (("postgresql",), "E'\\'' || set_config('a', 'b', false)", ExpressionNotAllowedError, "set_config"),
    (("postgresql",), "'pg_shadow'::regclass", ExpressionNotAllowedError, ""),
    (("postgresql",), "label = 5", TypeMismatchError, "quotes"),
    (("mysql",), "(@a := id) > 1", ExpressionNotAllowedError, ""),
    (("mysql",), "sleep(5)", ExpressionNotAllowedError, "sleep"),
    (("duckdb",), "getenv('HOME')", ExpressionNotAllowedError, "getenv"),
]


@pytest.mark.parametrize(
    ("dialect", "text", "error", "mentions"),
    [(dialect, *rest) for dialects, *rest in REFUSED for dialect in dialects],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_is_no_plain_scalar_expression_is_refused(
    dialect: DialectName, text: str, error: type[ModelCorrectableError], mentions: str
) -> None:
    with pytest.raises(error, match="(?s).*" + mentions):
        parse_scalar(text, SCOPE, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ["label", "upper(label)", "'x'", "made"])
def test_a_predicate_must_be_a_condition(dialect: DialectName, text: str) -> None:
    with pytest.raises(TypeMismatchError, match="true or false"):
        parse_predicate(text, SCOPE, dialect)


@pytest.mark.parametrize(("dialect", "allowed"), [("sqlite", True), ("mysql", True), ("duckdb", False)])
def test_a_number_is_a_condition_only_where_the_database_says_so(dialect: DialectName, allowed: bool) -> None:
    if allowed:
        assert parse_predicate("qty", SCOPE, dialect).semantic == "integer"
    else:
        with pytest.raises(TypeMismatchError):
            parse_predicate("qty", SCOPE, dialect)


@pytest.mark.parametrize(
    ("dialect", "text", "semantic"),
    [
        ("postgresql", "qty + price", "decimal"),
        ("duckdb", "qty / 2", "float"),
        ("sqlite", "round(price, 1)", "float"),
        ("postgresql", "case when id = 1 then qty else null end", "integer"),
        ("mysql", "date(label)", "date"),
        ("sqlite", "date(label)", "text"),
        ("sqlite", "0x1F + 1", "integer"),
        ("postgresql", "made::timestamptz", "timestamptz"),
        ("duckdb", "json_extract(j, '$.a')", "unknown"),
    ],
)
def test_types_follow_the_dialect(dialect: DialectName, text: str, semantic: str) -> None:
    assert parse_scalar(text, SCOPE, dialect).semantic == semantic


def test_a_year_in_a_sqlite_date_column_is_a_fair_comparison() -> None:
    assert parse_predicate("made > 1990", SCOPE, "sqlite").columns == ("made",)


def test_random_values_are_marked_so_that_nothing_moves_them() -> None:
    assert parse_scalar("random()", SCOPE, "sqlite").volatile
    assert not parse_scalar("qty + 1", SCOPE, "sqlite").volatile


@given(st.text(max_size=60), st.sampled_from(DIALECTS))
def test_no_text_raises_anything_but_a_typed_error(text: str, dialect: DialectName) -> None:
    try:
        expression = parse_scalar(text, SCOPE, dialect)
    except ModelCorrectableError:
        return
    assert set(expression.columns) <= set(SCOPE)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_function_without_arguments_is_read_or_refused_by_a_typed_error(dialect: DialectName) -> None:
    for name in sorted(FUNCTIONS[dialect] | AGGREGATES[dialect] | WINDOWS):
        with suppress(ModelCorrectableError):
            assert parse_scalar(f"{name}()", SCOPE, dialect).text == f"{name}()"
