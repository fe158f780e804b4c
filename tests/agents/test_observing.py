"""What the model is told after a batch: every live handle, and no columns twice."""

from __future__ import annotations

from collections.abc import Callable

from agents.contracts import Task
from agents.traces.events import Observation
from tests.agents.runs import call, calls, final, running

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
