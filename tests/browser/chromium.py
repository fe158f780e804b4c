"""The system's Chromium, quiet and offline."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

from tests.databases import missing

EXECUTABLE = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDE, PHONE = (1440, 900), (390, 844)


@contextmanager
def chromium() -> Iterator[Browser]:
    if shutil.which(EXECUTABLE) is None:
        missing(f"there is no Chromium at {EXECUTABLE}; CHROMIUM names another place")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def log_in(page: Page, url: str, name: str = "olga", password: str = "olga's long password") -> None:
    page.goto(f"{url}/login/")
    page.fill("#l-u", name)
    page.fill("#l-p", password)
    page.click("#login-form button[type=submit]")
    page.wait_for_url(lambda address: "/login" not in address, timeout=15_000)
