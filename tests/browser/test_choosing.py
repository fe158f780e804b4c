"""What was chosen on the start page stays when something else is chosen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import log_in
from tests.browser.site import Site

pytestmark = pytest.mark.browser


def test_another_connection_keeps_the_model_and_the_text(place: Site, page: Page) -> None:
    place.furnish("choices")
    log_in(page, place.url)
    page.fill("#q", "How many are there?")
    page.get_by_label("Model").select_option(label="Second model")
    page.get_by_label("Connection").select_option(label="Stock")
    page.wait_for_url("**/?connection=*")
    expect(page.locator("#suggestions")).to_contain_text("Stock")
    expect(page.locator("#q")).to_have_value("How many are there?")
    expect(page.get_by_label("Model").locator("option:checked")).to_have_text("Second model")
