"""What a team does with answers, in real browsers side by side: share, replay, judge, review, verify, talk, link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.chromium import log_in
from tests.browser.pages import findings
from tests.browser.site import Site

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def runs(place: Site) -> dict[str, Any]:
    told: dict[str, Any] = place.furnish("library")
    return told


@pytest.fixture
def as_person(browser: Browser, place: Site) -> Iterator[Callable[[str], Page]]:
    """`as_person("tom")`: a page of a browser of his own, logged in."""
    contexts: list[BrowserContext] = []

    def opened(name: str) -> Page:
        contexts.append(browser.new_context(permissions=["clipboard-read", "clipboard-write"]))
        page = contexts[-1].new_page()
        log_in(page, place.url, name, f"{name}'s long password")
        return page

    yield opened
    for context in contexts:
        context.close()


def rows(page: Page) -> list[str]:
    return page.locator("#result-1-table tbody tr").all_inner_texts()


def test_an_answer_is_shared_replayed_and_taken_back(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    olga, sara = as_person("olga"), as_person("sara")
    address = f"{place.url}/runs/{runs['answered']}?tab=table"
    assert sara.goto(address).status == 404  # type: ignore[union-attr]
    olga.goto(address)
    seen = rows(olga)
    olga.get_by_role("link", name="Share").click()
    dialog = olga.get_by_role("dialog", name="Share this answer")
    expect(dialog).to_contain_text("who may run it again is decided by the connection")
    dialog.get_by_label("People or teams").fill("Tom Teammate")
    dialog.get_by_label("Anyone with the link who can log in").check()
    assert findings(olga) == []
    dialog.get_by_role("button", name="Share", exact=True).click()
    link = dialog.get_by_label("The new link, told this once").input_value()
    expect(dialog.locator(".shares li")).to_have_count(2)
    sara.goto(link)
    expect(sara.locator("#share-note")).to_contain_text("You see exactly what Olga Owner saw")
    assert rows(sara) == seen
    assert len(seen) == 8
    expect(sara.locator("#read-only")).to_contain_text("no access to the connection Shop")
    expect(sara.locator("#composer")).to_have_count(0)
    sara.get_by_role("tab", name="SQL").click()
    expect(sara.locator("#sql-1")).to_contain_text("GROUP BY")
    assert findings(sara) == []
    dialog.get_by_role("button", name="Revoke: anyone with the link").click()
    expect(dialog.locator(".shares li")).to_have_count(1)
    assert sara.goto(link).status == 404  # type: ignore[union-attr]
    assert sara.goto(address).status == 404  # type: ignore[union-attr]
    olga.keyboard.press("Escape")
    expect(olga.get_by_role("link", name="Share")).to_be_focused()


def test_a_verdict_is_reviewed_and_the_answer_verified_and_suggested(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    olga, mona, tom = as_person("olga"), as_person("mona"), as_person("tom")
    olga.goto(f"{place.url}/runs/{runs['answered']}")
    olga.get_by_role("button", name="Bad answer").click()
    olga.get_by_label("What is wrong").select_option("wrong_number")
    olga.get_by_label("In your words").fill("Counts web orders, too")
    olga.get_by_role("button", name="Say why").click()
    expect(olga.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")
    expect(olga.get_by_role("button", name="Change", exact=True)).to_be_visible()
    mona.goto(f"{place.url}/review/")
    finding = mona.locator(f"#finding-{runs['answered']}")
    expect(finding).to_contain_text("Wrong number")
    expect(finding).to_contain_text("Counts web orders, too")
    mona.get_by_label("Kind").select_option("failed")
    expect(finding).to_have_count(0)
    mona.get_by_label("Select: Customer lifetime").check()
    mona.get_by_role("button", name="Selected are done").click()
    mona.goto(f"{place.url}/review/")
    expect(mona.locator(f"#finding-{runs['failed']}")).to_have_count(0)
    finding.get_by_role("link").first.click()
    mona.locator(".verdict summary").click()
    assert findings(mona) == []
    mona.locator(".verdict").get_by_role("button", name="Verify").click()
    expect(mona.locator(".verdict")).to_contain_text("Verified by Mona Manager")
    tom.goto(place.url)
    expect(tom.locator(".suggest li").first).to_contain_text("Verified by Mona Manager")
    olga.goto(f"{place.url}/notices/")
    expect(olga.locator(".notices")).to_contain_text("Mona Manager verified your answer")


def test_a_comment_reaches_whom_it_mentions(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    olga, tom = as_person("olga"), as_person("tom")
    olga.goto(f"{place.url}/runs/{runs['shared']}")
    olga.locator(".comments > summary").click()
    olga.get_by_label("Your comment").fill("Is that net of returns, @tom?")
    olga.get_by_role("button", name="Comment", exact=True).click()
    expect(olga.locator(".comment")).to_contain_text("net of returns")
    tom.goto(f"{place.url}/notices/")
    tom.get_by_role("link", name="Olga Owner mentioned you").click()
    expect(tom.locator(".comment")).to_contain_text("net of returns")
    assert findings(tom) == []


def test_a_link_to_a_step_of_a_trace_opens_that_step_for_a_team_mate(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    olga, tom = as_person("olga"), as_person("tom")
    olga.goto(f"{place.url}/runs/{runs['shared']}/trace")
    olga.locator("#call-1-3").click()
    expect(olga.locator("#trace-detail")).to_contain_text("Unknown column")
    olga.get_by_role("button", name="Copy a link to this call").click()
    link = olga.evaluate("navigator.clipboard.readText()")
    assert link.endswith("at=call-1-3")
    tom.goto(link)
    expect(tom.locator("#trace-detail")).to_contain_text("Unknown column")
    expect(tom.locator("#call-1-3")).to_have_attribute("aria-current", "true")


def test_a_team_mate_sees_a_scheduled_run_at_work_and_then_its_answer(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    tom, run = as_person("tom"), place.furnish("scheduled")["run"]
    tom.goto(f"{place.url}/runs/{run}")
    expect(tom.locator("#share-note")).to_contain_text("It is in the collection Reports")
    expect(tom.locator("#share-note")).to_contain_text("It is still at work; the answer appears here.")
    expect(tom.locator("#read-only").get_by_role("button", name="Rerun")).to_have_count(0)
    place.furnish("go_on", run, "0", "99")
    expect(tom.locator("#answer-text")).to_contain_text("Germany bought most", timeout=15_000)


def copied(page: Page) -> str:
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Copied")
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_a_new_token_and_a_new_invitation_are_copied_by_their_buttons(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    mona = as_person("mona")
    mona.goto(f"{place.url}/settings/tokens/")
    mona.get_by_label("Name of the program").fill("Notebook")
    mona.get_by_role("button", name="Make a token").click()
    token = mona.locator("#t-token").input_value()
    assert token.startswith("rsw_")
    assert copied(mona) == token
    mona.goto(f"{place.url}/teams/{runs['team']}/")
    mona.get_by_role("button", name="Make a link").click()
    link = mona.locator("#i-link").input_value()
    assert "/invitations/" in link
    assert copied(mona) == link


def test_where_a_browser_cannot_copy_no_button_offers_it(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    olga = as_person("olga")
    olga.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', {value: undefined})")
    olga.goto(f"{place.url}/settings/tokens/")
    olga.get_by_label("Name of the program").fill("Notebook")
    olga.get_by_role("button", name="Make a token").click()
    expect(olga.locator("#t-token")).to_be_visible()
    expect(olga.locator("#new-token button")).to_be_hidden()


def test_a_member_is_removed_only_after_the_question_whether_to(
    place: Site, runs: dict[str, Any], as_person: Callable[[str], Page]
) -> None:
    mona = as_person("mona")
    mona.goto(f"{place.url}/teams/{runs['team']}/")
    row = mona.get_by_role("row").filter(has_text="Tom Teammate")
    dialog = mona.get_by_role("dialog", name="Remove Tom Teammate from Retail analytics?")
    row.get_by_role("button", name="Remove tom").click()
    assert findings(mona) == []
    dialog.get_by_role("button", name="Keep them").click()
    expect(dialog).to_be_hidden()
    expect(row).to_be_visible()
    row.get_by_role("button", name="Remove tom").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
