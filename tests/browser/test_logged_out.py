"""A session that ends while a page is open: what was typed is there again after the login."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import log_in
from tests.browser.site import Site

pytestmark = pytest.mark.browser


def log_in_again(page: Page) -> None:
    page.wait_for_url(re.compile("/login/.next="))
    expect(page.locator("#login-form")).to_have_count(1)
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill("olga's long password")
    page.get_by_role("button", name="Log in").click()


def test_what_was_typed_waits_for_the_login(place: Site, page: Page) -> None:
    run = place.furnish("library")["answered"]
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}")
    page.click(".comments > summary")
    page.get_by_label("Your comment").fill("Net of returns?")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Comment", exact=True).click()
    log_in_again(page)
    expect(page.get_by_label("Your comment")).to_have_value("Net of returns?")
    page.fill("#q", "And in Spain?")
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Enter")
    log_in_again(page)
    expect(page.locator("#q")).to_have_value("And in Spain?")
    page.context.clear_cookies(name="sessionid")
    page.click("#tab-sql")
    log_in_again(page)
    page.wait_for_url(f"**/runs/{run}*")
