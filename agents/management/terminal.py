"""A run as it happens, in plain words on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agents.answers import wording
from agents.traces.events import CallResult, Calls, Event, ModelCallStarted, Retry, RunStarted, Warned

LONGEST_THOUGHT = 300


class Narrator:
    """Tells every event that people care about, one or a few lines each."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._names: dict[str, str] = {}  # what each handle is called in words

    def __call__(self, event: Event) -> None:
        branch = f"[{event.branch}] " if event.branch else ""
        for line in self._lines(event):
            self._say(branch + line)

    def _lines(self, event: Event) -> Iterator[str]:
        match event:
            case RunStarted():
                yield f"Asking {event.model} about a {event.dialect} database ({event.strategy})."
            case ModelCallStarted(purpose="shaper"):
                yield "Putting the answer together …"
            case ModelCallStarted():
                yield f"Turn {event.turn}: thinking …"
            case Calls():
                yield from (f"  {_short(text)}" for text in (event.thought, event.sql) if text)
            case CallResult():
                yield self._call(event)
            case Warned():
                yield f"  warning: {event.text}"
            case Retry():
                yield f"  no answer from the model ({event.reason}); trying again in {event.wait:.1f} s"

    def _call(self, event: CallResult) -> str:
        tense: wording.Tense = "done" if event.state == "ok" else "wait"
        words = wording.plain(wording.say(event.call, tense, self._names, result=event.result))
        if event.state == "skipped":
            return f"  - {words} (skipped: {event.text})"
        if event.error is not None:
            return f"  x {words}: {event.error['message']}"
        if event.handle and event.result is None:
            self._names[event.handle] = wording.spoken(event.call, self._names)
        rows = "" if event.row_count is None else f": {event.row_count:,} {'row' if event.row_count == 1 else 'rows'}"
        return f"  + {words}{rows} ({event.ms:.0f} ms)"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_THOUGHT else line[: LONGEST_THOUGHT - 1] + "…"
