"""One site and one Chromium for all browser tests; every test has a page of its own that must stay silent."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import WIDE, chromium
from tests.browser.site import Site, site


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # Playwright leaves an event loop in this thread, and Django would refuse to reach the database beside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with chromium() as started:
        yield started
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("site")) as started:
        yield started


@pytest.fixture
def complaints() -> list[str]:
    """What the console and the content security policy said; must be empty at the end."""
    return []


@pytest.fixture
def page(browser: Browser, complaints: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]})
    opened = context.new_page()
    opened.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []
