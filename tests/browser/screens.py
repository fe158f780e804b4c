"""Pictures of every page in both themes and widths: `python -m tests.browser.screens FOLDER [PAGE …]`.

The data are the demo shop, the site and the worker are real, the model is scripted (demo.py).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from agents.llm.scripted import ScriptedServer
from connections.demo.shop import make_shop
from connections.demo.write import write_shop
from tests.browser import demo
from tests.browser.chromium import chromium, log_in
from tests.browser.pages import LOOKS, PRESSED, show
from tests.browser.site import Site, site

# The shop's last day, so that the pictures change with the pages only.
LAST_DAY = date(2026, 11, 17)
SQL = "SELECT+status,+count(*)+AS+orders%0AFROM+orders%0AGROUP+BY+status%0AORDER+BY+orders+DESC"


def shoot(
    browser: Browser,
    place: Site,
    addresses: Mapping[str, str],
    folder: Path,
    wanted: Sequence[str] = (),
    name: str = "olga",
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for look, told in LOOKS.items():
        context = browser.new_context(**told)
        page = context.new_page()
        if not wanted or "login" in wanted:
            page.goto(f"{place.url}/login/")
            page.screenshot(path=folder / f"login.{look}.png")
        log_in(page, place.url, name, f"{name}'s long password")
        for shown, address in addresses.items():
            if not wanted or shown in wanted:
                _take(page, f"{place.url}{address}", PRESSED.get(shown, ""), folder / f"{shown}.{look}.png")
        context.close()


def _take(page: Page, url: str, press: str, file: Path) -> None:
    show(page, url, press)
    page.wait_for_timeout(250)
    size = page.viewport_size
    assert size is not None
    # As high as the page, so that what is docked to the bottom stands there in the picture, too.
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=file)
    page.set_viewport_size(size)


def demo_pages(runs: Mapping[str, str], connection: int) -> dict[str, str]:
    run, month = f"/runs/{runs['answered']}", f"/runs/{runs['chart']}"
    return {
        "ask-empty": "/", "ask-running": f"/runs/{runs['running']}", "ask-thinking": f"/runs/{runs['thinking']}",
        "answer-summary": f"{run}?tab=answer", "answer": f"{run}?tab=table", "answer-chart": f"{run}?tab=chart",
        "answer-chart-line": f"{month}?tab=chart", "answer-steps": f"{run}?tab=steps&step=4",
        "answer-sql": f"{run}?tab=sql", "clarify": f"/runs/{runs['clarify']}", "run-failed": f"/runs/{runs['failed']}",
        "trace": f"{run}/trace?at=call-1-3", "trace-timeline": f"{run}/trace?lens=time", "history": "/questions/",
        "history-empty": "/questions/?q=shipping+cost+switzerland", "connections": "/connections/",
        "schema": f"/connections/{connection}/?table=returns", "settings": "/settings/", "error": "/nowhere",
        "beside": f"/runs/{runs['chart']}/beside/{runs['again']}", "sql": f"/sql/?connection={connection}&sql={SQL}",
        "sql-steps": f"/sql/?connection={connection}&sql={SQL}", "answer-export": f"{run}?tab=table",
        "collections": "/collections/", "usage": "/usage/", "teams": "/teams/", "notices": "/notices/",
    }  # fmt: skip


def evaluation_pages(told: Mapping[str, Any]) -> dict[str, str]:
    case = f"/evaluations/cases/{told['case']}"
    return {"evaluation": f"/evaluations/{told['evaluation']}?outcome=failed", "evaluation-case": case}


def ask_all(place: Site, model: ScriptedServer, asked: Sequence[demo.Asked]) -> dict[str, str]:
    """Ask one question after another; the last one, and one more that is thought about, stay at work."""
    runs, expected = {}, 0
    for one in asked:
        runs[one.name] = place.furnish("ask", one.question)["run"]
        _wait(place, runs[one.name], last=one is asked[-1])
        expected += len(one.replies)
        if len(model.requests) != expected:
            raise AssertionError(f"{one.question}: {len(model.requests)} requests instead of {expected}")
        if one.name == "chart":
            runs["again"] = place.furnish("rerun", runs["chart"])["run"]
            _wait(place, runs["again"])
    runs["thinking"] = place.furnish("ask", "Which products are returned within 14 days?")["run"]
    return runs


def _wait(place: Site, run: str, *, last: bool = False) -> None:
    until = time.monotonic() + 180
    while _goes_on(place.furnish("state", run), last=last):
        if time.monotonic() > until:
            raise TimeoutError(f"A run is not answered: {place.furnish('state', run)}\n{place.log('worker')}")
        time.sleep(0.3)


def _goes_on(state: Mapping[str, Any], *, last: bool) -> bool:
    """Whether to wait for this run; the last one is to be seen at work."""
    return bool(state["live"] and (not last or state["events"] < 16))


def main() -> int:
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        database = Path(scratch) / "databases" / "demo.sqlite"
        database.parent.mkdir()
        write_shop(make_shop(LAST_DAY), f"sqlite:///{database}")
        asked = demo.stories(database)
        turns = [turn for one in asked for turn in one.replies]
        with (
            ScriptedServer(turns, after=demo.THINKING) as model,
            site(Path(scratch), LLM_API_BASE=model.api_base, LLM_MODEL="openai/scripted", STRATEGY="react") as place,
            place.worker(),
            chromium() as browser,
        ):
            connection = place.furnish("demo")["connection"]
            shoot(browser, place, demo_pages(ask_all(place, model, asked), connection), folder, wanted, name="mara")
            told = place.furnish("demo_evaluation")
            shoot(browser, place, evaluation_pages(told), folder, wanted or ["evaluation", "evaluation-case"], "mara")
    return 0


if __name__ == "__main__":
    sys.exit(main())
