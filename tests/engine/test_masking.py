"""Statements with a part hidden."""

from __future__ import annotations

import pytest

from agents.engine.masking import masked


def one_line(sql: str) -> str:
    return " ".join(sql.split())


def test_each_part_is_hidden_by_itself() -> None:
    sql = "SELECT status, SUM(total) FROM orders WHERE id > 1 GROUP BY status HAVING SUM(total) > 2 ORDER BY 2 LIMIT 3"
    assert [one_line(hidden) for hidden in masked(sql, "sqlite")] == [
        "SELECT status, SUM(total) FROM orders WHERE [MASK] GROUP BY status HAVING [MASK] ORDER BY 2 LIMIT 3",
        "SELECT [MASK] FROM orders WHERE id > 1 GROUP BY status HAVING SUM(total) > 2 ORDER BY 2 LIMIT 3",
        "SELECT status, SUM(total) FROM orders WHERE id > 1 GROUP BY [MASK] HAVING SUM(total) > 2 "
        "ORDER BY [MASK] LIMIT [MASK]",
    ]


@pytest.mark.parametrize(
    ("sql", "parts"),
    [("SELECT COUNT(*) FROM orders", 1), ("SELECT a FROM t UNION ALL SELECT 1", 0), ("not SQL at all (", 0)],
)
def test_what_a_statement_does_not_have_is_not_hidden(sql: str, parts: int) -> None:
    assert len(masked(sql, "postgresql")) == parts


def test_no_literal_of_a_hidden_condition_is_left() -> None:
    sql = "SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE name = 'Ada')"
    assert "Ada" not in masked(sql, "duckdb")[0]


def test_a_windows_order_stays() -> None:
    hidden = masked("SELECT id, RANK() OVER (ORDER BY total) FROM orders ORDER BY id", "mysql")
    assert "ORDER BY\n  [MASK]" in hidden[-1]
    assert "OVER (ORDER BY total" in hidden[-1]
