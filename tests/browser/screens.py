"""Take pictures of every page: `python -m tests.browser.screens FOLDER [PAGE …]`, in both themes and widths."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.chromium import PHONE, WIDE, chromium, log_in
from tests.browser.site import Site, site

LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", PHONE), "phone-dark": ("dark", PHONE)}


def pages(furnished: Mapping[str, Any]) -> dict[str, str]:
    run = f"/runs/{furnished['answered']}"
    return {
        "ask-empty": "/", "ask-running": f"/runs/{furnished['running']}",
        "ask-thinking": f"/runs/{furnished['thinking']}",
        "answer-summary": f"{run}?tab=answer", "answer": f"{run}?tab=table", "answer-chart": f"{run}?tab=chart",
        "answer-steps": f"{run}?tab=steps&step=5", "answer-sql": f"{run}?tab=sql",
        "answer-cut": f"/runs/{furnished['cut']}?tab=table", "clarify": f"/runs/{furnished['clarify']}",
        "run-failed": f"/runs/{furnished['failed']}", "trace": f"{run}/trace?at=call-2-5",
        "trace-timeline": f"{run}/trace?lens=time", "history": "/questions/",
        "history-empty": "/questions/?q=switzerland",
        "connections": "/connections/", "schema": f"/connections/{furnished['connection']}/", "settings": "/settings/",
        "error": "/nowhere",
    }  # fmt: skip


def shoot(
    browser: Browser, place: Site, addresses: Mapping[str, str], folder: Path, wanted: Sequence[str] = ()
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for look, (theme, (width, height)) in LOOKS.items():
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type]
        page = context.new_page()
        if not wanted or "login" in wanted:
            page.goto(f"{place.url}/login/")
            page.screenshot(path=folder / f"login.{look}.png")
        log_in(page, place.url)
        for name, address in addresses.items():
            if not wanted or name in wanted:
                _take(page, f"{place.url}{address}", folder / f"{name}.{look}.png")
        context.close()


def _take(page: Page, url: str, file: Path) -> None:
    page.goto(url)
    if page.locator("#chart-canvas").count():
        page.locator("#chart-canvas .main-svg").first.wait_for(timeout=20_000)
    page.wait_for_timeout(250)
    page.screenshot(path=file, full_page=True)


def main() -> int:
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch, site(Path(scratch)) as place, chromium() as browser:
        shoot(browser, place, pages(place.furnish("gallery")), folder, wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
