"""A run as people follow it: turns, and in each the calls with their state, words, rows and time.

`Transcript.apply` takes the events in order and says what changed, so that the page (all events at once) and the
stream (one after another) show the same. Pure: no HTML, no database.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from agents.answers.turns import CallLine, CallState, Change, Totals, Turn
from agents.answers.wording import Phrase, Word, say, spoken, text
from agents.traces import events


def _moment(at: str) -> datetime | None:
    return datetime.fromisoformat(at) if at else None


class Transcript:
    """Applies the events of one run in order."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.totals = Totals()
        self.status: Phrase = (text("Waiting for a worker"),)
        self.sources: list[int] = []
        self.ended = False
        self.detail = ""  # of a failure, for administrators
        self.position = 0
        self._names: dict[str, str] = {}
        self._rows: dict[str, int] = {}
        self._appliers: Mapping[str, Callable[[Any], list[Change]]] = {
            "run_started": self._started, "schema_shown": self._schema, "model_call_started": self._asked,
            "thought_delta": self._thinking, "model_reply": self._replied, "calls": self._read,
            "call_result": self._called, "observation": self._observed, "warning": self._warned,
            "retry": self._retried, "final": self._final, "shaped": self._shaped, "run_finished": self._end,
            "run_failed": self._end, "run_cancelled": self._end,
        }  # fmt: skip

    def apply(self, event: events.Event) -> tuple[Change, ...]:
        """Take the next event; says what to show again, in order. Unknown kinds change nothing."""
        self.position = max(self.position, event.position)
        applier = self._appliers.get(event.kind)
        return tuple(applier(event)) if applier else ()

    def think(self, number: int, reply: str) -> tuple[Change, ...]:
        """The reply of turn `number` as far as it has come; only its thought is shown."""
        turn = self.turn(str(number))
        thought = thought_in(reply)
        if turn is None or not turn.thinking or thought == turn.thought:
            return ()
        turn.thought = thought
        return (Change("thought", turn.key),)

    def turn(self, key: str) -> Turn | None:
        return next((turn for turn in self.turns if turn.key == key), None)

    def line(self, key: str) -> CallLine | None:
        turn_key, _, number = key.rpartition("-")
        turn = self.turn(turn_key)
        return next((line for line in turn.calls if str(line.number) == number), None) if turn else None

    # One method an event, in the order in which a run makes them.

    def _started(self, event: events.RunStarted) -> list[Change]:
        self.totals.model, self.totals.strategy = event.model, event.strategy
        self.totals.started_at = _moment(event.at)
        turns = event.budget.get("turns")
        self.totals.turns_allowed = turns if isinstance(turns, int) else None
        return self._say(text("Reading the catalogue"))

    def _schema(self, event: events.SchemaShown) -> list[Change]:
        return self._say(text("Asking the model"))

    def _asked(self, event: events.ModelCallStarted) -> list[Change]:
        if event.turn == 0 or event.purpose == "shaper":
            return self._say(text("Writing the answer"))
        known = self.turn(branch_key(event)) is not None
        changes = [] if known else self._close_before(event)
        turn = self._turn(event)
        turn.thinking = True
        return [*changes, *([] if known else [Change("turn", turn.key)]), *self._say(text("Thinking"))]

    def _thinking(self, event: events.ThoughtDelta) -> list[Change]:
        turn = self.turn(branch_key(event))
        if turn is None or not turn.thinking:
            return []
        turn.thought += event.text
        return [Change("thought", turn.key)]

    def _replied(self, event: events.ModelReply) -> list[Change]:
        self._use(event)
        return [Change("status")]

    def _read(self, event: events.Calls) -> list[Change]:
        began = [] if self.turn(branch_key(event)) else [Change("turn", branch_key(event))]  # no model was asked
        turn = self._turn(event)
        turn.thought, turn.thinking, turn.notes, turn.sql = event.thought, False, event.notes, event.sql
        turn.calls = [
            CallLine(turn=turn.key, number=place + 1, call=call, state="run" if place == 0 else "wait",
                     phrase=say(call, "run" if place == 0 else "wait", self._names))
            for place, call in enumerate(event.calls)
        ]  # fmt: skip
        self.totals.calls += len(turn.calls)
        for line in turn.calls:
            self._name(line.call)
        status = turn.calls[0].phrase if turn.calls else (text("Reading the reply"),)
        shown = [Change("thought", turn.key), Change("calls", turn.key), Change("head", turn.key)]
        return [*began, *shown, *self._say(*status)]

    def _called(self, event: events.CallResult) -> list[Change]:
        turn = self._turn(event)
        if event.index >= len(turn.calls):
            return []
        turn.ended_at = _moment(event.at) or turn.ended_at
        line = self._finished_line(turn, event)
        turn.calls[event.index] = line
        self.totals.warnings += line.state == "warn"
        self.totals.errors += line.state == "err"
        changes = [Change("call", turn.key, line.number), *self._correct(turn, line)]
        changes += self._begin(turn, event.index + 1) if event.state == "ok" else []
        return [*changes, Change("head", turn.key)]

    def _observed(self, event: events.Observation) -> list[Change]:
        """The counts come after the batch; the turn is over."""
        turn = self._turn(event)
        changes: list[Change] = []
        for place, line in enumerate(turn.calls):
            rows = event.rows_out.get(str(place))
            if rows is not None:
                turn.calls[place] = self._counted(line, rows)
                changes.append(Change("call", turn.key, place + 1))
            elif line.result is None and line.state in ("ok", "warn"):
                self._rows.pop(line.handle, None)  # the handle may have named another relation before
        return [*changes, *self._close(turn, event.at)]

    def _warned(self, event: events.Warned) -> list[Change]:
        turn = self.turn(branch_key(event))
        if turn is None:
            return []
        self.totals.warnings += 1
        made = [line for line in turn.calls if line.handle and line.state in ("ok", "warn")]
        named = [line for line in made if event.text.startswith(f"{line.handle} ")]
        for line in sorted(named, key=lambda line: line.rows_out != 0)[:1]:  # a later call may have taken its name
            turn.calls[line.number - 1] = replace(line, state="warn", warnings=(*line.warnings, event.text))
            return [Change("call", turn.key, line.number), Change("head", turn.key)]
        turn.notes = (*turn.notes, event.text)
        return [Change("calls", turn.key)]

    def _retried(self, event: events.Retry) -> list[Change]:
        self._use(event)
        when = f" in {event.wait:.0f} s" if event.wait >= 1 else ""
        return self._say(text(f"The model did not answer ({event.reason}); attempt {event.attempt + 1} follows{when}"))

    def _final(self, event: events.Final) -> list[Change]:
        turn = self.turn(branch_key(event))
        if turn is None:
            return []
        turn.is_final, turn.thinking, turn.notes = True, False, (*turn.notes, *event.notes)
        shown = [Change("thought", turn.key), *([Change("calls", turn.key)] if event.notes else [])]
        return [*shown, *self._close(turn, event.at), *self._say(text("Writing the answer"))]

    def _shaped(self, event: events.Shaped) -> list[Change]:
        self.sources = list(event.sources)
        return []

    def _end(self, event: events.Event) -> list[Change]:
        self.ended = True
        if isinstance(event, events.RunFailed):
            self.detail = event.error.get("detail", "")
        for turn in self.turns:
            turn.running, turn.thinking = False, False
            turn.calls = [replace(line, state="skip", phrase=say(line.call, "wait", self._names))
                          if line.is_open else line for line in turn.calls]  # fmt: skip
        return [Change("end")]

    # What the methods above share.

    def _use(self, event: events.ModelReply | events.Retry) -> None:
        self.totals.tokens += event.input + event.output
        if event.cost is not None:
            self.totals.cost = (self.totals.cost or 0.0) + event.cost

    def _turn(self, event: events.Event) -> Turn:
        key = branch_key(event)
        turn = self.turn(key)
        if turn is None:
            turn = Turn(key=key, number=event.turn, branch=event.branch, started_at=_moment(event.at))
            self.turns.append(turn)
            self.totals.turn = max(self.totals.turn, event.turn)
        return turn

    def _say(self, *status: Word) -> list[Change]:
        self.status = tuple(status)
        return [Change("status")]

    def _close_before(self, event: events.Event) -> list[Change]:
        running = [turn for turn in self.turns if turn.running and turn.branch == event.branch]
        return [change for turn in running for change in self._close(turn, "")]

    def _close(self, turn: Turn, at: str) -> list[Change]:
        turn.running, turn.thinking = False, False
        turn.ended_at = _moment(at) or turn.ended_at
        return [Change("head", turn.key)]

    def _begin(self, turn: Turn, place: int) -> list[Change]:
        """The next call of the batch starts."""
        if place >= len(turn.calls):
            return self._say(text("Counting rows"))
        line = turn.calls[place]
        turn.calls[place] = replace(line, state="run", phrase=say(line.call, "run", self._names))
        return [Change("call", turn.key, place + 1), *self._say(*turn.calls[place].phrase)]

    def _finished_line(self, turn: Turn, event: events.CallResult) -> CallLine:
        call = event.call or turn.calls[event.index].call
        if event.handle:
            self._names[event.handle] = spoken({**call, "out": event.handle}, self._names)
        state = _state(event)
        tense: Literal["wait", "done"] = "wait" if state == "skip" else "done"
        if event.row_count is not None and event.handle:
            self._rows[event.handle] = event.row_count
        return CallLine(
            turn=turn.key, number=event.index + 1, call=call, state=state,
            phrase=say(call, tense, self._names, result=event.result), handle=event.handle,
            rows_in=self._rows_in(call), rows_out=event.row_count, rows_exact=event.row_count_exact,
            truncated=event.truncated, shown_rows=len(event.preview), ms=event.ms if state != "skip" else None,
            columns=event.columns, text=event.text, warnings=event.warnings, error=event.error, sql=event.sql,
            result=event.result,
        )  # fmt: skip

    def _counted(self, line: CallLine, rows: int) -> CallLine:
        counted = replace(line, rows_in=self._rows_in(line.call), rows_out=rows)
        if line.handle:
            self._rows[line.handle] = rows
        return counted

    def _rows_in(self, call: Mapping[str, Any]) -> int | None:
        args = call.get("args") or {}
        if call.get("op") in _NO_INPUT or not isinstance(args, Mapping):
            return None
        return self._rows.get(str(args.get("rel") or args.get("left") or ""))

    def _name(self, call: Mapping[str, Any]) -> None:
        if call.get("out"):
            self._names[str(call["out"])] = spoken(call, self._names)

    def _correct(self, turn: Turn, line: CallLine) -> list[Change]:
        """A call that works after one of the same operation failed: the failure says where it was put right."""
        if line.state not in ("ok", "warn"):
            return []
        for earlier in self.turns:
            for place, failed in enumerate(earlier.calls):
                repairs = failed.state == "err" and failed.op == line.op and not failed.corrected_in
                if repairs and earlier is not turn and earlier.branch == turn.branch:
                    earlier.calls[place] = replace(failed, corrected_in=line.key)
                    return [Change("call", earlier.key, failed.number)]
        return []


# Operations whose line says only what came out.
_NO_INPUT = frozenset({"table_ref", "execute", "probe_values", "value_exists", "sim_value_in", "set_operation"})


_ACT_BEGINS = re.compile(r'</think>|```|\n\s*\[|\[\s*\{|\{\s*"')


def thought_in(reply: str) -> str:
    """The thought at the head of a reply that is still being written: what stands before the calls or the final."""
    begun = reply.lstrip().removeprefix("<think>").lstrip()
    found = _ACT_BEGINS.search(begun)
    return (begun[: found.start()] if found else begun).strip()


def branch_key(event: events.Event) -> str:
    return f"{event.branch}-{event.turn}" if event.branch else str(event.turn)


def _state(event: events.CallResult) -> CallState:
    if event.state == "ok":
        return "warn" if event.warnings else "ok"
    return "err" if event.state == "failed" else "skip"
