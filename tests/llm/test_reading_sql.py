"""Reading SQL out of a reply: all of the statement and, if in doubt, more; never less."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.errors import MalformedReplyError
from agents.llm.parsing import read_queries, read_sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("```sql\nSELECT 1;\n```", "SELECT 1"),
        ("Sure!\n```\nselect a\nfrom b\n```\nIt counts.", "select a\nfrom b"),
        ("```sql\nSELECT 1", "SELECT 1"),
        ("```text\nthe plan\n```\n```sqlite\nSELECT 2\n```", "SELECT 2"),
        ("<think>SELECT 9?</think>\nSELECT 1;", "SELECT 1"),
        ("SELECT 1<|im_end|>", "SELECT 1"),
        ("SQL: SELECT a FROM b", "SELECT a FROM b"),
        ("SELECT a\nFROM b;\n\nThis query lists all.", "SELECT a\nFROM b"),
        ("SELECT a\n\nFROM b\n\nThis query lists all.", "SELECT a\n\nFROM b"),
        ("WITH x AS (SELECT 1)\n\nSELECT * FROM x", "WITH x AS (SELECT 1)\n\nSELECT * FROM x"),
        ('{"sql": "SELECT 1"}', "SELECT 1"),
        ('```json\n{"sql": "SELECT 1;"}\n```', "SELECT 1"),
        ("SELECT ';\n' AS a", "SELECT ';\n' AS a"),
        ("Answer: SELECT COUNT(*) FROM b", "SELECT COUNT(*) FROM b"),
        ("**Answer:** SELECT a\nFROM b\n\nIt counts.", "SELECT a\nFROM b"),
        ("The query is `SELECT a FROM b`.", "SELECT a FROM b"),
        ("The query is `SELECT `a` FROM `b``.", "SELECT `a` FROM `b`"),
        ("With the tables above this is simple:\n\nSELECT a FROM b", "SELECT a FROM b"),
        ("With data as of today:\n\nWITH x (a) AS MATERIALIZED (SELECT 1) SELECT a FROM x",
         "WITH x (a) AS MATERIALIZED (SELECT 1) SELECT a FROM x"),
        ("```text\nCustomers with orders\n```\n```sql\nSELECT 1\n```", "SELECT 1"),
        ("```text\nI select from orders, then count.\n```\n```sql\n-- all\nSELECT 1\n```", "-- all\nSELECT 1"),
        ('{"query": "SELECT 1"}', "SELECT 1"),
        ('[{"op": "execute_sql", "args": {"sql": "SELECT 1;"}}]', "SELECT 1"),
        ('{"tool_calls": [{"name": "execute_sql", "arguments": {"query": "SELECT 1"}}]}', "SELECT 1"),
        ("SELECT '{\"sql\": \"SELECT 2\"}' AS a", "SELECT '{\"sql\": \"SELECT 2\"}' AS a"),
        ("WITH x AS -- the first\n(\nSELECT 1\n)\nSELECT * FROM x",
         "WITH x AS -- the first\n(\nSELECT 1\n)\nSELECT * FROM x"),
    ],
)  # fmt: skip
def test_the_statement_is_found(text: str, sql: str) -> None:
    assert read_sql(text) == sql


@pytest.mark.parametrize(
    "text",
    [
        "```sql\nSELECT 1; DROP TABLE departments\n```",
        "SELECT 1; DROP TABLE departments",
        "SELECT 1;\nDROP TABLE departments",
        "SELECT 1\n\n; DELETE FROM departments",
        "SELECT 1;\n-- now\nUPDATE departments SET id = 1",
        "Answer: SELECT 1; DROP TABLE departments",
        "The query is `SELECT 1; DROP TABLE departments`.",
        '[{"op": "execute_sql", "args": {"sql": "SELECT 1"}}, {"sql": "WITH x AS (SELECT 1) DELETE FROM departments"}]',
        "```sql\nINSERT INTO x SELECT 1; DROP TABLE departments\n```",
    ],
)
def test_a_second_statement_is_kept_for_the_guard_to_refuse(text: str) -> None:
    assert any(word in read_sql(text) for word in ("DROP", "DELETE", "UPDATE"))


@pytest.mark.parametrize("text", ["", "I cannot.", "DROP TABLE x", "<think>SELECT 1", "```sql\n\n```"])
def test_without_a_query_the_model_is_told_what_to_send(text: str) -> None:
    with pytest.raises(MalformedReplyError, match="SELECT in a"):
        read_sql(text)


def test_a_reply_that_was_cut_off_is_refused() -> None:
    with pytest.raises(MalformedReplyError, match="cut off"):
        read_sql("```sql\nSELECT 1\n```", finish_reason="length")


@given(
    st.text(max_size=300) | st.lists(st.sampled_from(["SELECT", "```", "\n\n", ";", "'", "{", "a", " "])).map("".join)
)
def test_no_text_raises_anything_else(text: str) -> None:
    with suppress(MalformedReplyError):
        assert read_sql(text)


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("First\n```sql\nSELECT 1;\n```\nthen\n```sql\nSELECT 2\n```", ["SELECT 1", "SELECT 2"]),
        ("```sql\nSELECT 1\n```\n```\nno query\n```\n```sql\nSELECT 1;\n```", ["SELECT 1"]),
        ("<think>```sql\nSELECT 9\n```</think>```sql\nSELECT 1\n```", ["SELECT 1"]),
        ('```json\n{"sql": "SELECT 1"}\n```\n```sql\nSELECT 2', ["SELECT 1", "SELECT 2"]),
        ("SELECT 3;", ["SELECT 3"]),
    ],
)
def test_every_fence_holds_a_query_of_its_own(text: str, queries: list[str]) -> None:
    assert read_queries(text) == queries


def test_several_queries_are_refused_where_one_would_be() -> None:
    with pytest.raises(MalformedReplyError, match="no SELECT"):
        read_queries("Nothing to look at.")
    with pytest.raises(MalformedReplyError):
        read_queries("```sql\nSELECT 1\n```", finish_reason="length")
