"""Hostile text in every place where text can stand: shown as text, run by nobody, breaking no page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import PHONE, WIDE, log_in
from tests.browser.site import Site

pytestmark = pytest.mark.browser

TABS = ("answer", "table", "chart&kind=bar", "chart&kind=pie", "steps&step=2", "sql")


@pytest.fixture(scope="module")
def told(place: Site) -> dict[str, Any]:
    found: dict[str, Any] = place.furnish("hostile")
    return found


def addresses(told: dict[str, Any]) -> list[str]:
    run = f"/runs/{told['run']}"
    return [
        *(f"{run}?tab={tab}" for tab in TABS), f"{run}/trace", f"{run}/trace?at=call-1-2",
        f"{run}/beside/{told['other']}",
        f"/runs/{told['live']}", f"/runs/{told['clarify']}", f"/runs/{told['failed']}", "/", "/questions/",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
def test_hostile_text_is_text_on_every_page(place: Site, browser: Browser, told: dict[str, Any], width: Any) -> None:
    complaints: list[str] = []
    page = browser.new_context(viewport={"width": width[0], "height": width[1]}).new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    log_in(page, place.url)
    for address in addresses(told):
        page.goto(f"{place.url}{address}")
        if "chart" in address:
            page.locator(".chart__canvas .main-svg").first.wait_for()
        look(page, address)
        assert complaints == [], address
    page.context.close()


def look(page: Page, address: str) -> None:
    assert page.evaluate("window.hacked") is None, address
    made = "img[src=x], svg[onload], [onerror], b:text-is('bold'), a[href^=javascript]"
    assert page.locator(made).count() == 0, address
    scripts = "[...document.scripts].filter(one => one.type !== 'application/json')"
    assert page.evaluate(f"{scripts}.filter(one => one.textContent.includes('hacked')).length") == 0, address
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert too_wide <= 0, f"{address} is {too_wide} px too wide"


def test_the_words_themselves_are_there_to_read(place: Site, page: Page, told: dict[str, Any]) -> None:
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{told['run']}?tab=table")
    expect(page.locator("h1")).to_contain_text("<script>hacked=1</script>")
    first = page.locator("#result-1-table tbody tr").nth(0)
    expect(first.locator("td").nth(1)).to_have_text("<script>hacked=1</script>")
    expect(page.locator("#result-1-table thead")).to_contain_text("<img src=x onerror=hacked=1>")
    expect(page.locator("#result-1-table tbody")).to_contain_text("(10,000 characters)")
    page.goto(f"{place.url}/runs/{told['run']}?tab=chart&kind=bar")
    labels = page.locator(".chart__canvas .ytick text")
    expect(labels.nth(0)).to_have_text("<script>hacked=1</script>")
    shown = labels.all_text_contents()
    assert "<b>bold</b>" in [text.strip() for text in shown]
    assert "%{y}%{customdata}" in [text.strip() for text in shown]
    bar = page.locator(".chart__canvas .barlayer .point").nth(2)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
    expect(page.locator(".chart__canvas .hoverlayer")).to_contain_text("%{y}%{customdata}")


@pytest.fixture(scope="module")
def dated(place: Site) -> str:
    return str(place.furnish("dated")["run"])


def seen_in(browser: Browser, place: Site, run: str, zone: str) -> tuple[str, list[str], Any]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, timezone_id=zone)
    page = context.new_page()
    log_in(page, place.url)
    page.goto(f"{place.url}/runs/{run}?tab=table")
    table = page.locator("#result-1-table tbody").inner_text()
    page.goto(f"{place.url}/runs/{run}?tab=chart")
    page.locator(".chart__canvas .xtick text").first.wait_for()
    ticks = page.locator(".chart__canvas .xtick text").all_text_contents()
    drawn = page.evaluate("document.querySelector('.chart__canvas').data[0].x")
    context.close()
    return table, ticks, drawn


@pytest.mark.parametrize("zone", ["America/New_York", "Etc/GMT+5", "Asia/Tokyo"])
def test_no_date_is_moved_by_the_browsers_time_zone(place: Site, browser: Browser, dated: str, zone: str) -> None:
    table, ticks, drawn = seen_in(browser, place, dated, zone)
    assert "2026-03-29\t2026-03-29T02:30:00\t2026-03-29T01:30:00+00:00" in table
    assert "2026-01-01\t2026-01-01T00:00:00\t2025-12-31T23:00:00+00:00" in table
    assert (ticks, drawn) == seen_in(browser, place, dated, "UTC")[1:]
    assert drawn[0] == "2026-01-01"
