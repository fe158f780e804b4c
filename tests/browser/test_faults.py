"""What a person sees while a provider misbehaves: the live page says so, ends in the right state, and stays silent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Page, expect

from agents.llm.scripted import ScriptedServer, Turn
from tests.browser.chromium import log_in
from tests.browser.site import Site, free_port, site
from tests.browser.test_asking import shop
from tests.server.five_turns import calls, op

pytestmark = pytest.mark.browser

# A cold worker imports what asks models first.
COLD = 50_000
FIRST = calls("I count the orders.", op("table_ref", "o", table="orders"), op("execute", rel="o"))
LAST = '<think>Done.</think>{"final": "There are **600** orders; see <execute_result_1>."}'
TOO_LONG = Turn(status=400, code="context_length_exceeded", message="maximum context length is 8192 tokens")
BUSY = Turn(status=429, headers={"Retry-After": "3600"})
RESET = Turn(content="<think>half a thought " * 20, cut_after=3, reset=True)
STALL = Turn(content="<think>half a thought " * 20, cut_after=3, stall=30)
LONG = f"<think>{'hm ' * 13_000}</think>{FIRST.partition('</think>')[2]}"

# The replies; what the page says meanwhile, "" where it goes too fast; what it says in the end.
PASSING: dict[str, tuple[Sequence[str | Turn], str]] = {
    "429 with Retry-After": ([Turn(status=429, headers={"Retry-After": "3"}), FIRST], "attempt 2 follows in 3 s"),
    "500": ([Turn(status=500, message="oops"), FIRST], "attempt 2 follows"),
    "reset in mid-stream": ([RESET, FIRST], "attempt 2 follows"),
    "stream that stalls": ([STALL, FIRST], "attempt 2 follows"),
    "empty reply": (["", FIRST], ""),
    "40 KB reply": ([LONG], ""),
}
LASTING: dict[str, tuple[Sequence[str | Turn], str, str]] = {
    "401": ([Turn(status=401, message="Incorrect API key provided")], "The model refused the key", "check the key"),
    "429 for an hour": ([BUSY], "The model is asked too often", "asked too often"),
    "stalls twice": ([STALL, STALL], "The model did not answer", "sent nothing for 2 seconds"),
    "context overflow": ([TOO_LONG], "The question does not fit this model", "do not fit into its context"),
    "only empty replies": (["", "", ""], "the model's replies could not be read", "could not be read"),
}


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("faults")
    env = {"LLM_API_BASE": f"http://127.0.0.1:{port}/v1", "LLM_TIMEOUT_SECONDS": "2", "STRATEGY": "react"}
    with site(folder, **env) as place:
        shop(str(folder / "databases" / "shop.sqlite"))
        place.furnish("cast")
        with place.worker():
            yield place


def ask(page: Page, place: Site, question: str) -> None:
    log_in(page, place.url)
    page.fill("#q", question)
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")


def rests(page: Page) -> None:
    """Nothing turns or waits any more, and the next question can be asked."""
    expect(page.locator("#run-status")).to_have_count(0)
    at_work = ".spin, [data-state=running], [data-state=run], [data-state=wait], .thought--live"
    expect(page.locator(at_work)).to_have_count(0)
    expect(page.locator("#send")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_told_and_the_answer_comes(asked: Site, port: int, page: Page, fault: str) -> None:
    replies, meanwhile = PASSING[fault]
    with ScriptedServer([*replies, LAST], port=port):
        ask(page, asked, f"How many orders are there? ({fault})")
        if meanwhile:
            expect(page.locator("#run-status")).to_contain_text(meanwhile, timeout=COLD)
        expect(page.locator("#answer-text")).to_contain_text("There are 600 orders", timeout=COLD)
    rests(page)
    assert "half a thought" not in page.locator("main").inner_text()


@pytest.mark.parametrize("fault", LASTING)
def test_what_lasts_ends_with_a_plain_reason(asked: Site, port: int, page: Page, fault: str) -> None:
    replies, title, reason = LASTING[fault]
    with ScriptedServer(replies, port=port):
        ask(page, asked, f"How many orders are there? ({fault})")
        failure = page.locator(".failure")
        expect(failure).to_contain_text(title, timeout=COLD)
    expect(failure).to_contain_text(reason)
    expect(failure.get_by_role("button", name="Ask again")).to_be_visible()
    rests(page)
    live = failure.inner_text()
    page.reload()
    assert page.locator(".failure").inner_text() == live
