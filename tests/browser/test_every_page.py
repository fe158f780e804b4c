"""Every page in both themes and widths: no serious finding of axe-core, a silent console, nothing too wide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.chromium import log_in
from tests.browser.screens import LOOKS, pages
from tests.browser.site import Site

pytestmark = pytest.mark.browser

PAGES = (
    "ask-empty", "ask-running", "ask-thinking", "answer-summary", "answer", "answer-chart", "answer-steps",
    "answer-sql", "answer-cut", "clarify", "run-failed", "trace", "trace-timeline", "history", "history-empty",
    "connections", "connection-form", "connection-test", "schema", "settings", "shared", "share", "review", "notices",
    "save", "collections", "collection", "saved",
    "usage", "usage-model", "teams", "team", "tokens", "api", "invitation", "sql", "beside",
)  # fmt: skip


@pytest.fixture(scope="module")
def addresses(place: Site) -> dict[str, str]:
    return pages(place.furnish("gallery"))


@pytest.fixture(scope="module", params=LOOKS)
def looking(
    request: pytest.FixtureRequest, browser: Browser, place: Site, addresses: dict[str, str]
) -> Iterator[Page]:
    theme, (width, height) = LOOKS[request.param]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    log_in(page, place.url)
    yield page
    context.close()


def serious(page: Page) -> list[str]:
    found: dict[str, Any] = Axe().run(page).response
    return [
        f"{finding['id']}: {node['html'][:160]}"
        for finding in found["violations"]
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible_silent_and_fits(name: str, looking: Page, addresses: dict[str, str], place: Site) -> None:
    complaints: list[str] = []

    def listen(message: Any) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    looking.on("console", listen)
    looking.on("pageerror", lambda error: complaints.append(str(error)))
    looking.goto(f"{place.url}{addresses[name]}")
    if looking.locator(".chart__canvas").count():
        looking.locator(".chart__canvas .main-svg").first.wait_for()
    assert serious(looking) == []
    assert looking.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    looking.remove_listener("console", listen)
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_login_page_is_accessible(browser: Browser, place: Site, theme: Any) -> None:
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    page.goto(f"{place.url}/login/")
    assert serious(page) == []
    page.fill("#l-u", "olga")
    page.fill("#l-p", "wrong")
    page.click("#login-form button[type=submit]")
    page.locator("#login-error").wait_for()
    assert serious(page) == []
    context.close()
