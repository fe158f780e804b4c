"""An older question of a thread that is asked again: followed, stopped and answered in its own place."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import log_in
from tests.browser.site import Site

pytestmark = pytest.mark.browser

REPEATED = """() => {
  const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place);
}"""


def prefix(run: str) -> str:
    return f"r{run[:8]}-"


def test_it_is_shown_and_answered_in_its_own_place(place: Site, page: Page) -> None:
    told = place.furnish("asked_again")
    run = told["again"]
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    expect(page.locator("#stop")).to_have_attribute("formaction", re.compile(run))
    expect(page.locator(f"#{prefix(run)}run-status")).to_contain_text("Asking the model")
    newest = page.locator("#turns").inner_html()
    place.furnish("go_on", run, "0", "8")
    expect(page.locator(f"#{prefix(run)}turn-1")).to_have_attribute("data-state", "done")
    expect(page.locator(f"#{prefix(run)}call-1-3")).to_have_attribute("data-state", "err")
    assert page.locator("#turns").inner_html() == newest
    place.furnish("go_on", run, "8", "24")
    expect(page.locator(f"#{prefix(run)}answer-text")).to_have_text("Germany bought most.")
    expect(page.locator("#send")).to_be_visible()
    expect(page.locator(".status")).to_have_count(0)
    assert page.evaluate(REPEATED) == []
    page.click("#tab-chart")
    expect(page.locator("#chart-canvas .main-svg").first).to_be_visible(timeout=20_000)
    expect(page.locator("#answer-text")).to_have_text("Germany bought most then, too.")
    expect(page.locator(f"#{prefix(run)}result-1-table tbody tr")).to_have_count(8)
    expect(page.locator(f"#{prefix(run)}chart-canvas")).to_have_count(0)


def test_of_two_runs_at_work_the_foot_stops_the_shown_one_and_then_the_other(place: Site, page: Page) -> None:
    told = place.furnish("asked_again", "both")
    run, other = told["again"], told["newest"]
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    expect(page.locator("#stop")).to_have_attribute("formaction", re.compile(run))
    expect(page.locator(".status")).to_have_count(1)
    assert page.evaluate(REPEATED) == []
    place.furnish("go_on", other, "0", "8")
    expect(page.locator("#turn-1")).to_have_attribute("data-state", "done")
    place.furnish("go_on", run, "0", "24")
    expect(page.locator(f"#{prefix(run)}answer-text")).to_be_visible()
    expect(page.locator("#stop")).to_have_attribute("formaction", re.compile(other))
    expect(page.locator("#run-status")).to_have_count(1)
    page.keyboard.press("Escape")
    place.furnish("go_on", other, "8", "24")
    expect(page.locator("#answer-text")).to_have_text("Germany bought most.")
    expect(page.locator("#send")).to_be_visible()
    expect(page.locator(".status")).to_have_count(0)
    assert page.evaluate(REPEATED) == []
