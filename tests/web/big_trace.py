"""A run of 200 calls whose trace holds 5 MB: long prompts, replies, observations and previews."""

from __future__ import annotations

import json
from collections.abc import Iterator

from agents.models import Run
from agents.traces import events
from tests.web import stories

TURNS, CALLS = 25, 8
OCTETS = 5_000_000
WORDS = "The table orders has a column total of type NUMERIC(12, 2); its values run from 3.50 to 9,120.00. "


def story(run: Run) -> Iterator[events.Event]:
    """About OCTETS in all: half of it prompts and replies, half what the calls gave."""
    share = OCTETS // TURNS
    columns = tuple({"name": f"column_{number}", "type": "NUMERIC(12, 2)"} for number in range(12))
    rows = tuple(tuple(f"{row}.{place:02}" for place in range(12)) for row in range(50))
    yield from stories.beginning(run)
    for turn in range(1, TURNS + 1):
        calls = tuple(stories.call("filter_expr", f"r{turn}_{n}", rel="orders", predicate=f"total > {n}")
                      for n in range(CALLS - 1)) + (stories.call("execute", rel=f"r{turn}_0"),)  # fmt: skip
        message = {"role": "user", "content": WORDS * (share // 2 // len(WORDS))}
        yield events.ModelCallStarted(turn=turn, purpose="agent", conversation="main", appended=(message,))
        yield events.ModelReply(turn=turn, purpose="agent", conversation="main", text=json.dumps(calls) + WORDS * 20,
                                input=9120, cached=8000, output=212, cost=0.003, seconds=1.2)  # fmt: skip
        yield events.Calls(turn=turn, thought=WORDS * 3, calls=calls)
        for index, one in enumerate(calls):
            last = one["op"] == "execute"
            yield events.CallResult(
                turn=turn, index=index, call=one, state="ok", handle=one.get("out", ""), columns=columns, ms=7,
                text=WORDS * (share // 2 // CALLS // len(WORDS)), row_count=1000 if last else None,
                result=turn if last else None, preview=rows if last else (), sql=stories.SQL if last else "",
            )  # fmt: skip
        yield events.Observation(turn=turn, text=WORDS, rows_out={str(index): 500 for index in range(CALLS - 1)})
    yield from stories.ending(TURNS + 1)


def big(run: Run) -> int:
    """Save it all behind `run`, and end the run; returns how many octets the events have."""
    told = list(story(run))
    stories.save(run, told, seconds_apart=0.05)
    stories.finish(run, turns=TURNS + 1, calls=TURNS * CALLS, answer="Done.")
    return sum(len(json.dumps(events.to_json(event))) for event in told)
