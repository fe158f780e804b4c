"""A run as it is followed in a real browser. The events are saved one by one, as a worker would."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import log_in
from tests.browser.site import Site

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def run(place: Site) -> str:
    """The module's run; each test goes on where the one before stopped."""
    return str(place.furnish("live")["run"])


def calls(page: Page) -> list[str]:
    return page.locator(".call").evaluate_all("calls => calls.map(call => `${call.id} ${call.dataset.state}`)")


def test_turns_and_calls_appear_as_they_happen(place: Site, page: Page, run: str) -> None:
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    expect(page.locator("#run-status")).to_contain_text("Asking the model")
    place.furnish("go_on", run, "0", "1")
    expect(page.locator("#turn-1")).to_have_attribute("data-state", "running")
    place.furnish("think", run, "1", "<think>I start with the orders")
    expect(page.locator("#thought-1")).to_have_text("I start with the orders")
    place.furnish("go_on", run, "1", "4")
    expect(page.locator("#call-1-1")).to_have_attribute("data-state", "ok")
    assert calls(page) == ["call-1-1 ok", "call-1-2 run", "call-1-3 wait", "call-1-4 wait"]
    expect(page.locator("#thought-1")).to_have_text("I start with the orders of the year.")
    place.furnish("go_on", run, "4", "8")
    expect(page.locator("#turn-1")).to_have_attribute("data-state", "done")
    assert calls(page) == ["call-1-1 ok", "call-1-2 warn", "call-1-3 err", "call-1-4 skip"]


def test_a_reload_and_a_lost_network_leave_no_gap_and_no_repeat(place: Site, page: Page, run: str) -> None:
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    place.furnish("go_on", run, "8", "12")
    expect(page.locator("#call-2-1")).to_have_attribute("data-state", "ok")
    page.reload()
    expect(page.locator("#call-2-1")).to_have_attribute("data-state", "ok")
    page.context.set_offline(True)
    place.furnish("go_on", run, "12", "14")
    page.context.set_offline(False)
    expect(page.locator("#call-2-3")).to_have_attribute("data-state", "ok", timeout=20_000)
    ids = [line.split()[0] for line in calls(page)]
    assert ids == [*(f"call-1-{n}" for n in range(1, 5)), *(f"call-2-{n}" for n in range(1, 8))]


def test_folds_focus_and_scroll_survive_what_arrives(place: Site, page: Page, run: str) -> None:
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    summary = page.locator("#call-2-2 summary")
    summary.click()
    summary.focus()
    place.furnish("go_on", run, "14", "16")
    expect(page.locator("#call-2-5")).to_have_attribute("data-state", "ok")
    place.furnish("go_on", run, "16", "19")
    expect(page.locator("#turn-2")).to_have_attribute("data-state", "done")
    expect(page.locator("#call-2-2 .call__rows")).to_have_text("20,310 → 8,306 rows")
    assert page.locator("#call-2-2 details").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.closest('.call')?.id") == "call-2-2"


def test_the_answer_takes_the_place_of_the_turns(place: Site, page: Page, run: str) -> None:
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    expect(page.locator("#stop")).to_be_visible()
    place.furnish("go_on", run, "19", "24")
    expect(page.locator("#answer-text")).to_have_text("Germany bought most.")
    expect(page.locator("#send")).to_be_visible()
    expect(page.locator("#run-status")).to_have_count(0)
    expect(page.locator("#result-1-table tbody tr")).to_have_count(8)
    page.locator(".run__strip > summary").click()
    expect(page.locator("#call-2-7")).to_be_visible()
    assert len(calls(page)) == 11


def test_a_finished_run_needs_no_script(place: Site, browser: object, run: str, page: Page) -> None:
    log_in(page, place.url)
    state = page.context.storage_state()
    plain = page.context.browser.new_context(java_script_enabled=False, storage_state=state)  # type: ignore[union-attr]
    still = plain.new_page()
    still.goto(f"{place.url}/runs/{run}")
    expect(still.locator("#answer-text")).to_have_text("Germany bought most.")
    still.click("#tab-sql")
    expect(still.locator("#sql-1")).to_contain_text("SELECT")
    plain.close()
