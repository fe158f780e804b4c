"""What the model is told after a batch: every live handle, and no columns twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.contracts import RunSettings, Task
from agents.observing import shortened
from agents.traces.events import Observation, Warned
from tests.agents.runs import SHOP, call, calls, final, running

WIDE = (
    f"CREATE TABLE wide ({', '.join(f'c{number} INTEGER' for number in range(1, 16))}); CREATE TABLE slim (n INTEGER);"
)
SCRIPT = [
    calls(call("table_ref", "w", table="wide"), call("table_ref", "s", table="slim")),
    calls(
        call("filter_expr", "f", rel="w", predicate="c1 > 1"),
        call("derive_column", "d", rel="f", name="twice", expr="c2 * 2"),
        call("select_columns", "few", rel="d", columns=["c1", "twice"]),
        call("execute", rel="few"),
    ),
    calls(call("limit", "l", rel="s", n=1), call("distinct", "bad", rel="nowhere")),
    final("Nothing: <execute_result_1>."),
]


def handles_told(url: str) -> list[list[str]]:
    with running(url, SCRIPT, "react") as ran:
        return [event.text.partition("Live handles:\n")[2].split("\n") for event in ran.of(Observation)]


def test_handles_made_in_the_turn_are_named_and_older_ones_listed_with_their_columns(
    new_database: Callable[[str, str], str],
) -> None:
    first, second, third = handles_told(new_database("sqlite", WIDE))
    columns = ", ".join(f"c{number}" for number in range(1, 16))
    assert first == ["- with the columns told above: w, s"]
    assert second == [f"- w: {columns}", "- s: n", "- with the columns told above: f, d, few"]
    assert third == [
        f"- w: {columns}", "- s: n", "- f: the columns of w", "- d: the columns of f, twice", "- few: c1, twice",
        "- with the columns told above: l",
    ]  # fmt: skip


def test_what_the_asker_adds_is_told_as_such(new_database: Callable[[str, str], str]) -> None:
    task = Task("How many?", evidence="Paid means status 2.", today="2026-01-01")
    with running(
        new_database("sqlite", WIDE), [final("It holds no payments.", unanswerable=True)], "react", task=task
    ) as ran:
        assert "What the asker adds: Paid means status 2." in ran.server.prompt()


def test_a_handle_that_is_given_anew_is_counted_for_each_call(new_database: Callable[[str, str], str]) -> None:
    batch = calls(
        call("table_ref", "t", table="orders"),
        call("filter_expr", "t", rel="t", predicate="status = 'PAID'"),
        call("aggregate", "t", rel="t", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
        call("execute", rel="t"),
    )
    with running(new_database("sqlite", SHOP), [batch, final("<execute_result_1>")], "react") as ran:
        (told,) = ran.of(Observation)
        assert told.rows_out == {"0": 4, "1": 0, "2": 1}
        assert [line[:30] for line in told.text.split("\n") if " ok " in line] == [
            "1. table_ref ok (4 rows): t: i", "2. filter_expr ok (0 rows): t:", "3. aggregate ok (1 row): t: n ",
        ]  # fmt: skip
        assert "t has no rows: no row of t passes the filter t (status = 'PAID')" in told.text
        assert "nearest: paid" in told.text
        assert [warning.text for warning in ran.of(Warned)] == list(told.warnings)


def test_handles_of_two_statements_in_one_batch_are_counted_apart(new_database: Callable[[str, str], str]) -> None:
    batch = calls(
        call("execute_sql", sql="SELECT id FROM orders WHERE status = 'paid'"),
        call("execute_sql", sql="SELECT id FROM orders WHERE status = 'PAID' AND total > 1"),
    )
    with running(new_database("sqlite", SHOP), [batch, final("<execute_result_1>")], "react-sql") as ran:
        (told,) = ran.of(Observation)
        rows = [event.row_count for event in ran.events if event.kind == "call_result" and event.result]
        assert rows == [3, 0]
        assert set(told.rows_out.values()) == {4, 3, 0}


def test_a_long_list_of_columns_is_cut_between_two_of_them_and_listed_below(
    new_database: Callable[[str, str], str],
) -> None:
    names = [f"customer_reference_{number}" for number in range(60)]
    url = new_database("sqlite", f"CREATE TABLE wide ({', '.join(f'{name} INTEGER' for name in names)})")
    batch = calls(*[call("table_ref", f"t{number}", table="wide") for number in range(3)])
    settings = RunSettings(observation_tokens=700)
    with running(url, [batch, final("?", unanswerable=True)], "react", settings=settings) as ran:
        text = ran.of(Observation)[0].text
    told, _, live = text.partition("Live handles:\n")
    written = told.split("1. table_ref ok (0 rows): t0: ")[1].split("\n")
    shown = [column.removesuffix(" INTEGER") for column in written[0].split(", ")]
    assert shown == names[: len(shown)]
    assert written[1] == f"… ({60 - len(shown)} more items of this line left out)"
    assert "with the columns told above" not in live
    assert f"- t2: {', '.join(names[:40])}, and 20 more" in live


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("a NUMERIC(10, 2), b TEXT, c TEXT", "a NUMERIC(10, 2), b TEXT\n… (1 more item of this line left out)"),
        ("ab NUMERIC(10, 2), b TEXT, c TEXT", "ab NUMERIC(10, 2)\n… (2 more items of this line left out)"),
        ("no comma in here at all, " * 3, "no comma in here at all\n… (3 more items of this line left out)"),
        ("x" * 90, "x" * 24 + "\n… (1 more item of this line left out)"),
        ("first, line\nsecond line\nthird", "first, line\nsecond line\n… (1 more lines left out)"),
        ("one long line, and another\nx\ny", "one long line\n… (1 more item of this line and 2 more lines left out)"),
    ],
)
def test_what_is_cut_ends_where_a_line_or_an_item_ends(text: str, cut: str) -> None:
    assert shortened([text], 24) == [cut]
