"""Every page of the product by name, and how it is looked at: where it is, and what is pressed on it first.

tests/browser/test_every_page.py compares this list with the URL map: a new page needs a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.chromium import PHONE, WIDE

SQL = "SELECT+country,+count(*)+AS+orders%0AFROM+orders+JOIN+customers+USING+(id)%0AGROUP+BY+country"
# What a browser context is told; a phone has a finger instead of a pointer.
LOOKS: Mapping[str, Mapping[str, Any]] = {
    f"{size}{'-dark' if theme == 'dark' else ''}".replace("wide-dark", "dark").replace("wide", "light"): {
        "color_scheme": theme,
        "viewport": {"width": width, "height": height},
        "has_touch": size == "phone",
        "is_mobile": size == "phone",
    }
    for size, (width, height) in (("wide", WIDE), ("phone", PHONE))
    for theme in ("light", "dark")
}

# Routes with GET that give no page of their own: machines, files, pieces of pages, ways to another page.
NOT_PAGES = frozenset({
    "healthz", "readyz", "metrics", "stream", "export", "export_all", "trace_json", "review_export", "turns",
    "step_rows", "prompt", "connection_refreshing", "open_link", "notice",
    "evaluation_progress", "evaluation_report",
})  # fmt: skip

# What is pressed before a page is looked at, where the page is more than its address.
PRESSED: Mapping[str, str] = {
    "sql-steps": "main form button[type=submit]", "sql-refused": "main form button[type=submit]",
    "answer-export": ".result__bar .menu > summary", "answer-again": ".again > summary",
    "answer-strip": ".run__strip > summary", "answer-share": "a[aria-label=Share]",
    "collection-delete": ".head .menu > summary", "saved-remove": ".head .menu > summary",
    "team-remove": "[commandfor^=remove-]",
}  # fmt: skip


def pages(told: Mapping[str, Any]) -> dict[str, str]:
    """The addresses; `told` is what the gallery of tests/browser/furnish.py says."""
    run, shop = f"/runs/{told['answered']}", told["connection"]
    return {
        "ask-empty": "/", "ask-running": f"/runs/{told['running']}", "ask-thinking": f"/runs/{told['thinking']}",
        "answer-summary": f"{run}?tab=answer", "answer": f"{run}?tab=table", "answer-chart": f"{run}?tab=chart",
        "answer-steps": f"{run}?tab=steps&step=5", "answer-sql": f"{run}?tab=sql", "answer-export": f"{run}?tab=table",
        "answer-again": f"{run}?tab=answer", "answer-strip": f"{run}?tab=answer", "answer-share": f"{run}?tab=answer",
        "answer-cut": f"/runs/{told['cut']}?tab=table", "answer-nothing": f"/runs/{told['nothing']}?tab=table",
        "chart-nothing": f"/runs/{told['nothing']}?tab=chart", "answer-expired": f"/runs/{told['expired']}?tab=table",
        "chart-expired": f"/runs/{told['expired']}?tab=chart",
        "thread": f"/threads/{told['thread']}", "clarify": f"/runs/{told['clarify']}",
        "run-failed": f"/runs/{told['failed']}", "beside": f"/runs/{told['cut']}/beside/{told['again']}",
        "trace": f"{run}/trace?at=call-2-5", "trace-timeline": f"{run}/trace?lens=time",
        "history": "/questions/", "history-empty": "/questions/?q=switzerland",
        "sql": f"/sql/?connection={shop}&sql={SQL}", "sql-steps": f"/sql/?connection={shop}&sql={SQL}",
        "sql-refused": f"/sql/?connection={shop}&sql=SELECT+nothing+FROM+nowhere",
        "shared": f"/runs/{told['shared']}", "share": f"{run}/share", "save": f"{run}/save",
        "collections": "/collections/", "collection": f"/collections/{told['collection']}",
        "collection-delete": f"/collections/{told['collection']}",
        "collection-add": f"/collections/{told['collection']}/add",
        "saved": f"/saved/{told['saved']}", "saved-remove": f"/saved/{told['saved']}",
        "review": "/review/", "notices": "/notices/",
        "connections": "/connections/", "schema": f"/connections/{shop}/",
        "schema-column": f"/connections/{shop}/?table=orders&about=status", "connection-new": "/connections/new",
        "connection-form": f"/connections/{shop}/edit", "connection-test": f"/connections/{shop}/test",
        "evaluations": "/evaluations/", "evaluation-new": f"/evaluations/new?connection={shop}",
        "evaluation": f"/evaluations/{told['evaluation']}",
        "evaluation-latency": f"/evaluations/{told['evaluation']}?plot=latency&way=better&outcome=all",
        "evaluation-case": f"/evaluations/cases/{told['case']}",
        "usage": "/usage/", "usage-model": "/usage/?by=model&show=tokens",
        "teams": "/teams/", "team": f"/teams/{told['team']}/", "team-remove": f"/teams/{told['team']}/",
        "invitation": f"/invitations/{told['invitation']}",
        "settings": "/settings/", "tokens": "/settings/tokens/", "password": "/password/", "api": "/api/",
        "error": "/nowhere",
    }  # fmt: skip


def show(page: Page, url: str, press: str = "") -> None:
    """Open a page and wait until it stands."""
    page.goto(url)
    if press:
        page.locator(press).first.click()
        page.wait_for_load_state()
    if page.locator(".chart__canvas").count():
        page.locator(".chart__canvas .main-svg").first.wait_for(timeout=20_000)
    if page.locator("#step-rows").count():
        page.locator("#step-rows table, #step-rows .notice").first.wait_for(timeout=20_000)


def findings(page: Page) -> list[str]:
    """What axe-core finds on the page as it stands, of any impact."""
    found: dict[str, Any] = Axe().run(page).response
    return [
        f"{finding['impact']} {finding['id']}: {node['html'][:160]}"
        for finding in found["violations"]
        for node in finding["nodes"]
    ]
