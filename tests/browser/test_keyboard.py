"""A whole question by keyboard alone: asked, read, charted, a step changed, exported. No mouse anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agents.llm.scripted import ScriptedServer, Turn
from tests.browser.chromium import log_in
from tests.browser.site import Site, site
from tests.browser.test_asking import COLD, REPLIES, shop

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("keyboard")
    with (
        ScriptedServer([Turn(text) for text in REPLIES]) as model,
        site(folder, LLM_API_BASE=model.api_base, STRATEGY="react") as place,
    ):
        shop(str(folder / "databases" / "shop.sqlite"))
        place.furnish("cast")
        with place.worker():
            yield place


def tab_to(page: Page, selector: str, most: int = 80, key: str = "Tab") -> None:
    """Press Tab until the focus is on what `selector` names."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{most} times {key} do not lead to {selector}")


def test_a_whole_question_by_keyboard_alone(asked: Site, page: Page, tmp_path: Path) -> None:
    log_in(page, asked.url)
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("Which country bought most?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    expect(page.locator("#answer-text")).to_contain_text("Germany bought most", timeout=COLD)
    tab_to(page, "#tab-table", key="Shift+Tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-chart")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#chart-canvas .main-svg").first).to_be_visible(timeout=20_000)
    expect(page.locator("#tab-chart")).to_be_focused()
    tab_to(page, "#ch-type")
    page.keyboard.press("P")  # a native list goes to what begins with the letter: Pie
    expect(page.locator("#chart-canvas .pielayer .slice").first).to_be_attached(timeout=20_000)
    expect(page.locator("#ch-type")).to_be_focused()
    tab_to(page, "[data-image=png]")
    with page.expect_download() as picture:
        page.keyboard.press("Enter")
    picture.value.save_as(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"
    page.keyboard.press("4")
    expect(page.locator("#tab-steps")).to_have_attribute("aria-selected", "true")
    tab_to(page, "#step-1-line")
    page.keyboard.press("j")
    expect(page.locator("#step-2-line")).to_be_focused()
    page.keyboard.press("e")
    expect(page.locator("#st-rel")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("total > 80 AND totl < 1")
    expect(page.locator("#step-check")).to_contain_text("totl")
    page.keyboard.press("Control+A")
    page.keyboard.type("total > 80")
    expect(page.locator("#step-check")).to_be_empty()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/runs/" in address and "step" not in address)
    expect(page.locator("#answer-text")).to_contain_text("The answer has", timeout=30_000)
    expect(page.locator("#result-1-table tbody tr")).to_have_count(2)
    tab_to(page, ".result__bar summary[aria-label=Export]", key="Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    with page.expect_download() as file:
        page.keyboard.press("Enter")
    file.value.save_as(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text("utf-8-sig").splitlines()[0] == "country,sales"
    page.keyboard.press("Escape")
    expect(page.locator("details.menu[open]")).to_have_count(0)


def test_single_keys_lead_everywhere_and_escape_closes(asked: Site, page: Page) -> None:
    log_in(page, asked.url)
    page.goto(f"{asked.url}/questions/")
    page.keyboard.press("/")
    expect(page.locator("#f-q")).to_be_focused()
    page.keyboard.type("n?j")
    expect(page.locator("#f-q")).to_have_value("n?j")
    page.keyboard.press("Escape")
    page.goto(f"{asked.url}/questions/")
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#shortcuts")).to_be_hidden()
    page.keyboard.press("j")
    expect(page.locator(".grid--page tbody th a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    page.keyboard.press("5")
    expect(page.locator("#tab-sql")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("1")
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("n")
    page.wait_for_url(f"{asked.url}/")
    expect(page.locator("#q")).to_be_focused()
