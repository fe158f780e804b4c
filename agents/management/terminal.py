"""A run as it happens, in plain words on a terminal."""

from __future__ import annotations

from collections.abc import Callable

from agents.traces.events import (
    CallResult,
    Calls,
    Event,
    Final,
    ModelCallStarted,
    Observation,
    Retry,
    RunStarted,
    Warned,
)

LONGEST_THOUGHT = 300


class Narrator:
    """Tells every event that people care about, one or a few lines each."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def __call__(self, event: Event) -> None:
        where = f"[{event.branch}] " if event.branch else ""
        for line in self._lines(event):
            self._say(where + line)

    def _lines(self, event: Event) -> list[str]:
        match event:
            case RunStarted():
                return [f"Asking {event.model} about a {event.dialect} database ({event.strategy})."]
            case ModelCallStarted(purpose="shaper"):
                return ["Putting the answer together …"]
            case ModelCallStarted():
                return [f"Turn {event.turn}: thinking …"]
            case Calls():
                told = [f"  SQL: {_one_line(event.sql)}"] if event.sql else []
                return [*([f"  {_short(event.thought)}"] if event.thought else []), *told]
            case CallResult():
                return [_call_line(event)]
            case Observation() if event.text and not event.rows_out:
                return []
            case Warned():
                return [f"  warning: {event.text}"]
            case Retry():
                return [f"  the model did not answer ({event.reason}); trying again in {event.wait:.1f} s"]
            case Final():
                return [f"Turn {event.turn}: finished."]
        return []


def _call_line(event: CallResult) -> str:
    words = f"{event.call.get('op', '?')}({_arguments(event.call.get('args'))})"
    if event.state == "skipped":
        return f"  - {words}: skipped, {event.text}"
    if event.error is not None:
        return f"  x {words}: {event.error['message']}"
    rows = "" if event.row_count is None else f", {event.row_count:,} rows"
    return f"  + {words}{rows} ({event.ms:.0f} ms)"


def _arguments(args: object) -> str:
    if not isinstance(args, dict):
        return ""
    return _short(", ".join(f"{name}={value}" for name, value in args.items()), 100)


def _short(text: str, size: int = LONGEST_THOUGHT) -> str:
    line = _one_line(text)
    return line if len(line) <= size else line[: size - 1] + "…"


def _one_line(text: str) -> str:
    return " ".join(text.split())
