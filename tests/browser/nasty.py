"""Stories with hostile text and with dates, for the browser's tests."""

from __future__ import annotations

from typing import Any

from agents.models import Run, Status
from agents.traces import events
from connections.models import Connection, User
from tests.web import stories

SCRIPT = "<script>hacked=1</script>"
NASTY = (
    SCRIPT, "<b>bold</b>", "%{y}%{customdata}", '"><img src=x onerror=hacked=1>', "\u202eright to left\u2066'; --",
    "x" * 10_000, "$\\alpha$ <br> &lt;b&gt;", "{{ 7|add:7 }} {% now %}", "<a href=javascript:hacked=1>a</a>",
)  # fmt: skip
NAME = "<img src=x onerror=hacked=1>"
COLUMNS = (
    {"name": NAME, "type": "<i>text</i>", "semantic": "text"},
    {"name": "%{x}<b>n</b>\u202e", "type": "INTEGER", "semantic": "integer"},
)


def hostile(olga: User, shop: Connection) -> dict[str, Any]:
    words = " ".join(NASTY)[:6_000]
    run = stories.ask(olga, shop, words)
    _work(run, words)
    stories.keep_result(run, [[text, 100 - place] for place, text in enumerate(NASTY)], COLUMNS)
    program = [
        stories.call("table_ref", NAME, table=NAME),
        stories.call("filter_expr", SCRIPT, rel=NAME, predicate=words),
        stories.call("execute", rel=SCRIPT),
    ]
    stories.finish(run, answer=words, answer_result=1, sql=words, program=program, model_name=NAME)
    other = Run.objects.create(question=run.question, strategy="lift")
    stories.finish(other, Status.FAILED, error=words, error_type=NAME, model_name=SCRIPT)
    Run.objects.filter(pk=run.pk).update(created_at="2100-01-01T00:00Z")
    live = stories.ask(olga, shop, words)
    _work(live, words)
    Run.objects.filter(pk=live.pk).update(status=Status.RUNNING, lease_owner="t", lease_until="2100-01-01T00:00Z")
    clarify = stories.finish(stories.ask(olga, shop, words), Status.CLARIFY, answer=words, options=list(NASTY[:5]))
    failed = stories.finish(stories.ask(olga, shop, words), Status.FAILED, error=words, error_type=NAME, turns=0)
    return {name: str(one.pk) for name, one in
            {"run": run, "other": other, "live": live, "clarify": clarify, "failed": failed}.items()}  # fmt: skip


def _work(run: Run, words: str) -> None:
    """A turn whose thought, calls, errors and raw reply are hostile."""
    first = stories.call("table_ref", NAME, table=SCRIPT)
    second = stories.call("filter_expr", SCRIPT, rel=NAME, predicate=words)
    error = {"type": NAME, "message": words}
    columns = ({"name": NAME, "type": SCRIPT}, {"name": "x" * 5_000, "type": "TEXT"})
    stories.save(run, [
        *stories.beginning(run), *stories.asked(1), *stories.replied(1, f"</pre>{words}</script>"),
        events.Calls(turn=1, thought=words, calls=(first, second), notes=(words,), sql=words),
        events.CallResult(turn=1, index=0, call=first, state="ok", handle=NAME, columns=columns, text=words,
                          warnings=(words,), sql=words, ms=1),
        events.CallResult(turn=1, index=1, call=second, state="failed", error=error, ms=1),
    ])  # fmt: skip


def dated(olga: User, shop: Connection) -> dict[str, Any]:
    """Days, times, and times with a zone, at the hours where clocks change."""
    run = stories.ask(olga, shop, "Sales by day")
    heads = [
        {"name": "day", "type": "DATE", "semantic": "date"},
        {"name": "at", "type": "TIMESTAMP", "semantic": "text"},
        {"name": "moment", "type": "TIMESTAMPTZ", "semantic": "text"},
        {"name": "sales", "type": "INTEGER", "semantic": "integer"},
    ]
    rows = [
        ["2026-01-01", "2026-01-01T00:00:00", "2025-12-31T23:00:00+00:00", 5],
        ["2026-03-29", "2026-03-29T02:30:00", "2026-03-29T01:30:00+00:00", 7],
        ["2026-10-25", "2026-10-25T02:30:00", "2026-10-25T00:30:00+00:00", 9],
    ]
    stories.keep_result(run, rows, heads)
    stories.finish(run, answer="Three days.", answer_result=1)
    return {"run": str(run.pk)}
