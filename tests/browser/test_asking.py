"""A question from the first key to the read answer: real Chromium, real web process and worker, scripted model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agents.llm.scripted import ScriptedServer, Turn
from tests.browser.chromium import log_in
from tests.browser.site import Site, site

pytestmark = pytest.mark.browser

# The first question makes a cold worker import what asks models, which takes long on a busy machine.
COLD = 120_000


def reply(thought: str, *calls: dict[str, Any]) -> str:
    return f"<think>{thought}</think>\n{json.dumps(calls)}"


def call(op: str, out: str, **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args, "out": out}


# A wrong column, put right; a join, an aggregate, a result. Each reply is written slowly enough to be watched.
REPLIES = [
    reply("I open the orders and keep the paid ones.", call("table_ref", "o", table="orders"),
          call("filter_expr", "paid", rel="o", predicate="amount > 0"), call("table_ref", "c", table="customers")),
    reply("The column is called total.", call("filter_expr", "paid", rel="o", predicate="total > 0"),
          call("table_ref", "c", table="customers")),
    reply("I join the customers.",
          call("join_table", "j", left="paid", right="c", how="inner", on=[["customer_id", "id"]]),
          call("aggregate", "by_country", rel="j", group_by=["country"],
               aggs=[{"fn": "sum", "column": "total", "as": "sales"}]),
          call("order_by", "ranked", rel="by_country", keys=[["sales", "desc"]])),
    reply("I run it.", {"op": "execute", "args": {"rel": "ranked"}}),
    '<think>Done.</think>\n{"final": "Germany bought most; see <execute_result_1>."}',
]  # fmt: skip


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, ScriptedServer]]:
    folder = tmp_path_factory.mktemp("asked")
    turns = [Turn(text, chunk=12, pace=0.04) for text in REPLIES]
    slow = Turn(reply("I think for a long time." * 40, call("table_ref", "o", table="orders")), chunk=4, pace=0.2)
    with (
        ScriptedServer(turns, after=slow) as model,
        site(folder, LLM_API_BASE=model.api_base, STRATEGY="react") as place,
    ):
        shop(str(folder / "databases" / "shop.sqlite"))
        place.furnish("cast")
        with place.worker():
            yield place, model


def shop(file: str) -> None:
    with sqlite3.connect(file) as database:
        database.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),"
            " ordered_at DATE NOT NULL, total NUMERIC(12, 2), status TEXT NOT NULL);"
        )
        countries = ("Germany", "France", "Italy")
        customers = [(n, f"c{n}", countries[n % 3]) for n in range(30)]
        database.executemany("INSERT INTO customers VALUES (?, ?, ?)", customers)
        orders = [(n, n % 30, f"2026-01-{n % 28 + 1:02}", 100 - n % 3 * 10, "done") for n in range(600)]
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", orders)


def test_a_question_is_asked_watched_and_read_by_keyboard_alone(asked: tuple[Site, ScriptedServer], page: Page) -> None:
    place, model = asked
    log_in(page, place.url)
    page.locator("#q").focus()
    page.keyboard.type("Which country bought most?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    expect(page.locator("#thought-1")).to_contain_text("I open the orders", timeout=COLD)
    expect(page.locator("#call-1-2")).to_have_attribute("data-state", "err", timeout=30_000)
    page.reload()
    expect(page.locator("#answer-text")).to_contain_text("Germany bought most", timeout=60_000)
    expect(page.locator("#result-1-table tbody tr")).to_have_count(3)
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    for digit, tab in enumerate(("answer", "table", "chart", "steps", "sql"), start=1):
        page.keyboard.press(str(digit))
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#sql-1")).to_contain_text("GROUP BY")
    page.locator(".run__strip > summary").click()
    states = page.locator(".call").evaluate_all("calls => calls.map(call => `${call.id} ${call.dataset.state}`)")
    assert states == [
        "call-1-1 ok", "call-1-2 err", "call-1-3 skip", "call-2-1 ok", "call-2-2 ok", "call-3-1 ok", "call-3-2 ok",
        "call-3-3 ok", "call-4-1 ok",
    ]  # fmt: skip
    assert len(model.requests) == 5


def test_stop_ends_the_run_at_once_and_keeps_what_was_found(asked: tuple[Site, ScriptedServer], page: Page) -> None:
    place, _ = asked
    log_in(page, place.url)
    page.fill("#q", "Something that takes long")
    page.keyboard.press("Enter")
    expect(page.locator("#thought-1")).to_contain_text("I think for a long", timeout=30_000)
    page.keyboard.press("Escape")
    expect(page.locator(".failure")).to_contain_text("Stopped before there was an answer", timeout=10_000)
    expect(page.locator("#send")).to_be_visible()
    assert place.furnish("state")["status"] == "cancelled"
