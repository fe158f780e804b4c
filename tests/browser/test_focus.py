"""The keyboard's focus through what is swapped under it: verdicts, comments, the ends of a table."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import log_in
from tests.browser.site import Site

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def runs(place: Site) -> dict[str, Any]:
    told: dict[str, Any] = place.furnish("library")
    return told


def press(page: Page, selector: str) -> None:
    page.locator(selector).focus()
    page.keyboard.press("Enter")


def test_verdicts_keep_the_focus(place: Site, page: Page, runs: dict[str, Any]) -> None:
    run = runs["answered"]
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    for thumb in ("good", "bad"):
        press(page, f"#{thumb}-{run}")
        expect(page.locator(f"#{thumb}-{run}")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(f"#{thumb}-{run}")).to_be_focused()
    page.fill(f"#why-{run}", "Counts web orders, too")
    press(page, f"#say-why-{run}")
    expect(page.locator(f"#say-why-{run}")).to_have_text("Change")
    expect(page.locator(f"#say-why-{run}")).to_be_focused()


def test_verifying_and_withdrawing_leave_the_focus_on_their_menu(
    place: Site, browser: Browser, page: Page, runs: dict[str, Any]
) -> None:
    run = runs["shared"]
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    press(page, f"#good-{run}")  # which opens it to the team's manager
    expect(page.locator(f"#good-{run}")).to_have_attribute("aria-pressed", "true")
    mona = browser.new_context().new_page()
    log_in(mona, place.url, "mona", "mona's long password")
    mona.goto(f"{place.url}/runs/{run}")
    menu = mona.locator(f"#verdict-{run} summary")
    press(mona, f"#verdict-{run} summary")
    press(mona, f"#verify-{run}")
    expect(mona.locator(f"#verdict-{run}")).to_contain_text("Verified by Mona Manager")
    expect(menu).to_be_focused()
    mona.keyboard.press("Enter")
    press(mona, f"#withdraw-{run}")
    expect(mona.locator(f"#verdict-{run}")).not_to_contain_text("Verified by")
    expect(menu).to_be_focused()
    mona.context.close()


def test_comments_keep_the_focus(place: Site, page: Page, runs: dict[str, Any]) -> None:
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{runs['answered']}")
    press(page, ".comments > summary")
    page.get_by_label("Your comment").fill("Net of returns")
    press(page, "[id^=send-comment-]")
    expect(page.locator(".comment")).to_have_count(1)
    expect(page.locator("[id^=send-comment-]")).to_be_focused()
    press(page, "[id^=delete-comment-]")
    expect(page.locator(".comment")).to_have_count(0)
    expect(page.locator(".comments > summary")).to_be_focused()


def test_the_ends_of_a_table_keep_the_focus_and_back_leads_a_page_back(
    place: Site, page: Page, runs: dict[str, Any]
) -> None:
    run = place.furnish("long_table")["run"]
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}?tab=table")
    following, pages = page.locator("#result-1-table-next"), page.locator(".pager")
    press(page, "#result-1-table-next")
    expect(pages).to_contain_text("Rows 51–100")
    expect(following).to_be_focused()
    page.keyboard.press("Enter")
    expect(pages).to_contain_text("Rows 101–120")
    expect(following).to_be_focused()
    expect(following).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    expect(pages).to_contain_text("Rows 101–120")
    page.go_back()
    expect(pages).to_contain_text("Rows 51–100")
    page.reload()
    expect(pages).to_contain_text("Rows 51–100")
