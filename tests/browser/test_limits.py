"""Inviting somebody, and meeting a cap: in real browsers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import log_in
from tests.browser.pages import findings
from tests.browser.site import Site

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def team(place: Site) -> str:
    return f"{place.url}/teams/{place.furnish('full')['team']}/"


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """Somebody else's browser."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_manager_invites_and_the_newcomer_is_in(place: Site, team: str, page: Page, other: Page) -> None:
    log_in(page, place.url)
    page.goto(team)
    page.get_by_label("Role", exact=True).select_option("viewer")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    assert findings(page) == []
    other.goto(link)
    expect(other.get_by_role("heading", name="Join Retail analytics")).to_be_visible()
    assert findings(other) == []
    other.get_by_label("Name to log in with").fill("dora")
    other.get_by_label("Password", exact=True).fill("Xy9-Xy9-Xy9")
    other.get_by_label("Password, once more").fill("Xy9-Xy9-Xy9")
    other.get_by_role("button", name="Make an account and join").click()
    expect(other.get_by_text("Welcome to Retail analytics")).to_be_visible()
    assert other.goto(link).status == 404  # type: ignore[union-attr]
    page.goto(team)
    expect(page.get_by_role("row", name="dora")).to_contain_text("Viewer")


def test_at_the_cap_the_page_says_why_and_keeps_the_question(place: Site, team: str, other: Page) -> None:
    page = other
    log_in(page, place.url)
    page.goto(place.url)
    box = page.get_by_role("textbox").first
    box.fill("How many orders were cancelled?")
    box.press("Enter")
    told = page.get_by_text("Your cap of $5.00 a month is used up: $5.02 so far.")
    expect(told).to_be_visible()
    expect(page.get_by_role("textbox").first).to_have_value("How many orders were cancelled?")
    assert findings(page) == []
    page.goto(f"{place.url}/usage/")
    expect(page.get_by_text("Olga Owner has used 100 % of the cap")).to_be_visible()
