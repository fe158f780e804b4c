"""Every page in both themes and widths: no finding of axe-core, a silent console, nothing too wide."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import Resolver404, resolve
from playwright.sync_api import Browser, Page

from tests.browser.chromium import log_in
from tests.browser.pages import LOOKS, NOT_PAGES, PRESSED, findings, pages, show
from tests.browser.site import Site

pytestmark = pytest.mark.browser

# Names only: the addresses are known when the site is furnished.
PAGES = tuple(pages(defaultdict(str)))


def test_every_page_of_the_url_map_is_looked_at() -> None:
    from tests.server.rights import ROUTES

    seen = {"login"}
    for address in pages(defaultdict(lambda: "1") | UUIDS).values():
        try:
            seen.add(resolve(address.partition("?")[0]).view_name)
        except Resolver404:
            assert address == "/nowhere"
    # The administration is made of Django's own templates; what the API gives is JSON.
    given = {name for name, line in ROUTES.items() if line.methods != "POST"}
    to_see = {name for name in given if not name.startswith(("admin:", "api:"))}
    assert to_see - {"logout"} - seen == NOT_PAGES


UUIDS = dict.fromkeys(
    ("answered", "running", "thinking", "cut", "nothing", "expired", "thread", "clarify", "failed", "again", "shared"),
    "00000000-0000-0000-0000-000000000000",
)


@pytest.fixture(scope="module")
def addresses(place: Site) -> dict[str, str]:
    return pages(place.furnish("gallery"))


@pytest.fixture(scope="module", params=LOOKS)
def looking(request: pytest.FixtureRequest, browser: Browser, place: Site, addresses: dict[str, str]) -> Iterator[Page]:
    context = browser.new_context(**LOOKS[request.param])
    page = context.new_page()
    log_in(page, place.url)
    yield page
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible_silent_and_fits(name: str, looking: Page, addresses: dict[str, str], place: Site) -> None:
    complaints: list[str] = []

    def listen(message: Any) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    looking.on("console", listen)
    looking.on("pageerror", lambda error: complaints.append(str(error)))
    show(looking, f"{place.url}{addresses[name]}", PRESSED.get(name, ""))
    assert findings(looking) == []
    assert looking.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    looking.remove_listener("console", listen)
    assert [said for said in complaints if name not in REFUSED or "status of 4" not in said] == []


# Pages whose point is a refusal: Chromium tells the console of every status from 400 on.
REFUSED = ("error", "sql-refused")


@pytest.mark.parametrize("look", LOOKS)
def test_the_login_page_is_accessible(browser: Browser, place: Site, look: str) -> None:
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    page.goto(f"{place.url}/login/")
    assert findings(page) == []
    page.fill("#l-u", "olga")
    page.fill("#l-p", "wrong")
    page.click("#login-form button[type=submit]")
    page.locator("#login-error").wait_for()
    assert findings(page) == []
    context.close()
