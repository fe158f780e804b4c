"""A manager starts an evaluation, stops and continues it, and reads what came of it down to a failure's trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agents.llm.scripted import ScriptedServer, Turn
from tests.browser.chromium import log_in
from tests.browser.site import Site, site
from tests.browser.test_every_page import findings

pytestmark = pytest.mark.browser

COLD = 120_000
REPLY = "```sql\nSELECT count(*) FROM orders\n```"
SHOP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, ordered_at DATE, total NUMERIC, status TEXT);
INSERT INTO orders VALUES (1, 1, '2026-01-01', 5, 'paid'), (2, 1, '2026-01-02', 7, 'open');
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
INSERT INTO customers VALUES (1, 'Ann', 'DE');
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Three questions, of which the model gets one right; its third reply is late enough to press Stop before it."""
    folder: Path = tmp_path_factory.mktemp("evaluating")
    late = Turn(REPLY, delay=600)
    with (
        ScriptedServer([REPLY, REPLY, late], after=REPLY) as model,
        site(folder, LLM_API_BASE=model.api_base) as started,
    ):
        with sqlite3.connect(folder / "databases" / "shop.sqlite") as shop:
            shop.executescript(SHOP)
        shop.close()
        started.furnish("to_evaluate")
        with started.worker():
            yield started


def test_an_evaluation_is_started_stopped_continued_and_read(place: Site, page: Page) -> None:
    log_in(page, place.url, "mona", "mona's long password")
    page.goto(f"{place.url}/review/")
    page.get_by_role("link", name="Run evaluation").click()
    page.get_by_label("Steps as the model can").uncheck()
    page.get_by_label("One SQL draft").check()
    page.get_by_label("Name").fill("Before the release")
    page.get_by_role("button", name="Start").click()
    progress = page.locator("#evaluation-progress")
    expect(progress).to_contain_text("2 of 3 answers, about", timeout=COLD)
    assert findings(page) == []
    stop = page.get_by_role("button", name="Stop")
    stop.focus()
    page.wait_for_timeout(2500)  # what is asked every second replaces the numbers, not the button
    expect(stop).to_be_focused()
    stop.press("Enter")
    expect(progress).to_contain_text("Stopped at 2 of 3 answers.")
    page.get_by_role("button", name="Continue").press("Enter")
    expect(progress).to_contain_text("All 3 answers are there.", timeout=COLD)
    # What came of it was fetched without a reload.
    expect(page.locator("#systems")).to_contain_text("33.3 %")
    expect(page.locator("#pareto .main-svg").first).to_be_visible()
    assert findings(page) == []


def test_a_failure_leads_to_both_tables_and_its_trace(place: Site, page: Page) -> None:
    log_in(page, place.url, "mona", "mona's long password")
    page.goto(f"{place.url}/evaluations/")
    page.get_by_role("link", name="Before the release").click()
    rows = page.locator("#case-list tbody tr")
    expect(rows).to_have_count(2)
    page.get_by_label("Outcome").select_option("right")
    expect(rows).to_have_count(1)
    page.get_by_label("Outcome").select_option("wrong")
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="How many customers are there?").first.click()
    expect(page.locator("#verdict")).to_contain_text("The tables differ")
    expect(page.locator("#gold-table")).to_contain_text("1")
    expect(page.locator("#predicted-table")).to_contain_text("2")
    page.get_by_role("link", name="Trace", exact=True).click()
    expect(page.locator("#trace-head")).to_contain_text("How many customers are there?")
    expect(page.locator("#trace-detail")).to_be_visible()
    page.goto(place.url)
    expect(page.locator("#recent")).not_to_contain_text("How many customers")


def test_without_a_price_latency_is_drawn_and_cost_says_what_is_missing(place: Site, page: Page) -> None:
    log_in(page, place.url, "mona", "mona's long password")
    page.goto(f"{place.url}/evaluations/1")
    expect(page.locator("#pareto")).to_contain_text("Median time of a question")
    page.get_by_role("link", name="Cost", exact=True).press("Enter")
    expect(page.locator("#pareto-title")).to_have_text("Accuracy and cost")
    expect(page.locator("figure")).to_contain_text("No price is known yet")
